//! A treasurer records the payout of an approved withdrawal: it is on its way.

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::error::Refusal;
use chassis::id::{StaffId, TransactionId};
use chassis::idempotency::{self, Answer};
use chassis::identity::PayoutState;
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use time::OffsetDateTime;

use crate::app::payout::payout_state::check_payout_state;
use crate::app::review::approve_transaction::{act, decided, output, payout, price, trail};
use crate::app::{check_withdrawals_open, lock_transaction, review::get_review};
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::observed_payment::{Finality, Output};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{PayoutPrice, Status, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::{accounts, approvals, consumed_payments, transactions};

#[derive(Debug, Clone)]
pub struct MarkWithdrawalPaid {
    pub call: StaffCall,
    pub id: TransactionId,
    /// What keeps payouts of the member waiting, as auth was asked for this call.
    pub member: PayoutState,
    /// The revision that was shown to them.
    pub revision: i32,
    /// The hash of the payout, and its output.
    pub txid: Txid,
    /// What is consumed: that output, with what the chain shows of it.
    pub outputs: Vec<Output>,
    /// Whether the chain shows it at the destination since the approval.
    pub is_seen: bool,
    /// How far its payment is.
    pub finality: Finality,
    /// At the rate of now, for what was never leased, or why there is none; unset for an asset that is never quoted.
    pub price: Result<Option<PayoutPrice>, Refusal>,
}

/// Records the payout of an approved withdrawal, once. It ends as paid when its payment is final, or at once where no node
/// shows that.
///
/// # Errors
/// `NotFound`, `StaleRevision`, `AlreadyDecided`, `BeingPaid`, `NotBeingPaid`, `NotApproved`, `FeePending`,
/// `DestinationMissing`, `MemberFrozen`, `PayoutsStopped`, `CoolingOff`,
/// `SecondPersonRequired`, `TxidUsed`, `WithdrawalsStopped`, `AmountOwed` unless it is leased or seen.
pub async fn mark_withdrawal_paid(db: &Db, command: &MarkWithdrawalPaid) -> Result<Answer<Transaction>, Error> {
    let signed = command.sign(&get_review::get(db, command.id).await?).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| pay(conn, command, &signed).await).await
}

impl MarkWithdrawalPaid {
    /// What it comes to for a withdrawal.
    fn decided(&self, one: &Transaction) -> Decided {
        let mut facts = output(Some(&self.txid));
        let leased_at = one.as_withdrawal().and_then(|withdrawal| withdrawal.price.as_ref());
        facts["price"] = price(leased_at.or(self.price.as_ref().ok().and_then(Option::as_ref)));
        decided(one, "paid", Permission::Pay, &facts)
    }

    /// The treasurer's signature that it is the payout of a withdrawal.
    pub(crate) async fn sign(&self, one: &Transaction) -> Result<Signed, Error> {
        Ok(self.call.staff.sign(self.decided(one), None).await?)
    }
}

/// Records a payout that its treasurer signed.
pub(crate) async fn pay(
    conn: &mut PgConnection,
    command: &MarkWithdrawalPaid,
    signed: &Signed,
) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let by = command.call.staff.id;
    let mut transaction = lock_payout(conn, command.id, command.revision, by, &command.member).await?;
    let before = trail(&transaction);
    signed.check(&command.decided(&transaction))?;
    // The holder of the lease may have sent it already.
    let is_leased = transaction.as_withdrawal().is_some_and(|withdrawal| withdrawal.paying.is_some());
    if !is_leased && !command.is_seen && accounts::owed(conn, transaction.user_id).await? > Cents::ZERO {
        return Err(Error::AmountOwed);
    }
    transaction.pay_withdrawal(
        (command.txid.clone(), command.is_seen, command.finality != Finality::Open),
        command.price.clone().ok().flatten(),
        by,
        now,
    )?;
    command.price.clone()?;
    consumed_payments::consume(conn, &transaction, (&command.txid.key, &command.outputs), now).await?;
    transactions::save(conn, &mut transaction).await?;
    if transaction.status == Status::Success {
        take_effect(conn, &transaction, &command.finality, now).await?;
    }
    audit::append_signed(conn, act(&command.call, "withdrawal.paid", (before, &transaction), None), signed).await?;
    Ok(transaction)
}

/// Locks a withdrawal that nothing keeps this person from paying, apart from its approval.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `BeingPaid`, `StaleRevision`, `MemberFrozen`, `PayoutsStopped`, `CoolingOff`,
/// `WithdrawalsStopped`, `FeePending`, `NotApproved` when something else was approved.
pub(crate) async fn lock_payout(
    conn: &mut PgConnection,
    id: TransactionId,
    revision: i32,
    by: StaffId,
    member: &PayoutState,
) -> Result<Transaction, Error> {
    let transaction = lock_transaction(conn, id).await?;
    if transaction.as_withdrawal().is_none() {
        return Err(Error::NotFound);
    }
    transaction.check_open(revision, by)?;
    check_payout_state(member, clock::now(conn).await?)?;
    check_withdrawals_open(conn).await?;
    if transactions::has_pending_fee(conn, id).await? {
        return Err(Error::FeePending);
    }
    check_as_approved(conn, &transaction).await?;
    Ok(transaction)
}

/// What is paid, and where, is what the approval recorded.
pub(crate) async fn check_as_approved(conn: &mut PgConnection, one: &Transaction) -> Result<(), Error> {
    match approvals::payout(conn, one.id).await? {
        Some(approved) if payout(one).as_ref() != Some(&approved) => Err(Error::NotApproved),
        _ => Ok(()),
    }
}

/// Pays a withdrawal that was saved as paid out of the hold. What is known of its output by then is what it consumes.
pub(crate) async fn take_effect(
    conn: &mut PgConnection,
    one: &Transaction,
    finality: &Finality,
    now: OffsetDateTime,
) -> Result<(), Error> {
    if let (Finality::Final(output), Some(txid)) = (finality, one.txid())
        && consumed_payments::lacks_units(conn, one.id).await?
    {
        consumed_payments::free(conn, one.id, now).await?;
        consumed_payments::consume(conn, one, (&txid.key, std::slice::from_ref(output)), now).await?;
    }
    posting::post(conn, &[posting(one)?]).await?;
    Ok(published::withdrawal_paid(one).enqueue(conn).await?)
}

/// The hold goes out: the net amount from what the platform holds, the fee to its revenue unless it was paid before.
fn posting(one: &Transaction) -> Result<Posting, Error> {
    let net = one.as_withdrawal().ok_or(Error::NotFound)?.net_amount;
    let mut entries = vec![
        (AccountRef::held(one.user_id), one.amount.negated()?),
        (AccountRef::House(HouseAccount::Settlement), net),
        (AccountRef::House(HouseAccount::FeeRevenue), one.amount.minus(net)?),
    ];
    entries.retain(|(_, amount)| *amount != Cents::ZERO);
    let (kind, cause) = (PostingKind::WithdrawalPaid, Cause::Transaction(one.id));
    Ok(Posting { kind, cause, user_id: one.user_id, transaction_id: Some(one.id), entries })
}
