use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;

use crate::domain::passkey::{Key, Passkey, PasskeyId};

macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            "SELECT id, user_id, name, credential_id, public_key, algorithm, sign_count, transports, created_at, last_used_at
             FROM passkeys " + $clause
            $(, $value)*
        )
    };
}

struct Row {
    id: PasskeyId,
    user_id: UserId,
    name: String,
    credential_id: Vec<u8>,
    public_key: Vec<u8>,
    algorithm: i32,
    sign_count: i64,
    transports: Vec<String>,
    created_at: OffsetDateTime,
    last_used_at: Option<OffsetDateTime>,
}

impl From<Row> for Passkey {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            user_id: row.user_id,
            name: row.name,
            key: Key {
                credential_id: row.credential_id,
                public_key: row.public_key,
                algorithm: row.algorithm,
                sign_count: row.sign_count,
                transports: row.transports,
            },
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }
    }
}

/// An account's, oldest first.
pub async fn of_user(conn: &mut PgConnection, user_id: UserId) -> Result<Vec<Passkey>, sqlx::Error> {
    let rows = select!("WHERE user_id = $1 ORDER BY created_at, id", user_id.get()).fetch_all(conn).await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

/// How many an account has.
pub async fn count(conn: &mut PgConnection, user_id: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM passkeys WHERE user_id = $1"#, user_id.get())
        .fetch_one(conn)
        .await
}

pub async fn find_by_credential(conn: &mut PgConnection, credential_id: &[u8]) -> Result<Option<Passkey>, sqlx::Error> {
    let row = select!("WHERE credential_id = $1", credential_id).fetch_optional(conn).await?;
    Ok(row.map(Passkey::from))
}

/// Adds one unless another has its credential id; `false` then.
pub async fn insert(conn: &mut PgConnection, new: &Passkey) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO passkeys (id, user_id, name, credential_id, public_key, algorithm, sign_count, transports, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING",
        new.id.get(),
        new.user_id.get(),
        new.name,
        new.key.credential_id,
        new.key.public_key,
        new.key.algorithm,
        new.key.sign_count,
        &new.key.transports,
        new.created_at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes a use; `false` if the counter did not grow, as that of a copied authenticator would not. One that never counts is
/// taken.
pub async fn note_use(
    conn: &mut PgConnection,
    id: PasskeyId,
    sign_count: i64,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE passkeys SET sign_count = $2, last_used_at = $3
         WHERE id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)",
        id.get(),
        sign_count,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes one of an account; `false` if it has none with this id.
pub async fn remove(conn: &mut PgConnection, user_id: UserId, id: PasskeyId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM passkeys WHERE user_id = $1 AND id = $2", user_id.get(), id.get())
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes those of an account that were added at this moment or later.
pub async fn forget_since(conn: &mut PgConnection, user_id: UserId, since: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM passkeys WHERE user_id = $1 AND created_at >= $2", user_id.get(), since)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes all of an account; `false` if there were none.
pub async fn forget(conn: &mut PgConnection, user_id: UserId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM passkeys WHERE user_id = $1", user_id.get()).execute(conn).await?;
    Ok(done.rows_affected() > 0)
}
