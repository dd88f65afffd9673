//! A second person confirms a correction, a reversal, a refund, what became of a payout, a treasury movement, a reopening or a
//! rebuild, or rejects it.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, StaffId};
use chassis::idempotency::Answer;
use chassis::proposal::{self, Apply, DecideProposal, Proposal};
use serde_json::Value;

use crate::app::ledger::check_ledger::FRESH;
use crate::app::ledger::propose_rebuild::{REBUILD, Rebuild};
use crate::app::ledger::propose_reopening::{PAUSE_ID, REOPEN};
use crate::app::lock_transaction;
use crate::app::payout::mark_withdrawal_paid::take_effect;
use crate::app::treasury::collect_cash::collect;
use crate::app::treasury::propose_movement::check_funds;
use crate::domain::account::{AccountRef, HouseAccount, PlanAccount};
use crate::domain::bucket::of_account;
use crate::domain::correction::{Correction, CorrectionKind};
use crate::domain::course_refund::{COURSE_REFUND, CourseRefund};
use crate::domain::observed_payment::{Finality, Output};
use crate::domain::payout_correction::{Outcome, PAYOUT_CORRECTION, PayoutCorrection};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::reversal::{REVERSAL, Reversal, way};
use crate::domain::transaction::{Details, Direction, Status, Transaction};
use crate::domain::treasury::{HOUSE, MovementKind, TreasuryMovement};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::{
    closed_wallets, consumed_payments, ledger_checks, member_buckets, postings, transactions, treasury,
    withdrawal_pauses,
};

/// Decides an open proposal. A treasurer may decide all, an admin only a reopening. A confirmed proposal takes effect in
/// the same transaction.
///
/// # Errors
/// NotFound, Conflict once decided, Forbidden for confirming one's own or another role's, `InsufficientBalance`,
/// `AlreadyReversed`, `AccountClosed`, `WithdrawalsNotStopped`, `StaleRevision`, `BooksNotBalanced`, `TxidUsed`.
pub async fn decide_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    proposal::decide_and_apply(db, command, &Proposals { decided_by: command.call.staff.id }).await
}

struct Proposals {
    decided_by: StaffId,
}

impl Apply for Proposals {
    type Error = Error;

    async fn apply(&self, conn: &mut PgConnection, decided: Proposal) -> Result<Proposal, Error> {
        let home = conn.home();
        enter(conn, &decided).await?;
        match decided.kind.as_str() {
            REOPEN => reopen(conn, &decided, self.decided_by).await?,
            REBUILD => rebuild(conn, &decided).await?,
            REVERSAL => reverse(conn, &decided).await?,
            COURSE_REFUND => refund(conn, &decided).await?,
            PAYOUT_CORRECTION => correct_payout(conn, &decided).await?,
            kind if let Ok(kind) = kind.parse::<MovementKind>() => move_treasury(conn, &decided, kind).await?,
            _ => correct(conn, &decided).await?,
        }
        conn.enter(home).await?;
        Ok(decided)
    }

    /// The subject of a correction, reversal, refund, payout or returned payment is a member.
    fn member_of(&self, proposal: &Proposal) -> Option<MemberId> {
        let is_return = proposal.change.get("transaction_id").is_some();
        let is_members = |_: &_| is_return || proposal.kind.parse::<MovementKind>().is_err();
        proposal.subject_id.filter(is_members).map(Into::into)
    }
}

/// Goes to the bucket that a proposal is about: that of its member or of its account, else the first.
pub(crate) async fn enter(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    if conn.buckets() == 1 {
        return Ok(());
    }
    let bucket = match (proposal.kind.as_str(), proposal.subject_id) {
        (REBUILD, _) => of_account(account_of(proposal)?),
        (_, Some(id)) => member_buckets::find(conn, id).await?.unwrap_or(0),
        _ => 0,
    };
    Ok(conn.enter(bucket).await?)
}

/// The account that a proposal has rebuilt.
fn account_of(proposal: &Proposal) -> Result<i64, Error> {
    let rebuild: Rebuild = serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    rebuild.account_id.parse().map_err(|_| Error::AccountMissing)
}

/// The member whom a correction, reversal or refund concerns.
pub(crate) fn member_of(proposal: &Proposal) -> Result<MemberId, Error> {
    proposal.subject_id.map(Into::into).ok_or(Error::AccountMissing)
}

/// Resumes withdrawals after the pause that the proposal names, unless the ledger has a fault or was not checked within the
/// last minutes.
async fn reopen(conn: &mut PgConnection, proposal: &Proposal, confirmed_by: StaffId) -> Result<(), Error> {
    check_books(conn).await?;
    let pause_id = pause_of(proposal)?;
    if !withdrawal_pauses::end(conn, pause_id, (proposal.proposed_by, confirmed_by)).await? {
        return Err(Error::WithdrawalsNotStopped);
    }
    tracing::warn!(proposed_by = %proposal.proposed_by, %confirmed_by, "withdrawals resumed");
    Ok(())
}

