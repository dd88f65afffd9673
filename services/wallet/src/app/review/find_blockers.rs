//! Finds why an open transaction cannot be approved or paid, before anybody tries: what the decision would be refused with.

use chassis::db::PgConnection;
use chassis::id::StaffId;
use chassis::identity::PayoutState;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::check_withdrawals_open;
use crate::app::payout::mark_withdrawal_paid::check_as_approved;
use crate::app::payout::payout_state::check_payout_state;
use crate::domain::disowning::Report;
use crate::domain::transaction::{Status, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::store::{accounts, consumed_payments, transactions};

/// The refusals that hold for everybody. `member` is what keeps payouts of the member waiting, if that could be asked.
///
/// # Errors
/// Of the database.
pub async fn find_blockers(
    conn: &mut PgConnection,
    one: &Transaction,
    member: Option<&PayoutState>,
    now: OffsetDateTime,
) -> Result<Vec<Error>, Error> {
    if one.status != Status::Pending || one.is_sent() || one.as_withdrawal().is_none() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    if let Some(state) = member {
        found.extend(check_payout_state(state, now).err());
        let is_disowned = state.disowned_at.is_some_and(|at| Report { at }.covers(one));
        found.extend(Some(Error::Disowned).filter(|_| one.is_approved() && is_disowned));
    }
    match check_withdrawals_open(conn).await {
        Err(Error::WithdrawalsStopped) => found.push(Error::WithdrawalsStopped),
        open => open?,
    }
    if transactions::has_pending_fee(conn, one.id).await? {
        found.push(Error::FeePending);
    }
    if accounts::owed(conn, one.user_id).await? > Cents::ZERO {
        found.push(Error::AmountOwed);
    }
    if one.is_approved() {
        match check_as_approved(conn, one).await {
            Err(Error::NotApproved) => found.push(Error::NotApproved),
            as_approved => as_approved?,
        }
    } else {
        // Who approves makes no difference to what it is refused with.
        found.extend(one.clone().approve_withdrawal(StaffId::default(), now).err());
    }
    Ok(found)
}

/// Whether an open payment cannot be approved with the hash that is known of it, or with the one that is looked at instead: another
/// transaction consumes it, and the chain shows no other payment with this hash. `shown` are the hashes of those.
///
/// # Errors
/// Of the database.
pub async fn is_hash_used(
    conn: &mut PgConnection,
    one: &Transaction,
    chosen: Option<&Txid>,
    shown: &[String],
) -> Result<bool, Error> {
    let Some(payment) = one.as_payment().filter(|_| one.status == Status::Pending) else { return Ok(false) };
    let known = || one.known_txid().map(Txid::key_of);
    let Some(key) = chosen.map(|txid| txid.key.clone()).or_else(known) else { return Ok(false) };
    if shown.contains(&key) {
        return Ok(false);
    }
    let outputs: Vec<_> = chosen.into_iter().flat_map(|txid| &txid.outputs).copied().map(i64::from).collect();
    Ok(consumed_payments::is_used_by_another(conn, one, (&payment.method.network, &key, &outputs)).await?)
}

/// The refusals that depend on who decides.
#[must_use]
pub fn blockers_of(one: &Transaction, by: StaffId, now: OffsetDateTime) -> Vec<Error> {
    if one.status != Status::Pending || one.is_sent() {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(one.check_open(one.revision, by).err());
    if one.first_approval().is_some_and(|first| first.by == by) {
        found.push(Error::SecondReviewerRequired);
    }
    if one.is_approved() {
        found.extend(one.clone().lease_payout(None, by, now).err());
    }
    found
}
