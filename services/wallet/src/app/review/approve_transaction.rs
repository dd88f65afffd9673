//! A reviewer approves a transaction: an incoming payment is posted, a withdrawal can be paid.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::error::Refusal;
use chassis::id::{StaffId, TransactionId};
use chassis::idempotency::{self, Answer};
use chassis::identity::PayoutState;
use chassis::keys::TrustedKeys;
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::app::payout::payout_state::check_payout_state;
use crate::app::{check_withdrawals_open, lock_transaction, review::get_review};
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::limits::{Limits, Proof};
use crate::domain::observed_payment::Output;
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{
    Arrival, Details, Direction, Kind, PayoutPrice, Purpose, Status, Transaction, Withdrawal,
};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::{accounts, consumed_payments, destinations, transactions};

#[derive(Debug, Clone)]
pub struct ApproveTransaction {
    pub call: StaffCall,
    pub id: TransactionId,
    /// What keeps payouts of the member waiting, as auth was asked for this call.
    pub member: PayoutState,
    /// The revision that was shown to them.
    pub revision: i32,
    /// How much one reviewer approves alone.
    pub limits: Limits,
    /// What arrived: needed for a deposit; by default the price of the course or a fee, and of a fee it must be that.
    pub received: Option<Cents>,
    /// Payments: the hash, and its outputs.
    pub txid: Option<Txid>,
    /// What is consumed: those outputs, with what the chain shows of them.
    pub outputs: Vec<Output>,
    /// How much proof the chain gives.
    pub proof: Proof,
    /// For the audit log.
    pub note: String,
}

/// Approves once. A large deposit waits for another reviewer after the first approval, which reserves its txid.
///
/// # Errors
/// `NotFound`, Invalid for what does not suit the kind, `StaleRevision`, `AlreadyDecided`, `TxidUsed`,
/// `SecondReviewerRequired`, `ApprovalDiffers`, `DestinationMissing`, `DestinationUnconfirmed`, `FeePending`,
/// `AmountOwed`, `MemberFrozen`, `PayoutsStopped`, `CoolingOff`, `WithdrawalsStopped`.
pub async fn approve_transaction(
    db: &Db,
    keys: &TrustedKeys,
    command: &ApproveTransaction,
) -> Result<Answer<Transaction>, Error> {
    let found = get_review::get(db, command.id).await?;
    check_fields(found.kind(), command)?;
    let signed = command.call.staff.sign(command.decided(&found), None).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| approve(conn, keys, command, &signed).await).await
}

fn check_fields(kind: Kind, command: &ApproveTransaction) -> Result<(), Refusal> {
    match kind {
        Kind::Deposit | Kind::Course | Kind::Fee if command.txid.is_none() => {
            Err(Refusal::field("txid", "Please enter the transaction hash."))
        }
        Kind::Deposit if command.received.is_none() => {
            Err(Refusal::field("receivedAmount", "Please enter the amount that was received."))
        }
        Kind::Withdrawal if command.received.is_some() => {
            Err(Refusal::field("receivedAmount", "A withdrawal has no received amount."))
        }
        Kind::Withdrawal if command.txid.is_some() => {
            Err(Refusal::field("txid", "The transaction hash is entered when the payout is marked as paid."))
        }
        Kind::Deposit | Kind::Course | Kind::Fee if command.proof > Proof::Proven && command.note.is_empty() => {
            Err(Refusal::field("note", "The chain does not prove this payment. Please state how it was verified."))
        }
        _ => Ok(()),
    }
}

impl ApproveTransaction {
    /// What it comes to for a transaction.
    fn decided(&self, one: &Transaction) -> Decided {
        let mut facts = output(self.txid.as_ref());
        facts["amountCents"] = json!(self.received.unwrap_or(one.amount));
        decided(one, "approve", Permission::Decide, &facts)
    }
}

async fn approve(
    conn: &mut PgConnection,
    keys: &TrustedKeys,
    command: &ApproveTransaction,
    signed: &Signed,
) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let mut transaction = lock_transaction(conn, command.id).await?;
    let before = trail(&transaction);
    let by = command.call.staff.id;
    transaction.check_open(command.revision, by)?;
    signed.check(&command.decided(&transaction))?;
    match (transaction.kind(), command.txid.clone()) {
        (Kind::Withdrawal, _) => {
            check_payout_state(&command.member, now)?;
            check_destination(conn, keys, &transaction).await?;
            approve_withdrawal(conn, &mut transaction, by, now).await?;
        }
        (_, Some(txid)) => {
            // A transaction has a column for one output only.
            let reserved = consumed_payments::outputs_of(conn, transaction.id).await?;
            transaction.reserve(reserved.iter().filter_map(|vout| u32::try_from(*vout).ok()));
            let arrival = Arrival { received: command.received, txid: txid.clone() };
            let is_proven = command.proof == Proof::Proven;
            let before = transactions::approved_alone(conn, (by, transaction.user_id), now).await?;
            let second_from = command.limits.second_reviewer_from(command.proof, before)?;
            transaction.confirm_payment(arrival, second_from, by, now)?;
            transactions::note_proof(conn, transaction.id, is_proven).await?;
            consumed_payments::consume(conn, &transaction, (&txid.key, &command.outputs), now).await?;
            transactions::save(conn, &mut transaction).await?;
            if transaction.status == Status::Success {
                take_effect(conn, &transaction, now).await?;
            }
        }
        // Transactions that take no decision are never open.
        (_, None) => return Err(Error::AlreadyDecided),
    }
    let action = format!("{}.approve", transaction.kind().into_str());
    let mut act = act(&command.call, &action, (before, &transaction), Some(&command.note));
    if let Some(after) = act.after.as_mut().filter(|_| command.proof > Proof::Proven) {
        after["unproven"] = json!(true);
    }
    audit::append_signed(conn, act, signed).await?;
    Ok(transaction)
}

