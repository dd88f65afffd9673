//! Transfers of plans' cash between buckets: the table `cash_transfers`, and the accounts that they move.

use chassis::db::PgConnection;
use chassis::id::PlanId;
use chassis::money::Cents;
use uuid::Uuid;

/// Locks the cash of a plan in this bucket until the transaction ends. Returns how much it is.
pub async fn lock_cash(conn: &mut PgConnection, plan_id: PlanId) -> Result<Cents, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT lock_plan_cash($1) AS "cash!: Cents""#, plan_id.get()).fetch_one(conn).await
}

/// Records a transfer before its postings.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    plan_id: PlanId,
    (from, to): (u16, u16),
    amount: Cents,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO cash_transfers (id, plan_id, from_bucket, to_bucket, amount_cents)
         VALUES ($1, $2, $3::integer, $4::integer, $5)",
        id,
        plan_id.get(),
        i32::from(from),
        i32::from(to),
        amount.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}
