//! A treasurer gives up payouts that were prepared and not sent (D-N5): their leases end.

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::TransactionId;
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;

use crate::app::review::approve_transaction::{act, trail};
use crate::app::{enter, lock_transaction};
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

#[derive(Debug, Clone)]
pub struct DissolvePayouts {
    pub call: StaffCall,
    /// Each with the revision that was shown to them.
    pub payouts: Vec<(TransactionId, i32)>,
}

/// Ends the leases of all of these payouts, or of none. What they send stays fixed until somebody leases them again: a transaction
/// that was signed and appears after all is recognised by it.
///
/// # Errors
/// `NotFound`, `AlreadyDecided` for one that was sent, `BeingPaid` by somebody else, `StaleRevision`, `PayoutNotStarted`.
pub async fn dissolve_payouts(db: &Db, command: &DissolvePayouts) -> Result<Answer<Vec<Transaction>>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| dissolve(conn, command).await).await
}

async fn dissolve(conn: &mut PgConnection, command: &DissolvePayouts) -> Result<Vec<Transaction>, Error> {
    let now = clock::now(conn).await?;
    let mut payouts = command.payouts.clone();
    // In one order for all, so that two batches do not wait for each other.
    payouts.sort_unstable();
    let mut dissolved = Vec::new();
    let home = conn.home();
    for (id, revision) in payouts {
        enter(conn, id).await?;
        let mut transaction = lock_transaction(conn, id).await?;
        transaction.check_open(revision, command.call.staff.id)?;
        let before = trail(&transaction);
        transaction.end_lease()?;
        transactions::end_lease(conn, id, now).await?;
        audit::append(conn, act(&command.call, "withdrawal.end_lease", (before, &transaction), None)).await?;
        dissolved.push(transaction);
    }
    conn.enter(home).await?;
    Ok(dissolved)
}