/// The ledger of no bucket has a fault, and each was checked within the last minutes.
pub(crate) async fn check_books(conn: &mut PgConnection) -> Result<(), Error> {
    let (now, check) = (clock::now(conn).await?, ledger_checks::state_of_all(conn).await?);
    if check.checked_at.is_none_or(|checked_at| now - checked_at >= FRESH) {
        return Err(Error::BooksNotBalanced("The last check of the ledger is too old.".to_owned()));
    }
    match ledger_checks::all_open_faults(conn, 1).await?.pop() {
        Some(fault) => Err(Error::BooksNotBalanced(fault.detail)),
        None => Ok(()),
    }
}

/// The pause that a proposal to resume names.
pub(crate) fn pause_of(proposal: &Proposal) -> Result<i64, Error> {
    proposal.change.get(PAUSE_ID).and_then(Value::as_i64).ok_or(Error::StaleRevision)
}

/// The account says what its entries say; the next check verifies it.
async fn rebuild(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let account_id = account_of(proposal)?;
    let done = ledger_checks::rebuild(conn, account_id, proposal.id).await?;
    tracing::warn!(account_id, ?done, "an account was rebuilt from its entries");
    Ok(())
}

async fn correct(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let correction: Correction = serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    let user_id = member_of(proposal)?;
    let amount = correction.amount_cents;
    let house = |account| AccountRef::House(account);
    let (available, bonus) = (AccountRef::available(user_id), AccountRef::bonus(user_id));
    let adjustment = |direction| Details::Adjustment { direction, related_id: None };
    let (details, description, from, to) = match correction.kind {
        CorrectionKind::Bonus => (Details::Bonus, "Bonus", house(HouseAccount::BonusExpense), bonus),
        CorrectionKind::Release => (Details::Bonus, "Bonus released to your balance", bonus, available),
        CorrectionKind::AdjustmentCredit => {
            let details = adjustment(Direction::Credit);
            (details, "Correction by our team", house(HouseAccount::Adjustments), available)
        }
        CorrectionKind::AdjustmentDebit => {
            let details = adjustment(Direction::Debit);
            (details, "Correction by our team", available, house(HouseAccount::Adjustments))
        }
    };
    posting::lock_member(conn, user_id).await?;
    if closed_wallets::is_closed(conn, user_id).await? {
        return Err(Error::AccountClosed);
    }
    let mut line = Transaction::done(user_id, details, amount, now).described(description);
    let cause = Cause::Proposal(proposal.id);
    let posting = Posting::transfer(correction.kind.posting_kind(), cause, user_id, (from, to), amount)?;
    if correction.kind == CorrectionKind::Bonus {
        // It changes only what is shown as bonus: a mail, but no line in the history of the balance.
        posting::post(conn, &[posting]).await?;
        line.id = proposal.id.get().into();
        published::bonus_granted(&line).enqueue(conn).await?;
        return Ok(());
    }
    posting::post(conn, &[posting.shown_as(line.id)]).await?;
    transactions::insert(conn, &line).await?;
    match correction.kind {
        CorrectionKind::Release => published::bonus_released(&line).enqueue(conn).await?,
        _ => published::balance_adjusted(&line).enqueue(conn).await?,
    }
    Ok(())
}

/// What a posting added or paid is taken back; what the balance lacks is owed. The payment is free for another transaction once
/// all of it is taken back.
async fn reverse(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let reversal: Reversal = serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    let user_id = member_of(proposal)?;
    let amount = reversal.amount_cents;
    posting::lock_member(conn, user_id).await?;
    let reversed = transactions::find(conn, reversal.transaction_id).await?.ok_or(Error::NotFound)?;
    let way = way(reversal.posting_kind, user_id).ok_or(Error::NotReversible)?;
    let ends_access = reversal.posting_kind == PostingKind::Course;
    let direction = if ends_access { Direction::Credit } else { Direction::Debit };
    let details = Details::Adjustment { direction, related_id: Some(reversed.id) };
    let line = Transaction::done(user_id, details, amount, now).described(format!(
        "{} {} reversed",
        reversed.kind().title(),
        reversed.reference()
    ));
    let cause = Cause::Proposal(proposal.id);
    let posting = Posting::transfer(PostingKind::Reversal, cause, user_id, way, amount)?;
    posting::post(conn, &[posting.shown_as(line.id)]).await?;
    transactions::insert(conn, &line).await?;
    if let Some(payment) = postings::undone_payment(conn, reversal.reverses).await? {
        consumed_payments::free(conn, payment, now).await?;
    }
    if ends_access {
        let reason = "Your payment for the course did not arrive after all, so access to the course has ended.";
        let failed = Transaction { status: Status::Failed, ..reversed }.described(reason);
        return Ok(published::deposit_rejected(&failed).enqueue(conn).await?);
    }
    Ok(published::balance_adjusted(&line).enqueue(conn).await?)
}

