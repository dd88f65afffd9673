//! A reviewer rejects a transaction, with a reason for the member.

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::id::TransactionId;
use chassis::idempotency::{self, Answer};
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use serde_json::json;
use time::OffsetDateTime;

use crate::app::review::approve_transaction::{act, decided, trail};
use crate::app::{lock_transaction, review::get_review};
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::reason;
use crate::domain::transaction::{Details, Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::transactions;

#[derive(Debug, Clone)]
pub struct RejectTransaction {
    pub call: StaffCall,
    pub id: TransactionId,
    /// The revision that was shown to them.
    pub revision: i32,
    /// Why; the member reads its sentence.
    pub reason_code: String,
    /// For the trail, never for the member.
    pub note: String,
}

/// Rejects once; a withdrawal's hold is released.
///
/// # Errors
/// `NotFound`, Invalid for a reason that does not suit, `StaleRevision`, `AlreadyDecided`, `BeingPaid`.
pub async fn reject_transaction(db: &Db, command: &RejectTransaction) -> Result<Answer<Transaction>, Error> {
    let found = get_review::get(db, command.id).await?;
    reason::sentence(found.kind(), &command.reason_code)?;
    let signed = command.call.staff.sign(command.decided(&found), None).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| reject(conn, command, &signed).await).await
}

impl RejectTransaction {
    /// What it comes to for a transaction.
    fn decided(&self, one: &Transaction) -> Decided {
        decided(one, "reject", permission(one), &json!({ "reasonCode": self.reason_code }))
    }
}

/// An approved payout may be on its way: from then on only who pays it knows.
fn permission(one: &Transaction) -> Permission {
    let is_approved = one.as_withdrawal().is_some_and(|withdrawal| withdrawal.approval.is_some());
    if is_approved { Permission::RejectPayout } else { Permission::Decide }
}

async fn reject(conn: &mut PgConnection, command: &RejectTransaction, signed: &Signed) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let mut transaction = lock_transaction(conn, command.id).await?;
    let before = trail(&transaction);
    transaction.check_open(command.revision, command.call.staff.id)?;
    command.call.staff.check(permission(&transaction))?;
    signed.check(&command.decided(&transaction))?;
    transaction.reject(&command.reason_code, command.call.staff.id, now)?;
    transactions::save(conn, &mut transaction).await?;
    match transaction.kind() {
        Kind::Withdrawal => {
            release(conn, &transaction, now).await?;
            published::withdrawal_rejected(&transaction).enqueue(conn).await?;
        }
        Kind::Fee => published::fee_rejected(&transaction).enqueue(conn).await?,
        _ => published::deposit_rejected(&transaction).enqueue(conn).await?,
    }
    let action = format!("{}.reject", transaction.kind().into_str());
    let act = act(&command.call, &action, (before, &transaction), Some(&command.note));
    audit::append_signed(conn, act, signed).await?;
    Ok(transaction)
}

/// Gives the hold back, and the fee if it was paid from outside.
pub(crate) async fn release(conn: &mut PgConnection, one: &Transaction, now: OffsetDateTime) -> Result<(), Error> {
    let (held, available) = (AccountRef::held(one.user_id), AccountRef::available(one.user_id));
    let (user_id, cause) = (one.user_id, Cause::Transaction(one.id));
    let way = (held, available);
    let mut postings = vec![Posting::transfer(PostingKind::WithdrawalRelease, cause, user_id, way, one.amount)?];
    if let Some(fee) = transactions::confirmed_fee(conn, one.id).await? {
        let details = Details::Adjustment { direction: Direction::Credit, related_id: Some(one.id) };
        let refund = Transaction::done(one.user_id, details, fee.amount, now)
            .described(format!("Fee payment {} returned: its withdrawal was rejected", fee.reference()));
        transactions::insert(conn, &refund).await?;
        let revenue = AccountRef::House(HouseAccount::FeeRevenue);
        let cause = Cause::Transaction(fee.id);
        let posting = Posting::transfer(PostingKind::FeeRefund, cause, user_id, (revenue, available), fee.amount)?;
        postings.push(posting.shown_as(refund.id));
        published::balance_adjusted(&refund).enqueue(conn).await?;
    }
    posting::post(conn, &postings).await
}
