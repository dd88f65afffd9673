//! The table `rate_polls`.

use chassis::db::PgConnection;

use crate::error::Error;

/// Claims the next round of asking the sources. False if another process began one less than 25 seconds ago: of several
/// processes one asks, and another takes over when it ends.
pub async fn begin(conn: &mut PgConnection) -> Result<bool, Error> {
    let begun = sqlx::query!(
        "UPDATE rate_polls SET begun_at = clock_timestamp() WHERE begun_at < clock_timestamp() - interval '25 seconds'"
    )
    .execute(conn)
    .await?;
    Ok(begun.rows_affected() == 1)
}
