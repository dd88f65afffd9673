//! Holds on balances.

use chassis::db::PgConnection;
use chassis::id::{MemberId, StaffId};

use crate::domain::hold::{HOLDS_MAX, Hold, HoldId};

/// The holds that a clause finds.
macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Hold,
            r#"SELECT id, user_id, amount_cents AS "amount: _", reason_code AS "reason: _", placed_by, placed_at,
                released_by AS "released_by: _"
            FROM holds "# + $clause
            $(, $value)*
        )
    };
}

pub async fn insert(conn: &mut PgConnection, hold: &Hold) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by, placed_at) VALUES ($1, $2, $3, $4, $5, $6)",
        hold.id.get(),
        hold.user_id.get(),
        hold.amount.get(),
        hold.reason.into_str(),
        hold.placed_by.get(),
        hold.placed_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A member's hold, locked until the transaction ends. The member is to be locked before.
pub async fn lock(conn: &mut PgConnection, id: HoldId, user_id: MemberId) -> Result<Option<Hold>, sqlx::Error> {
    select!("WHERE id = $1 AND user_id = $2 FOR UPDATE", id.get(), user_id.get()).fetch_optional(conn).await
}

/// Ends a hold.
///
/// # Errors
/// Of the database, also if the hold was released before.
pub async fn release(conn: &mut PgConnection, id: HoldId, by: StaffId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE holds SET status = 'released', released_by = $2, released_at = clock_timestamp() WHERE id = $1",
        id.get(),
        by.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A member's holds in force, oldest first.
pub async fn of_member(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<Hold>, sqlx::Error> {
    let most = i64::try_from(HOLDS_MAX).unwrap_or(i64::MAX);
    select!("WHERE user_id = $1 AND status = 'placed' ORDER BY placed_at, id LIMIT $2", user_id.get(), most)
        .fetch_all(conn)
        .await
}
