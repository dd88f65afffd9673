use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

/// An authenticator as it is kept.
pub struct Kept {
    /// Its id, for which the secret is sealed.
    pub id: Uuid,
    /// The sealed secret.
    pub sealed_secret: Vec<u8>,
}

/// An authenticator in force.
pub struct InForce {
    pub kept: Kept,
    /// Since when.
    pub since: OffsetDateTime,
}

/// Writes an authenticator that waits for its first code, in place of the one that waited before.
pub async fn replace_pending(
    conn: &mut PgConnection,
    user_id: UserId,
    new: &Kept,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM authenticators WHERE user_id = $1 AND confirmed_at IS NULL", user_id.get())
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "INSERT INTO authenticators (id, user_id, sealed_secret, created_at) VALUES ($1, $2, $3, $4)",
        new.id,
        user_id.get(),
        new.sealed_secret,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The authenticator that waits for its first code since this moment or later.
pub async fn pending(
    conn: &mut PgConnection,
    user_id: UserId,
    since: OffsetDateTime,
) -> Result<Option<Kept>, sqlx::Error> {
    sqlx::query_as!(
        Kept,
        "SELECT id, sealed_secret FROM authenticators
         WHERE user_id = $1 AND confirmed_at IS NULL AND created_at > $2",
        user_id.get(),
        since,
    )
    .fetch_optional(conn)
    .await
}

pub async fn in_force(conn: &mut PgConnection, user_id: UserId) -> Result<Option<InForce>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT id, sealed_secret, confirmed_at AS "since!" FROM authenticators
           WHERE user_id = $1 AND confirmed_at IS NOT NULL"#,
        user_id.get(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| InForce { kept: Kept { id: row.id, sealed_secret: row.sealed_secret }, since: row.since }))
}

/// Puts one in force in place of the one before; the step of its first code is taken.
pub async fn confirm(
    conn: &mut PgConnection,
    user_id: UserId,
    id: Uuid,
    step: i64,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM authenticators WHERE user_id = $1 AND id <> $2", user_id.get(), id)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("UPDATE authenticators SET confirmed_at = $2, last_step = $3 WHERE id = $1", id, now, step)
        .execute(conn)
        .await?;
    Ok(())
}

/// Takes the code of a step; `false` if it, or a later one, was taken before.
pub async fn take_step(conn: &mut PgConnection, id: Uuid, step: i64) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("UPDATE authenticators SET last_step = $2 WHERE id = $1 AND last_step < $2", id, step)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets an account's authenticators that came into force at this moment or later, and those that wait for their code.
pub async fn forget_since(conn: &mut PgConnection, user_id: UserId, since: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM authenticators WHERE user_id = $1 AND coalesce(confirmed_at, 'infinity') >= $2",
        user_id.get(),
        since,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets an account's authenticators; `false` if there were none.
pub async fn forget(conn: &mut PgConnection, user_id: UserId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM authenticators WHERE user_id = $1", user_id.get()).execute(conn).await?;
    Ok(done.rows_affected() > 0)
}
