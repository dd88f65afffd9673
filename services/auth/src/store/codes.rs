use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::{
    CHANGES_TO_ONE_ADDRESS, CODE_ATTEMPTS, CODE_LIFE, CodeId, NewCode, OWN_CODES, Purpose, STRANGERS_CODES,
};

/// A code that was just tried.
pub struct Tried {
    /// Its id, from which its digits follow.
    pub id: CodeId,
    pub user_id: UserId,
}

/// A code that may be mailed.
pub struct Mailable {
    /// The address that it proves.
    pub email: String,
    pub name: String,
    pub expires_at: OffsetDateTime,
}

/// A code that was consumed.
pub struct Consumed {
    pub user_id: UserId,
    /// `registration` or `email_change`.
    pub purpose: String,
    /// The address that it proves.
    pub email: String,
}

/// Makes a code beside those before; returns its id.
pub async fn insert(conn: &mut PgConnection, new: &NewCode<'_>, now: OffsetDateTime) -> Result<CodeId, sqlx::Error> {
    let id = CodeId::new(Uuid::new_v4());
    sqlx::query!(
        "INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at, request_id, block, is_strangers)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id.get(),
        new.user_id.get(),
        new.purpose.into_str(),
        new.email,
        now,
        now + CODE_LIFE,
        new.request.and_then(|request| request.id),
        new.request.map(|request| request.block),
        new.request.is_some_and(|request| request.is_strangers),
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// Kills the oldest codes that the account asked for, but not the newest few.
pub async fn supersede_oldest_own(
    conn: &mut PgConnection,
    user_id: UserId,
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE codes SET superseded_at = $3
         WHERE id IN (SELECT id FROM codes
             WHERE user_id = $1 AND purpose = $2 AND block IS NULL AND consumed_at IS NULL AND superseded_at IS NULL
             ORDER BY created_at DESC, id OFFSET $4)",
        user_id.get(),
        purpose.into_str(),
        now,
        OWN_CODES,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Kills the codes of an account for a purpose.
pub async fn supersede(
    conn: &mut PgConnection,
    user_id: UserId,
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE codes SET superseded_at = $3
         WHERE user_id = $1 AND purpose = $2 AND consumed_at IS NULL AND superseded_at IS NULL",
        user_id.get(),
        purpose.into_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Counts a submission on the live codes of an account to this address, before anybody compares. A code without
/// submissions left is not among them. Must be committed before the comparison.
pub async fn count_own_attempt(
    conn: &mut PgConnection,
    user_id: UserId,
    email: &str,
) -> Result<Vec<Tried>, sqlx::Error> {
    sqlx::query_as!(
        Tried,
        "UPDATE codes SET attempts = attempts + 1
         WHERE user_id = $1 AND lower(email) = lower($2) AND consumed_at IS NULL AND superseded_at IS NULL
           AND expires_at > clock_timestamp() AND attempts < $3
         RETURNING id, user_id",
        user_id.get(),
        email,
        CODE_ATTEMPTS,
    )
    .fetch_all(conn)
    .await
}

/// The same for the codes that a visitor's request asked for; their submissions leave those of the owner alone.
pub async fn count_requested_attempt(
    conn: &mut PgConnection,
    request_id: Uuid,
    email: &str,
) -> Result<Vec<Tried>, sqlx::Error> {
    sqlx::query_as!(
        Tried,
        "UPDATE codes SET request_attempts = request_attempts + 1
         WHERE request_id = $1 AND lower(email) = lower($2) AND consumed_at IS NULL AND superseded_at IS NULL
           AND expires_at > clock_timestamp() AND attempts < $3 AND request_attempts < $3
         RETURNING id, user_id",
        request_id,
        email,
        CODE_ATTEMPTS,
    )
    .fetch_all(conn)
    .await
}

/// The live codes to this address, a registration's first. Nothing is counted on them: anyone who submits a code to all of
/// them is counted elsewhere.
pub async fn live(conn: &mut PgConnection, email: &str) -> Result<Vec<Tried>, sqlx::Error> {
    sqlx::query_as!(
        Tried,
        "SELECT id, user_id FROM codes
         WHERE lower(email) = lower($1) AND consumed_at IS NULL AND superseded_at IS NULL
           AND expires_at > clock_timestamp() AND attempts < $2
         ORDER BY purpose = 'registration' DESC, created_at DESC LIMIT $3",
        email,
        CODE_ATTEMPTS,
        (1 + CHANGES_TO_ONE_ADDRESS) * (OWN_CODES + STRANGERS_CODES),
    )
    .fetch_all(conn)
    .await
}

/// How many codes of an account can be used that strangers asked for.
pub async fn of_strangers(conn: &mut PgConnection, user_id: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM codes
           WHERE user_id = $1 AND is_strangers AND consumed_at IS NULL AND superseded_at IS NULL
             AND expires_at > clock_timestamp() AND attempts < $2"#,
        user_id.get(),
        CODE_ATTEMPTS,
    )
    .fetch_one(conn)
    .await
}

/// How many other accounts wait for a live code to change to this address. Callers for one address
/// wait for each other until their transaction ends.
pub async fn changes_to(conn: &mut PgConnection, email: &str, except: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('changes to ' || lower($1::text), 0)) IS NULL AS "locked!""#,
        email
    )
    .fetch_one(&mut *conn)
    .await?;
    sqlx::query_scalar!(
        r#"SELECT count(DISTINCT user_id) AS "count!" FROM codes
           WHERE lower(email) = lower($1) AND purpose = 'email_change' AND user_id <> $2
             AND consumed_at IS NULL AND superseded_at IS NULL AND expires_at > clock_timestamp()"#,
        email,
        except.get(),
    )
    .fetch_one(conn)
    .await
}

/// Uses a code up if it still lives.
pub async fn consume(
    conn: &mut PgConnection,
    id: CodeId,
    now: OffsetDateTime,
) -> Result<Option<Consumed>, sqlx::Error> {
    sqlx::query_as!(
        Consumed,
        "UPDATE codes SET consumed_at = $2
         WHERE id = $1 AND consumed_at IS NULL AND superseded_at IS NULL AND expires_at > $2
         RETURNING user_id, purpose, email",
        id.get(),
        now,
    )
    .fetch_optional(conn)
    .await
}

/// Whether a code for a purpose can still be submitted.
pub async fn is_alive(
    conn: &mut PgConnection,
    user_id: UserId,
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
            SELECT FROM codes WHERE user_id = $1 AND purpose = $2 AND consumed_at IS NULL AND superseded_at IS NULL
               AND expires_at > $3 AND attempts < $4) AS "alive!""#,
        user_id.get(),
        purpose.into_str(),
        now,
        CODE_ATTEMPTS,
    )
    .fetch_one(conn)
    .await
}

