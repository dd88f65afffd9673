use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Writes an account's codes in place of those before.
pub async fn replace(conn: &mut PgConnection, user_id: Uuid, hashes: &[Vec<u8>]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM recovery_codes WHERE user_id = $1", user_id).execute(&mut *conn).await?;
    sqlx::query!("INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])", user_id, hashes)
        .execute(conn)
        .await?;
    Ok(())
}

/// Uses a code up; `false` if it is none of the account's, or was used before.
pub async fn take(
    conn: &mut PgConnection,
    user_id: Uuid,
    hash: &[u8],
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL",
        user_id,
        hash,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// How many are left.
pub async fn left(conn: &mut PgConnection, user_id: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "left!" FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL"#,
        user_id
    )
    .fetch_one(conn)
    .await
}
