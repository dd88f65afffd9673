//! Staff propose to reverse what came in.

use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, TransactionId};
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde::Serialize;
use serde_json::json;

use crate::app::required_note;
use crate::domain::reversal::{self, REVERSAL, Reversal};
use crate::error::Error;
use crate::store::{accounts, postings, transactions};

#[derive(Debug, Clone)]
pub struct ProposeReversal {
    pub call: StaffCall,
    /// The line whose effect is taken back.
    pub transaction_id: TransactionId,
    pub note: String,
}

/// Opens a proposal for a treasurer to confirm.
///
/// # Errors
/// Invalid for a missing note, `NotFound`, `NotReversible`, `AlreadyReversed`.
pub async fn propose_reversal(db: &Db, command: &ProposeReversal) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeReversal, note: String) -> Result<Proposal, Error> {
    let line = transactions::find(conn, command.transaction_id).await?.ok_or(Error::NotFound)?;
    let posted = postings::reversible(conn, line.id).await?.ok_or(Error::NotReversible)?;
    if posted.reversed_by.is_some() {
        return Err(Error::AlreadyReversed);
    }
    let posting_kind = posted.kind.parse().map_err(|_| Error::NotReversible)?;
    reversal::way(posting_kind, line.user_id).ok_or(Error::NotReversible)?;
    // What was bought from the balance is refunded.
    if posted.is_course() && line.as_payment().is_none() {
        return Err(Error::NotReversible);
    }
    let change = Reversal {
        transaction_id: line.id,
        reference: line.reference(),
        reverses: posted.id,
        posting_kind,
        amount_cents: posted.amount,
        note,
    };
    open(conn, &command.call, REVERSAL, line.user_id, &change).await
}

/// Opens a proposal to reverse the effect of a transaction on a member's balance.
pub(crate) async fn open(
    conn: &mut PgConnection,
    call: &StaffCall,
    kind: &'static str,
    user_id: MemberId,
    change: &impl Serialize,
) -> Result<Proposal, Error> {
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    let change = serde_json::to_value(change).map_err(Error::unreadable_change)?;
    let before = json!({ "availableCents": wallet.available, "owedCents": wallet.owed });
    let new = NewProposal {
        subject_id: Some(user_id.get()),
        member_id: Some(user_id),
        before: Some(before),
        ..NewProposal::new(&call.staff, &call.address, kind, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
