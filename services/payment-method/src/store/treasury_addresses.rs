//! The table `treasury_addresses`.

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::error::Error;

/// Watches an address from now on.
pub async fn learn(
    conn: &mut PgConnection,
    network: &str,
    address: &str,
    found_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO treasury_addresses (address, network, found_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        address,
        network,
        found_at
    )
    .execute(conn)
    .await?;
    Ok(())
}
