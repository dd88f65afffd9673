use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;

/// Writes an account's codes in place of those before.
pub async fn replace(conn: &mut PgConnection, user_id: UserId, hashes: &[Vec<u8>]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM recovery_codes WHERE user_id = $1", user_id.get()).execute(&mut *conn).await?;
    sqlx::query!(
        "INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])",
        user_id.get(),
        hashes
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets an account's codes that were made at this moment or later.
pub async fn forget_since(conn: &mut PgConnection, user_id: UserId, since: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM recovery_codes WHERE user_id = $1 AND created_at >= $2", user_id.get(), since)
        .execute(conn)
        .await?;
    Ok(())
}

/// Uses a code up; returns since when the account has it. `None` if it is not the account's, or was used before.
pub async fn take(
    conn: &mut PgConnection,
    user_id: UserId,
    hash: &[u8],
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL
           RETURNING coalesce(created_at, 'epoch') AS "since!""#,
        user_id.get(),
        hash,
        now,
    )
    .fetch_optional(conn)
    .await
}

/// How many are left.
pub async fn left(conn: &mut PgConnection, user_id: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "left!" FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL"#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}
