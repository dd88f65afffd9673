//! A treasurer leases an approved withdrawal for paying it, or renews the lease. No other person can pay or reject it until
//! the lease ends.

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::error::Refusal;
use chassis::id::TransactionId;
use chassis::idempotency::{self, Answer};
use chassis::identity::PayoutState;
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::app::payout::mark_withdrawal_paid::lock_payout;
use crate::app::review::approve_transaction::{act, decided, price, trail};
use crate::app::review::get_review;
use crate::domain::disowning::Report;
use crate::domain::transaction::{PayoutPrice, Transaction};
use crate::error::Error;
use crate::store::{accounts, transactions};

/// What a treasurer is about to do.
#[derive(Debug, Clone)]
pub struct LeasePayout {
    pub call: StaffCall,
    pub id: TransactionId,
    /// What keeps payouts of its member waiting, as auth was asked for this call.
    pub member: PayoutState,
    /// The revision that was shown to them.
    pub revision: i32,
    /// What it sends, at the rate of now, or why there is none; unset for an asset that is never quoted.
    pub price: Result<Option<PayoutPrice>, Refusal>,
}

/// Leases the payout of an approved withdrawal to the treasurer for 15 minutes from now, at the rate of now.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `BeingPaid`, `StaleRevision`, `NotApproved`, `FeePending`, `DestinationMissing`,
/// `MemberFrozen`, `PayoutsStopped`, `Disowned`, `CoolingOff`, `SecondPersonRequired`, `WithdrawalsStopped`, `AmountOwed`.
pub async fn lease_payout(db: &Db, command: &LeasePayout) -> Result<Answer<Transaction>, Error> {
    let signed = command.call.staff.sign(command.decided(&get_review::get(db, command.id).await?), None).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| lease(conn, command, &signed).await).await
}

impl LeasePayout {
    /// What it comes to for a withdrawal.
    fn decided(&self, one: &Transaction) -> Decided {
        decided(
            one,
            "paying",
            Permission::Pay,
            &json!({ "price": price(self.price.as_ref().ok().and_then(Option::as_ref)) }),
        )
    }
}

async fn lease(conn: &mut PgConnection, command: &LeasePayout, signed: &Signed) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let by = command.call.staff.id;
    let mut transaction = lock_payout(conn, command.id, command.revision, by, &command.member).await?;
    if command.member.disowned_at.is_some_and(|at| Report { at }.covers(&transaction)) {
        return Err(Error::Disowned);
    }
    let before = trail(&transaction);
    signed.check(&command.decided(&transaction))?;
    if accounts::owed(conn, transaction.user_id).await? > Cents::ZERO {
        return Err(Error::AmountOwed);
    }
    transaction.lease_payout(command.price.clone().ok().flatten(), by, now)?;
    // Other refusals say more than that there is no rate.
    command.price.clone()?;
    transactions::save(conn, &mut transaction).await?;
    audit::append_signed(conn, act(&command.call, "withdrawal.paying", (before, &transaction), None), signed).await?;
    Ok(transaction)
}
