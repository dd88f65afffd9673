//! A treasurer proposes to refund the course (D-C9).

use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer};
use chassis::proposal::Proposal;
use chassis::staff_call::StaffCall;

use crate::app::correction::propose_reversal::open;
use crate::app::required_note;
use crate::domain::course_refund::{COURSE_REFUND, CourseRefund};
use crate::error::Error;
use crate::store::{accounts, postings, transactions};

#[derive(Debug, Clone)]
pub struct ProposeCourseRefund {
    pub call: StaffCall,
    /// The member, whose purchase gives access now.
    pub user_id: MemberId,
    pub note: String,
}

/// Opens a proposal for another treasurer to confirm.
///
/// # Errors
/// Invalid for a missing note, `MemberNotFound`, `NotRefundable`.
pub async fn propose_course_refund(db: &Db, command: &ProposeCourseRefund) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeCourseRefund, note: String) -> Result<Proposal, Error> {
    accounts::wallet(conn, command.user_id).await?.ok_or(Error::MemberNotFound)?;
    let id = postings::course_of(conn, command.user_id).await?.ok_or(Error::NotRefundable)?;
    let line = transactions::find(conn, id).await?.ok_or(Error::NotFound)?;
    let posted = postings::of_course(conn, line.id).await?.ok_or(Error::NotRefundable)?;
    let change = CourseRefund {
        transaction_id: line.id,
        reference: line.reference(),
        reverses: posted.id,
        amount_cents: posted.amount,
        note,
    };
    open(conn, &command.call, COURSE_REFUND, line.user_id, &change).await
}
