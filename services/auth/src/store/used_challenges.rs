use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Uses a challenge up; `false` if it was used before.
pub async fn insert(conn: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let done =
        sqlx::query!("INSERT INTO used_challenges (id, used_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", id, now)
            .execute(conn)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets those that are too old to be answered.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM used_challenges WHERE id = ANY (ARRAY(
            SELECT id FROM used_challenges WHERE used_at < now() - interval '1 hour' LIMIT 5000))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
