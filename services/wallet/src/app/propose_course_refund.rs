//! A treasurer proposes to refund the course (D-C9).

use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::proposal::Proposal;

use crate::app::propose_reversal::{ProposeReversal, open};
use crate::app::required_note;
use crate::domain::course_refund::{COURSE_REFUND, CourseRefund};
use crate::error::Error;
use crate::store::{postings, transactions};

/// Opens a proposal for another treasurer to confirm. The transaction of the command is the purchase.
///
/// # Errors
/// Invalid for a missing note, `NotFound`, `NotRefundable`, `AlreadyReversed`.
pub async fn propose_course_refund(db: &Db, command: &ProposeReversal) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeReversal, note: String) -> Result<Proposal, Error> {
    let line = transactions::find(conn, command.transaction_id).await?.ok_or(Error::NotFound)?;
    let posted = postings::of_course(conn, line.id).await?.ok_or(Error::NotRefundable)?;
    if posted.reversed_by.is_some() {
        return Err(Error::AlreadyReversed);
    }
    let change = CourseRefund {
        transaction_id: line.id,
        reference: line.reference(),
        reverses: posted.id,
        amount_cents: posted.amount,
        note,
    };
    open(conn, command, COURSE_REFUND, line.user_id, &change).await
}
