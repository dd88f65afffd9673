//! Staff members who claimed an open transaction.

use std::collections::HashMap;

use chassis::db::PgConnection;
use uuid::Uuid;

/// Claims a transaction for a staff member for 30 minutes, unless somebody else has it, and removes claims that are over.
pub async fn claim(conn: &mut PgConnection, transaction_id: Uuid, staff_id: Uuid) -> Result<(), sqlx::Error> {
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
        transaction_id,
        staff_id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a claim of the staff member who has it.
pub async fn release(conn: &mut PgConnection, transaction_id: Uuid, staff_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM claims WHERE transaction_id = $1 AND staff_id = $2", transaction_id, staff_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Who has a transaction.
pub async fn holder(conn: &mut PgConnection, transaction_id: Uuid) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT staff_id FROM claims
         WHERE transaction_id = $1 AND claimed_at > clock_timestamp() - interval '30 minutes'",
        transaction_id
    )
    .fetch_optional(conn)
    .await
}

/// Who has which transaction; the newest claims, as many as this.
pub async fn holders(conn: &mut PgConnection, limit: i64) -> Result<HashMap<Uuid, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT transaction_id, staff_id FROM claims
         WHERE claimed_at > clock_timestamp() - interval '30 minutes' ORDER BY claimed_at DESC LIMIT $1",
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.transaction_id, row.staff_id)).collect())
}