/// How many codes were sent since a moment because the account asked for them, or somebody from this address block, and
/// when the last one was.
pub async fn sent_since(
    conn: &mut PgConnection,
    user_id: UserId,
    block: Option<&str>,
    since: OffsetDateTime,
) -> Result<(i64, Option<OffsetDateTime>), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", max(created_at) AS last FROM codes
           WHERE user_id = $1 AND created_at > $2 AND block IS NOT DISTINCT FROM $3"#,
        user_id.get(),
        since,
        block,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.last))
}

/// The code if it may still be mailed. A code to change to an address that another account has is never mailed, while
/// everybody is answered as if it were: no answer distinguishes a known address from an unknown one (D-A13).
pub async fn mailable(conn: &mut PgConnection, id: CodeId) -> Result<Option<Mailable>, sqlx::Error> {
    sqlx::query_as!(
        Mailable,
        "SELECT c.email, u.name, c.expires_at FROM codes c JOIN users u ON u.id = c.user_id
         WHERE c.id = $1 AND c.consumed_at IS NULL AND c.superseded_at IS NULL AND c.expires_at > clock_timestamp()
           AND c.attempts < $2
           AND NOT EXISTS (SELECT FROM users other WHERE lower(other.email) = lower(c.email) AND other.id <> c.user_id)",
        id.get(),
        CODE_ATTEMPTS,
    )
    .fetch_optional(conn)
    .await
}

/// Forgets codes that died a week ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM codes WHERE expires_at < now() - interval '7 days'").execute(conn).await?;
    Ok(done.rows_affected())
}
