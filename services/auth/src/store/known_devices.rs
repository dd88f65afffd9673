//! The devices of accounts: by their key or, without one, by family and address block (D-R12).

use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;

use crate::domain::device::Device;

/// The account with this address, if it has logged in with this device key before.
pub async fn holder(conn: &mut PgConnection, email: &str, device_key: &str) -> Result<Option<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT u.id AS "id: _" FROM users u JOIN known_keys k ON k.user_id = u.id
         WHERE lower(u.email) = lower($1) AND k.device_key = $2"#,
        email,
        device_key,
    )
    .fetch_optional(conn)
    .await
}

/// Whether an account has logged in from this device before.
pub async fn knows(conn: &mut PgConnection, user_id: UserId, device: &Device) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT CASE WHEN $2::text IS NULL
                THEN EXISTS (SELECT FROM known_devices WHERE user_id = $1 AND family = $3 AND address_block = $4)
                ELSE EXISTS (SELECT FROM known_keys WHERE user_id = $1 AND device_key = $2) END AS "known!""#,
        user_id.get(),
        device.key,
        device.family,
        device.block,
    )
    .fetch_one(conn)
    .await
}

/// Whether an account has logged in from this address block before.
pub async fn knows_block(conn: &mut PgConnection, user_id: UserId, block: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM known_devices WHERE user_id = $1 AND address_block = $2)
               OR EXISTS (SELECT FROM known_keys WHERE user_id = $1 AND address_block = $2) AS "known!""#,
        user_id.get(),
        block,
    )
    .fetch_one(conn)
    .await
}

/// Notes a device. `true` if it is new and not the account's first.
pub async fn note(
    conn: &mut PgConnection,
    user_id: UserId,
    device: &Device,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let had_others = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM known_devices WHERE user_id = $1)
               OR EXISTS (SELECT FROM known_keys WHERE user_id = $1) AS "had_others!""#,
        user_id.get(),
    )
    .fetch_one(&mut *conn)
    .await?;
    let is_new = match &device.key {
        Some(key) => note_key(conn, user_id, (key, device), now).await?,
        None => note_family(conn, user_id, device, now).await?,
    };
    Ok(is_new && had_others)
}

async fn note_key(
    conn: &mut PgConnection,
    user_id: UserId,
    (key, device): (&str, &Device),
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"INSERT INTO known_keys (user_id, device_key, family, address_block, first_seen_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (user_id, device_key) DO UPDATE SET family = excluded.family, address_block = excluded.address_block
           RETURNING xmax = 0 AS "is_new!""#,
        user_id.get(),
        key,
        device.family,
        device.block,
        now,
    )
    .fetch_one(conn)
    .await
}

async fn note_family(
    conn: &mut PgConnection,
    user_id: UserId,
    device: &Device,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let noted = sqlx::query!(
        "INSERT INTO known_devices (user_id, family, address_block, first_seen_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        user_id.get(),
        device.family,
        device.block,
        now,
    )
    .execute(conn)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// Forgets the devices that an account was first used from at this moment or later, but never the first one of all.
pub async fn forget_since(conn: &mut PgConnection, user_id: UserId, since: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH seen AS (
            SELECT first_seen_at FROM known_devices WHERE user_id = $1
            UNION ALL SELECT first_seen_at FROM known_keys WHERE user_id = $1
        ), keys AS (
            DELETE FROM known_keys WHERE user_id = $1 AND first_seen_at >= $2
                AND first_seen_at > (SELECT min(first_seen_at) FROM seen)
        )
        DELETE FROM known_devices WHERE user_id = $1 AND first_seen_at >= $2
            AND first_seen_at > (SELECT min(first_seen_at) FROM seen)",
        user_id.get(),
        since,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets every device of an account.
pub async fn forget(conn: &mut PgConnection, user_id: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM known_devices WHERE user_id = $1", user_id.get()).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM known_keys WHERE user_id = $1", user_id.get()).execute(conn).await?;
    Ok(())
}
