//! Finds what the confirmation of an open proposal would be refused with now, before anybody tries.

use chassis::db::PgConnection;
use chassis::proposal::Proposal;
use serde::de::DeserializeOwned;

use crate::app::correction::decide_proposal::{check_books, enter, member_of, pause_of};
use crate::app::ledger::propose_rebuild::REBUILD;
use crate::app::ledger::propose_reopening::REOPEN;
use crate::app::treasury::propose_movement::check_funds;
use crate::domain::correction::{Correction, CorrectionKind};
use crate::domain::course_refund::{COURSE_REFUND, CourseRefund};
use crate::domain::payout_correction::{PAYOUT_CORRECTION, PayoutCorrection};
use crate::domain::reversal::{REVERSAL, Reversal};
use crate::domain::treasury::{MovementKind, TreasuryMovement};
use crate::error::Error;
use crate::store::{accounts, closed_wallets, postings, transactions, withdrawal_pauses};

/// Reads alone, and takes no lock: what changes until the confirmation is refused there.
///
/// # Errors
/// As `decide_proposal`: `InsufficientBalance`, `AlreadyReversed`, `AccountClosed`, `WithdrawalsNotStopped`, `StaleRevision`,
/// `BooksNotBalanced`, `NotBacked`.
pub async fn check_proposal(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let home = conn.home();
    enter(conn, proposal).await?;
    let checked = check(conn, proposal).await;
    let is_home = conn.enter(home).await;
    checked?;
    Ok(is_home?)
}

async fn check(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    match proposal.kind.as_str() {
        REOPEN => {
            check_books(conn).await?;
            let pause = withdrawal_pauses::in_force(conn).await?.ok_or(Error::WithdrawalsNotStopped)?;
            if pause.id == pause_of(proposal)? { Ok(()) } else { Err(Error::WithdrawalsNotStopped) }
        }
        // Its account is compared with its entries when it is confirmed: there may be millions.
        REBUILD => Ok(()),
        REVERSAL => {
            let reversal: Reversal = change(proposal)?;
            let posted = postings::reversible(conn, reversal.transaction_id).await?;
            check_not_reversed(posted.and_then(|posted| posted.reversed_by))
        }
        COURSE_REFUND => {
            let refund: CourseRefund = change(proposal)?;
            check_not_closed(conn, proposal).await?;
            let posted = postings::of_course(conn, refund.transaction_id).await?;
            check_not_reversed(posted.and_then(|posted| posted.reversed_by))
        }
        PAYOUT_CORRECTION => {
            let correction: PayoutCorrection = change(proposal)?;
            let sent = transactions::find(conn, correction.transaction_id).await?.ok_or(Error::NotFound)?;
            sent.sent()?;
            if sent.revision == correction.revision { Ok(()) } else { Err(Error::StaleRevision) }
        }
        kind if let Ok(kind) = kind.parse::<MovementKind>() => {
            let movement: TreasuryMovement = change(proposal)?;
            let book = check_funds(conn, kind, &movement, proposal.id).await?;
            if book == movement.book_cents { Ok(()) } else { Err(Error::StaleRevision) }
        }
        _ => {
            check_not_closed(conn, proposal).await?;
            check_balance(conn, proposal).await
        }
    }
}

fn change<T: DeserializeOwned>(proposal: &Proposal) -> Result<T, Error> {
    serde_json::from_value(proposal.change.clone()).map_err(Error::unreadable_change)
}

fn check_not_reversed<T>(reversed_by: Option<T>) -> Result<(), Error> {
    if reversed_by.is_some() { Err(Error::AlreadyReversed) } else { Ok(()) }
}

async fn check_not_closed(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let user_id = member_of(proposal)?;
    if closed_wallets::is_closed(conn, user_id).await? { Err(Error::AccountClosed) } else { Ok(()) }
}

/// A correction takes at most what is there.
async fn check_balance(conn: &mut PgConnection, proposal: &Proposal) -> Result<(), Error> {
    let correction: Correction = change(proposal)?;
    let user_id = member_of(proposal)?;
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    let has = match correction.kind {
        CorrectionKind::Release => wallet.bonus,
        CorrectionKind::AdjustmentDebit => wallet.available,
        CorrectionKind::Bonus | CorrectionKind::AdjustmentCredit => return Ok(()),
    };
    if has < correction.amount_cents { Err(Error::InsufficientBalance) } else { Ok(()) }
}
