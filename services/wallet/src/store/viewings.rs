//! Staff members who are viewing a transaction.

use chassis::db::PgConnection;
use chassis::id::{StaffId, TransactionId};

/// Records that a staff member views a transaction, and removes records that are over.
pub async fn note(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
    staff_id: StaffId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH over AS (
            DELETE FROM viewings WHERE (transaction_id, staff_id) IN (
                SELECT transaction_id, staff_id FROM viewings
                WHERE seen_at < now() - interval '1 minute' AND staff_id <> $2
                LIMIT 100 FOR UPDATE SKIP LOCKED)
        )
        INSERT INTO viewings (transaction_id, staff_id, seen_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (transaction_id, staff_id) DO UPDATE SET seen_at = excluded.seen_at",
        transaction_id.get(),
        staff_id.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The other staff members who viewed it within the last 20 seconds.
pub async fn others(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
    but: StaffId,
) -> Result<Vec<StaffId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT staff_id AS "staff_id: _" FROM viewings
         WHERE transaction_id = $1 AND staff_id <> $2 AND seen_at > clock_timestamp() - interval '20 seconds'
         ORDER BY staff_id"#,
        transaction_id.get(),
        but.get()
    )
    .fetch_all(conn)
    .await
}
