use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::device::Device;

/// Whether an account logged in from this address block before.
pub async fn knows_place(conn: &mut PgConnection, user_id: Uuid, device: &Device) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM known_devices WHERE user_id = $1 AND address_block = $2) AS "known!""#,
        user_id,
        device.block,
    )
    .fetch_one(conn)
    .await
}

/// Notes a device. `true` if it is new and not the account's first.
pub async fn note(
    conn: &mut PgConnection,
    user_id: Uuid,
    device: &Device,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    // The subquery sees the table as it was before the insertion.
    let noted = sqlx::query_scalar!(
        r#"INSERT INTO known_devices (user_id, family, address_block, first_seen_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT DO NOTHING
           RETURNING EXISTS (SELECT FROM known_devices WHERE user_id = $1) AS "had_others!""#,
        user_id,
        device.family,
        device.block,
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(noted.unwrap_or(false))
}

/// Forgets every device of an account.
pub async fn forget(conn: &mut PgConnection, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM known_devices WHERE user_id = $1", user_id).execute(conn).await?;
    Ok(())
}
