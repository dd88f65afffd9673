//! The table `method_signatures`.

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::method::Method;
use crate::error::Error;

/// Writes a verified signature over a version; it takes the place of earlier ones.
pub async fn insert(
    conn: &mut PgConnection,
    method: &Method,
    signature: &str,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO method_signatures (method_id, version, signature, attached_at) VALUES ($1, $2, $3, $4)",
        method.id.get(),
        method.version,
        signature,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
