//! A treasurer proposes a bonus, its release, or an adjustment.

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer};
use chassis::money::Cents;
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::app::required_note;
use crate::domain::correction::{Correction, CorrectionKind};
use crate::error::Error;
use crate::store::accounts;

#[derive(Debug, Clone)]
pub struct ProposeCorrection {
    pub call: StaffCall,
    pub user_id: MemberId,
    pub correction: Correction,
}

/// Opens a proposal for another treasurer to confirm.
///
/// # Errors
/// Invalid for an amount or note that cannot be, `MemberNotFound`, `InsufficientBalance`.
pub async fn propose_correction(db: &Db, command: &ProposeCorrection) -> Result<Answer<Proposal>, Error> {
    check_fields(&command.correction)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command).await).await
}

fn check_fields(correction: &Correction) -> Result<(), Refusal> {
    if !(Cents::new(1)..=Cents::new(999_999_999_999)).contains(&correction.amount_cents) {
        return Err(Refusal::field("amount", "Please enter an amount above zero."));
    }
    required_note(&correction.note).map(drop)
}

async fn propose(conn: &mut PgConnection, command: &ProposeCorrection) -> Result<Proposal, Error> {
    // Accounts are created at registration: a user id without accounts is no member and must not get any by mistake.
    let wallet = accounts::wallet(conn, command.user_id).await?.ok_or(Error::MemberNotFound)?;
    let (kind, amount) = (command.correction.kind, command.correction.amount_cents);
    let short = match kind {
        CorrectionKind::Release => wallet.bonus < amount,
        CorrectionKind::AdjustmentDebit => wallet.available < amount,
        CorrectionKind::Bonus | CorrectionKind::AdjustmentCredit => false,
    };
    if short {
        return Err(Error::InsufficientBalance);
    }
    let change = serde_json::to_value(&command.correction).map_err(Error::unreadable_change)?;
    let before = json!({ "availableCents": wallet.available, "bonusCents": wallet.bonus });
    let new = NewProposal {
        subject_id: Some(command.user_id.get()),
        member_id: Some(command.user_id),
        before: Some(before),
        ..NewProposal::new(&command.call.staff, &command.call.address, kind.into_str(), &change)
    };
    Ok(proposal::open(conn, new).await?)
}
