//! Approvals recorded in the audit log.

use chassis::db::PgConnection;
use chassis::id::TransactionId;
use serde_json::Value;

/// What was approved to be paid out, and where; `None` for an approval by a version that did not record it.
pub async fn payout(conn: &mut PgConnection, withdrawal_id: TransactionId) -> Result<Option<Value>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "SELECT after -> 'payout' AS payout FROM audit_rows
         WHERE subject_id = $1 AND action = 'withdrawal.approve' ORDER BY id DESC LIMIT 1",
        withdrawal_id.to_string()
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.flatten())
}
