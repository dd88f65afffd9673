//! A second person puts a correction or a reopening into effect, or one ends it.

use chassis::audit::{self, Act};
use chassis::caller::{Role, Staff, not_permitted};
use chassis::clock;
use chassis::db::Db;
use chassis::proposal::{self, Decision, Proposal};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::get_integrity;
use crate::app::propose_reopening::REOPEN;
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::correction::{Correction, CorrectionKind};
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::{transactions, withdrawal_stops};

/// What somebody decides.
#[derive(Debug, Clone)]
pub struct DecideProposal {
    /// A treasurer; for a reopening also an admin.
    pub staff: Staff,
    /// Which proposal.
    pub id: Uuid,
    /// How.
    pub decision: Decision,
    /// Where they sit.
    pub client_address: String,
}

/// Decides an open proposal; a confirmed one takes effect in the same transaction.
///
/// # Errors
/// NotFound, Conflict once decided, Forbidden for confirming one's own or another role's, `InsufficientBalance`,
/// `WithdrawalsNotStopped`, `BooksNotBalanced`, the database's.
pub async fn decide_proposal(db: &Db, command: &DecideProposal) -> Result<Proposal, Error> {
    let mut tx = db.begin().await?;
    let decided: Proposal =
        proposal::decide::<Error>(&mut tx, command.id, command.decision, command.staff.user_id).await?;
    if decided.kind != REOPEN && command.staff.role != Role::Treasurer {
        return Err(not_permitted().into());
    }
    let verb = match command.decision {
        Decision::Confirm => {
            match decided.kind.as_str() {
                REOPEN => reopen(&mut tx, &decided, command.staff.user_id).await?,
                _ => correct(&mut tx, &decided).await?,
            }
            "confirm"
        }
        Decision::Reject => "reject",
    };
    let act = Act {
        staff: &command.staff,
        action: &format!("{}.{verb}", decided.kind),
        subject_id: decided.id.to_string(),
        member_id: decided.subject_id,
        before: Some(json!({ "status": "open", "proposedBy": decided.proposed_by })),
        after: Some(json!({ "status": decided.status, "change": decided.change })),
        address: &command.client_address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(decided)
}

/// Withdrawals go on, unless the last look at the books saw something wrong. They are looked at every minute, and it may
/// take longer than a call may.
async fn reopen(conn: &mut PgConnection, proposal: &Proposal, confirmed_by: Uuid) -> Result<(), Error> {
    let wrong = match get_integrity::last_look(conn).await? {
        Some((check, true)) => check.complaints.into_iter().next(),
        _ => Some("The books have not been looked at for a while.".to_owned()),
    };
    if let Some(complaint) = wrong {
        return Err(Error::BooksNotBalanced(complaint));
    }
    if !withdrawal_stops::end(conn, proposal.proposed_by, confirmed_by).await? {
        return Err(Error::WithdrawalsNotStopped);
    }
    tracing::warn!(proposed_by = %proposal.proposed_by, %confirmed_by, "withdrawals are open again");
    Ok(())
}

async fn correct(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let correction: Correction = serde_json::from_value(proposal.change.clone()).map_err(uncorrectable)?;
    let user_id = proposal.subject_id.ok_or(Error::AccountMissing)?;
    let amount = correction.amount_cents;
    let house = |account| AccountRef::House(account);
    let (available, bonus) = (AccountRef::available(user_id), AccountRef::bonus(user_id));
    let (kind, direction, description, from, to) = match correction.kind {
        CorrectionKind::Bonus => (Kind::Bonus, Direction::Credit, "Bonus", house(HouseAccount::BonusExpense), bonus),
        CorrectionKind::Release => (Kind::Bonus, Direction::Credit, "Bonus released to your balance", bonus, available),
        CorrectionKind::AdjustmentCredit => {
            (Kind::Adjustment, Direction::Credit, "Correction by our team", house(HouseAccount::Adjustments), available)
        }
        CorrectionKind::AdjustmentDebit => {
            (Kind::Adjustment, Direction::Debit, "Correction by our team", available, house(HouseAccount::Adjustments))
        }
    };
    posting::lock_member(conn, user_id).await?;
    let mut line = Transaction::done(user_id, kind, direction, amount, now).described(description);
    let posting =
        Posting::transfer(correction.kind.as_str(), user_id, line.id, from, to, amount)?.settling(proposal.id);
    if correction.kind == CorrectionKind::Bonus {
        // It changes only what is shown as bonus: a mail, but no line in the history of the balance.
        posting::post(conn, &[Posting { transaction_id: None, ..posting }]).await?;
        line.id = proposal.id;
        published::bonus_granted(&line).enqueue(conn).await?;
        return Ok(());
    }
    posting::post(conn, &[posting]).await?;
    transactions::insert(conn, &line).await?;
    match correction.kind {
        CorrectionKind::Release => published::bonus_released(&line).enqueue(conn).await?,
        _ => published::balance_adjusted(&line).enqueue(conn).await?,
    }
    Ok(())
}

/// A change that is not what this service writes.
pub(crate) fn uncorrectable(error: serde_json::Error) -> Error {
    Error::Database(sqlx::Error::Decode(Box::new(error)))
}
