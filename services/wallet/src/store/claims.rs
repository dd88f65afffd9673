//! Staff members who claimed an open transaction.

use chassis::id::{StaffId, TransactionId};
use std::collections::HashMap;

use chassis::db::PgConnection;

/// Claims a transaction for a staff member for 30 minutes, unless somebody else has it, and removes claims that are over.
pub async fn claim(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
    staff_id: StaffId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH over AS (
            DELETE FROM claims WHERE transaction_id IN (
                SELECT transaction_id FROM claims
                WHERE claimed_at < clock_timestamp() - interval '1 hour' AND transaction_id <> $1
                LIMIT 100 FOR UPDATE SKIP LOCKED)
        )
        INSERT INTO claims (transaction_id, staff_id, claimed_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (transaction_id) DO UPDATE SET staff_id = excluded.staff_id, claimed_at = excluded.claimed_at
        WHERE claims.staff_id = excluded.staff_id OR claims.claimed_at < clock_timestamp() - interval '30 minutes'",
        transaction_id.get(),
        staff_id.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a claim of the staff member who has it.
pub async fn release(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
    staff_id: StaffId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM claims WHERE transaction_id = $1 AND staff_id = $2",
        transaction_id.get(),
        staff_id.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who has a transaction.
pub async fn holder(conn: &mut PgConnection, transaction_id: TransactionId) -> Result<Option<StaffId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT staff_id AS "staff_id: _" FROM claims
         WHERE transaction_id = $1 AND claimed_at > clock_timestamp() - interval '30 minutes'"#,
        transaction_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// Who has which transaction; the newest claims, as many as this.
pub async fn holders(conn: &mut PgConnection, limit: i64) -> Result<HashMap<TransactionId, StaffId>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT transaction_id, staff_id FROM claims
         WHERE claimed_at > clock_timestamp() - interval '30 minutes' ORDER BY claimed_at DESC LIMIT $1",
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.transaction_id.into(), row.staff_id.into())).collect())
}
