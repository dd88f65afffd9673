//! A treasurer records the payouts of a batch, all or none, with the one transaction that pays them (D-N5).

use chassis::db::{Db, PgConnection};
use chassis::decision::Signed;
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;

use crate::app::payout::mark_withdrawal_paid::{MarkWithdrawalPaid, pay};
use crate::app::{enter, lock_transaction, review::get_review};
use crate::domain::transaction::{Status, Transaction};
use crate::error::Error;

#[derive(Debug, Clone)]
pub struct SendPayouts {
    pub call: StaffCall,
    /// Each with its output of the transaction.
    pub payouts: Vec<MarkWithdrawalPaid>,
}

/// Records each payout as sent before anything is sent, so that no payout can be sent twice, no matter which process dies when. One that is
/// recorded with the same output already stays as it is.
///
/// # Errors
/// Those of `mark_withdrawal_paid`, for the first payout that has one.
pub async fn send_payouts(db: &Db, command: &SendPayouts) -> Result<Answer<Vec<Transaction>>, Error> {
    let mut signed = Vec::new();
    for one in &command.payouts {
        let found = get_review::get(db, one.id).await?;
        signed.push(if is_recorded(&found, one) { None } else { Some(one.sign(&found).await?) });
    }
    idempotency::once(db, command.call.claim.clone(), async |conn| record(conn, command, &signed).await).await
}

async fn record(
    conn: &mut PgConnection,
    command: &SendPayouts,
    signed: &[Option<Signed>],
) -> Result<Vec<Transaction>, Error> {
    let mut batch: Vec<_> = command.payouts.iter().zip(signed).collect();
    // In one order for all, so that two batches do not wait for each other.
    batch.sort_by_key(|(one, _)| one.id);
    let mut done = Vec::new();
    let home = conn.home();
    for (one, signed) in batch {
        enter(conn, one.id).await?;
        let found = lock_transaction(conn, one.id).await?;
        done.push(match signed {
            _ if is_recorded(&found, one) => found,
            Some(signed) => pay(conn, one, signed).await?,
            None => return Err(Error::StaleRevision),
        });
    }
    conn.enter(home).await?;
    Ok(done)
}

fn is_recorded(found: &Transaction, one: &MarkWithdrawalPaid) -> bool {
    (found.is_sent() || found.status == Status::Success) && found.txid().is_some_and(|txid| txid.is(&one.txid))
}