/// A payout that was sent has another transaction from now on, or none and can be paid again, or is paid as it arrived.
async fn correct_payout(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let correction: PayoutCorrection =
        serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    let mut transaction = lock_transaction(conn, correction.transaction_id).await?;
    transaction.sent()?;
    if transaction.revision != correction.revision {
        return Err(Error::StaleRevision);
    }
    if correction.outcome == Outcome::Arrived {
        transaction.settle_payout(now)?;
        transactions::save(conn, &mut transaction).await?;
        return take_effect(conn, &transaction, &Finality::Unobserved, now).await;
    }
    let txid = correction.txid();
    transaction.correct_payout(txid.clone())?;
    consumed_payments::free(conn, transaction.id, now).await?;
    if let Some(txid) = txid {
        let output = Output { vout: txid.vout(), paid: None };
        consumed_payments::consume(conn, &transaction, (&txid.key, &[output]), now).await?;
    }
    Ok(transactions::save(conn, &mut transaction).await?)
}

/// The operator's money, or cash and assets of a plan, move as the proposal says, and its payment is consumed.
async fn move_treasury(conn: &mut PgConnection, proposal: &Proposal, kind: MovementKind) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let movement: TreasuryMovement =
        serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    // One after the other, so that two do not spend the same.
    posting::lock_treasury(conn).await?;
    if check_funds(conn, kind, &movement, proposal.id).await? != movement.book_cents {
        return Err(Error::StaleRevision);
    }
    if let (MovementKind::PlanReturned | MovementKind::PlanLoss, Some(plan_id)) = (kind, movement.plan_id) {
        let home = conn.home();
        collect(conn, home, plan_id, movement.amount_cents).await?;
    }
    if let Some(payment) = &movement.payment {
        consumed_payments::consume_for_movement(conn, proposal.id, payment, kind.is_outgoing(), now).await?;
        if let Some(returned) = &movement.returned {
            // What arrived cannot be credited any more.
            let arrived = returned.arrived(&payment.network);
            consumed_payments::consume_for_movement(conn, proposal.id, &arrived, false, now).await?;
            let rejected = transactions::find(conn, returned.transaction_id).await?.ok_or(Error::NotFound)?;
            published::payment_returned(proposal.id, &rejected, &movement).enqueue(conn).await?;
        }
    }
    let Some(posting_kind) = kind.posting_kind() else { return Ok(()) };
    let subject = proposal.subject_id.unwrap_or(HOUSE);
    let moves = treasury::moves(conn, kind, &proposal.change).await?;
    let account = |name: &str| match name.parse::<PlanAccount>() {
        Ok(account) => Ok(AccountRef::Plan(subject.into(), account)),
        Err(_) => name.parse().map(AccountRef::House).map_err(|_| Error::AccountMissing),
    };
    let entries = moves.into_iter().map(|(name, cents)| Ok((account(&name)?, cents)));
    let entries = entries.collect::<Result<_, Error>>()?;
    let cause = Cause::Proposal(proposal.id);
    posting::post(
        conn,
        &[Posting { kind: posting_kind, cause, user_id: subject.into(), transaction_id: None, entries }],
    )
    .await
}

/// The price of the course goes back to the balance, and access ends with it.
async fn refund(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let refund: CourseRefund = serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)?;
    let user_id = member_of(proposal)?;
    posting::lock_member(conn, user_id).await?;
    if closed_wallets::is_closed(conn, user_id).await? {
        return Err(Error::AccountClosed);
    }
    let details = Details::Adjustment { direction: Direction::Credit, related_id: Some(refund.transaction_id) };
    let line = Transaction::done(user_id, details, refund.amount_cents, now)
        .described(format!("Course {} refunded", refund.reference));
    let way = (AccountRef::House(HouseAccount::CourseRevenue), AccountRef::available(user_id));
    let cause = Cause::Proposal(proposal.id);
    let posting = Posting::transfer(PostingKind::CourseRefund, cause, user_id, way, refund.amount_cents)?;
    posting::post(conn, &[posting.shown_as(line.id)]).await?;
    transactions::insert(conn, &line).await?;
    Ok(published::course_refunded(&line).enqueue(conn).await?)
}