/// A destination counts as confirmed if auth signed that, not because a row says so.
async fn check_destination(conn: &mut PgConnection, keys: &TrustedKeys, one: &Transaction) -> Result<(), Error> {
    let Some(to) = one.as_withdrawal().and_then(Withdrawal::payout_address) else { return Ok(()) };
    let known = destinations::find(conn, one.user_id, &to).await?;
    if known.is_some_and(|known| known.is_signed(keys)) { Ok(()) } else { Err(Error::DestinationUnconfirmed) }
}

async fn approve_withdrawal(
    conn: &mut PgConnection,
    transaction: &mut Transaction,
    by: StaffId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    check_withdrawals_open(conn).await?;
    // It decides what is paid out.
    if transactions::has_pending_fee(conn, transaction.id).await? {
        return Err(Error::FeePending);
    }
    if accounts::owed(conn, transaction.user_id).await? > Cents::ZERO {
        return Err(Error::AmountOwed);
    }
    transaction.approve_withdrawal(by, now)?;
    transactions::save(conn, transaction).await?;
    Ok(published::withdrawal_approved(transaction).enqueue(conn).await?)
}

/// Posts a confirmed payment to where it belongs.
async fn take_effect(conn: &mut PgConnection, one: &Transaction, now: OffsetDateTime) -> Result<(), Error> {
    let (from, cause) = (AccountRef::House(HouseAccount::Settlement), Cause::Transaction(one.id));
    match one.as_payment().map(|payment| payment.purpose) {
        Some(Purpose::Course) => take_course(conn, one, now).await?,
        Some(Purpose::Fee { withdrawal_id }) => take_fee(conn, one, withdrawal_id, now).await?,
        Some(Purpose::Deposit) => {
            let to = AccountRef::available(one.user_id);
            posting::post(
                conn,
                &[Posting::transfer(PostingKind::Deposit, cause, one.user_id, (from, to), one.amount)?],
            )
            .await?;
            published::deposit_confirmed(one).enqueue(conn).await?;
        }
        None => return Err(Error::AlreadyDecided),
    }
    Ok(())
}

/// What arrived buys the course and the rest is added to the balance; less than the price is added to the balance.
async fn take_course(conn: &mut PgConnection, one: &Transaction, now: OffsetDateTime) -> Result<(), Error> {
    let (from, cause) = (AccountRef::House(HouseAccount::Settlement), Cause::Transaction(one.id));
    let price = one.as_payment().and_then(|payment| payment.claimed_amount).unwrap_or(one.amount);
    let credit = if one.amount < price { one.amount } else { one.amount.minus(price)? };
    if one.amount >= price {
        let to = AccountRef::House(HouseAccount::CourseRevenue);
        posting::post(conn, &[Posting::transfer(PostingKind::Course, cause, one.user_id, (from, to), price)?]).await?;
        published::course_unlocked(one).enqueue(conn).await?;
    }
    if credit > Cents::ZERO {
        let why = if one.amount < price {
            format!(
                "{} of {price} for the course arrived ({}) and were added to your balance",
                one.amount,
                one.reference()
            )
        } else {
            format!("{} more than the price of the course arrived ({})", credit, one.reference())
        };
        let details = Details::Adjustment { direction: Direction::Credit, related_id: Some(one.id) };
        let line = Transaction::done(one.user_id, details, credit, now).described(why);
        transactions::insert(conn, &line).await?;
        let way = (from, AccountRef::available(one.user_id));
        let posting = Posting::transfer(PostingKind::CourseCredit, cause, one.user_id, way, credit)?;
        posting::post(conn, &[posting.shown_as(line.id)]).await?;
        published::balance_adjusted(&line).enqueue(conn).await?;
    }
    Ok(())
}

