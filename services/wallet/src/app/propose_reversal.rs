//! Staff propose to reverse a credit.

use chassis::audit::{self, Act};
use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{Answer, Claim, Work};
use chassis::identity::Staff;
use chassis::proposal::{self, Proposal};
use serde_json::json;
use uuid::Uuid;

use crate::domain::reversal::{self, REVERSAL, Reversal};
use crate::error::Error;
use crate::store::{accounts, postings, transactions};

#[derive(Debug, Clone)]
pub struct ProposeReversal {
    pub staff: Staff,
    /// The line whose effect is taken back.
    pub transaction_id: Uuid,
    pub note: String,
    pub client_address: String,
    pub claim: Option<Claim>,
}

/// Opens a proposal for a treasurer to confirm.
///
/// # Errors
/// Invalid for a missing note, `NotFound`, `NotReversible`, `AlreadyReversed`.
pub async fn propose_reversal(db: &Db, command: &ProposeReversal) -> Result<Answer<Proposal>, Error> {
    if !(1..=500).contains(&command.note.trim().chars().count()) {
        return Err(Refusal::field("note", "Please enter a reason of at most 500 characters.").into());
    }
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = propose(&mut work, command).await;
    work.settle(result).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeReversal) -> Result<Proposal, Error> {
    let line = transactions::find(conn, command.transaction_id).await?.ok_or(Error::NotFound)?;
    let posted = postings::reversible(conn, line.id).await?.ok_or(Error::NotReversible)?;
    if posted.reversed_by.is_some() {
        return Err(Error::AlreadyReversed);
    }
    let posting_kind = posted.kind.parse().map_err(|_| Error::NotReversible)?;
    reversal::source(posting_kind, line.user_id).ok_or(Error::NotReversible)?;
    let wallet = accounts::wallet(conn, line.user_id).await?.ok_or(Error::AccountMissing)?;
    let change = Reversal {
        transaction_id: line.id,
        reference: line.reference(),
        reverses: posted.id,
        posting_kind,
        amount_cents: posted.amount,
        note: command.note.trim().to_owned(),
    };
    let change = serde_json::to_value(&change).map_err(Error::unreadable_change)?;
    let before = json!({ "availableCents": wallet.available, "owedCents": wallet.owed });
    let by = command.staff.user_id;
    let proposal = proposal::open(conn, REVERSAL, Some(line.user_id), &change, Some(&before), by).await?;
    let act = Act {
        staff: &command.staff,
        action: "reversal.propose",
        subject_id: proposal.id.to_string(),
        member_id: Some(line.user_id),
        before: Some(before),
        after: Some(change),
        address: &command.client_address,
    };
    audit::append(conn, act).await?;
    Ok(proposal)
}
