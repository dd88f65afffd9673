//! A treasurer proposes to refund the course (D-C9).

use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer, Claim};
use chassis::identity::Staff;
use chassis::proposal::{self, NewProposal, Proposal};
use serde_json::json;
use uuid::Uuid;

use crate::app::required_note;
use crate::domain::course_refund::{COURSE_REFUND, CourseRefund};
use crate::error::Error;
use crate::store::{accounts, postings, transactions};

#[derive(Debug, Clone)]
pub struct ProposeCourseRefund {
    pub staff: Staff,
    /// The line of the purchase.
    pub transaction_id: Uuid,
    pub note: String,
    pub client_address: String,
    pub claim: Option<Claim>,
}

/// Opens a proposal for another treasurer to confirm.
///
/// # Errors
/// Invalid for a missing note, `NotFound`, `NotRefundable`, `AlreadyReversed`.
pub async fn propose_course_refund(db: &Db, command: &ProposeCourseRefund) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeCourseRefund, note: String) -> Result<Proposal, Error> {
    let line = transactions::find(conn, command.transaction_id).await?.ok_or(Error::NotFound)?;
    let posted = postings::of_course(conn, line.id).await?.ok_or(Error::NotRefundable)?;
    if posted.reversed_by.is_some() {
        return Err(Error::AlreadyReversed);
    }
    let wallet = accounts::wallet(conn, line.user_id).await?.ok_or(Error::AccountMissing)?;
    let change = CourseRefund {
        transaction_id: line.id,
        reference: line.reference(),
        reverses: posted.id,
        amount_cents: posted.amount,
        note,
    };
    let change = serde_json::to_value(&change).map_err(Error::unreadable_change)?;
    let before = json!({ "availableCents": wallet.available, "owedCents": wallet.owed });
    let new = NewProposal {
        staff: &command.staff,
        address: &command.client_address,
        kind: COURSE_REFUND,
        subject_id: Some(line.user_id),
        member_id: Some(line.user_id),
        change: &change,
        before: Some(before),
        logged: change.clone(),
    };
    Ok(proposal::open(conn, new).await?)
}