/// A fee that arrives while its withdrawal is open raises the payout to the full amount; one that arrives too late
/// belongs to the member.
async fn take_fee(
    conn: &mut PgConnection,
    fee: &Transaction,
    withdrawal_id: TransactionId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let (from, cause) = (AccountRef::House(HouseAccount::Settlement), Cause::Transaction(fee.id));
    let mut withdrawal = transactions::lock(conn, withdrawal_id).await?.ok_or(Error::NotFound)?;
    if withdrawal.status == Status::Pending {
        withdrawal.take_fee_payment()?;
        transactions::save(conn, &mut withdrawal).await?;
        let to = AccountRef::House(HouseAccount::FeeRevenue);
        posting::post(conn, &[Posting::transfer(PostingKind::Fee, cause, fee.user_id, (from, to), fee.amount)?])
            .await?;
    } else {
        let details = Details::Adjustment { direction: Direction::Credit, related_id: Some(withdrawal_id) };
        let credit = Transaction::done(fee.user_id, details, fee.amount, now)
            .described(format!("Fee payment {} added to your balance: its withdrawal had ended", fee.reference()));
        transactions::insert(conn, &credit).await?;
        let to = AccountRef::available(fee.user_id);
        let posting = Posting::transfer(PostingKind::FeeCredit, cause, fee.user_id, (from, to), fee.amount)?;
        posting::post(conn, &[posting.shown_as(credit.id)]).await?;
        published::balance_adjusted(&credit).enqueue(conn).await?;
    }
    Ok(published::fee_confirmed(fee).enqueue(conn).await?)
}

/// What is decided about a transaction, as auth signs it: the transaction as it was seen, and what the decision makes of it.
pub(crate) fn decided(one: &Transaction, verb: &str, permission: Permission, facts: &Value) -> Decided {
    let mut all = json!({
        "revision": one.revision,
        "userId": one.user_id,
        "amountCents": one.amount,
        "payout": payout(one),
        "price": price(one.as_withdrawal().and_then(|withdrawal| withdrawal.price.as_ref())),
    });
    if let (Some(all), Some(facts)) = (all.as_object_mut(), facts.as_object()) {
        all.extend(facts.clone());
    }
    Decided::new(format!("{}.{verb}", one.kind().into_str()), one.id, permission, all)
}

/// Which outputs of the blockchain a decision names.
pub(crate) fn output(txid: Option<&Txid>) -> Value {
    let mut facts = json!({ "txid": txid.map(|txid| &txid.key), "vout": txid.and_then(Txid::vout) });
    if let Some(several) = txid.filter(|txid| txid.outputs.len() > 1) {
        facts["outputs"] = json!(several.outputs);
    }
    facts
}

/// What a staff member did to a transaction, for the audit log: how they found it, how they left it, and their note.
pub(crate) fn act<'a>(
    call: &'a StaffCall,
    action: &'a str,
    (before, one): (Value, &Transaction),
    note: Option<&str>,
) -> Act<'a> {
    let mut after = trail(one);
    if let Some(note) = note {
        after["note"] = json!(note);
    }
    Act {
        staff: &call.staff,
        action,
        subject_id: one.id.to_string(),
        member_id: Some(one.user_id),
        before: Some(before),
        after: Some(after),
        address: &call.address,
    }
}

/// What the trail keeps of a transaction.
pub(crate) fn trail(one: &Transaction) -> Value {
    let withdrawal = one.as_withdrawal();
    let lease = withdrawal.and_then(|withdrawal| withdrawal.paying);
    let first = one.as_payment().and_then(|payment| payment.first_approval);
    json!({
        "status": one.status,
        "amountCents": one.amount,
        "netAmountCents": withdrawal.map(|withdrawal| withdrawal.net_amount),
        "txid": one.txid().map(|txid| &txid.text),
        "vout": one.txid().and_then(Txid::vout),
        "firstApproval": first.map(|first| json!({ "by": first.by, "receivedCents": first.received })),
        "reasonCode": one.reason_code,
        "approvedBy": withdrawal.and_then(|withdrawal| withdrawal.approval).map(|approval| approval.by),
        "paying": lease.map(|lease| json!({ "by": lease.by, "until": lease.until.unix_timestamp() })),
        "revision": one.revision,
        "payout": payout(one),
        "price": price(withdrawal.and_then(|withdrawal| withdrawal.price.as_ref())),
    })
}

/// What a withdrawal pays out, and where: its approval freezes and records it (D-B4).
pub(crate) fn payout(one: &Transaction) -> Option<Value> {
    one.as_withdrawal().map(|withdrawal| {
        json!({
            "netAmountCents": withdrawal.net_amount,
            "network": withdrawal.method.network,
            "address": withdrawal.destination.as_ref().map(|destination| &destination.address),
            "memo": withdrawal.destination.as_ref().map(|destination| &destination.memo),
        })
    })
}

/// How much of which asset a payout sends: its lease fixes and records it (D-N4).
pub(crate) fn price(price: Option<&PayoutPrice>) -> Value {
    json!(price.map(|price| {
        json!({
            "asset": price.asset,
            "contract": price.contract,
            "decimals": price.conversion.decimals,
            "units": price.units.to_string(),
            "rateMicros": price.conversion.rate.micros(),
            "spreadBps": price.conversion.spread_bps,
        })
    }))
}
