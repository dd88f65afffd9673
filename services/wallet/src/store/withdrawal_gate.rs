//! Whether withdrawals are accepted.

use sqlx::PgConnection;

/// Whether they are closed.
///
/// # Errors
/// The database's.
pub async fn is_closed(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!("SELECT closed FROM withdrawal_gate").fetch_one(conn).await
}

/// Closes them; `false` if they were closed before.
///
/// # Errors
/// The database's.
pub async fn close(conn: &mut PgConnection, cause: &str) -> Result<bool, sqlx::Error> {
    let closed = sqlx::query!(
        "UPDATE withdrawal_gate SET closed = true, cause = $1, changed_at = clock_timestamp() WHERE NOT closed",
        cause
    )
    .execute(conn)
    .await?;
    Ok(closed.rows_affected() == 1)
}
