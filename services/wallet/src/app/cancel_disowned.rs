//! A member reported, with a link of a security email, that someone else used the account: a withdrawal that was never
//! confirmed is cancelled (D-A6).

use chassis::audit;
use chassis::clock;
use chassis::db::PgConnection;
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::reject_transaction::release;
use crate::error::Error;
use crate::events::published;
use crate::posting;
use crate::store::transactions;

/// Cancels the member's open withdrawal and releases its hold, if its destination still waits for confirmation and it was
/// requested before the report. One that the owner requests afterwards stays, however late the report arrives.
pub async fn cancel_disowned(conn: &mut PgConnection, user_id: Uuid, reported_at: OffsetDateTime) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, user_id).await?;
    let open = transactions::lock_open_withdrawal(conn, user_id).await?;
    let disowned = open.filter(|one| one.needs_confirmation() && one.created_at <= reported_at);
    let Some(mut withdrawal) = disowned else { return Ok(()) };
    withdrawal.cancel(now);
    transactions::save(conn, &mut withdrawal).await?;
    release(conn, &withdrawal, now).await?;
    published::withdrawal_rejected(&withdrawal).enqueue(conn).await?;
    let after = json!({ "status": withdrawal.status, "userId": user_id, "cause": "ACTIVITY_DISOWNED" });
    Ok(audit::append_own(conn, "withdrawal.cancel", &withdrawal.id.to_string(), after).await?)
}
