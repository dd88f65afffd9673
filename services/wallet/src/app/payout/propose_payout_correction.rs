//! Treasurers propose what became of a payout that was sent and is not final.

use chassis::db::{Db, PgConnection};
use chassis::id::TransactionId;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::app::required_note;
use crate::domain::payout_correction::{Outcome, PAYOUT_CORRECTION, PayoutCorrection};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::store::transactions;

#[derive(Debug, Clone)]
pub struct ProposePayoutCorrection {
    pub call: StaffCall,
    pub transaction_id: TransactionId,
    pub outcome: Outcome,
    /// Of the other transaction.
    pub txid: Option<Txid>,
    pub note: String,
}

/// Opens a proposal for another treasurer to confirm.
///
/// # Errors
/// Invalid for a missing note, `NotFound` and `AlreadyDecided` for what is not on its way.
pub async fn propose_payout_correction(db: &Db, command: &ProposePayoutCorrection) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposePayoutCorrection, note: String) -> Result<Proposal, Error> {
    let sent = transactions::find(conn, command.transaction_id).await?.ok_or(Error::NotFound)?;
    sent.sent()?;
    let txid = match command.outcome {
        Outcome::OtherTransaction => command.txid.as_ref(),
        Outcome::NotSent => None,
        Outcome::Arrived => sent.txid(),
    };
    let change = PayoutCorrection {
        transaction_id: sent.id,
        reference: sent.reference(),
        revision: sent.revision,
        outcome: command.outcome,
        txid: txid.map(|txid| txid.text.clone()),
        txid_key: txid.map(|txid| txid.key.clone()),
        vout: txid.and_then(Txid::vout),
        note,
    };
    let change = serde_json::to_value(change).map_err(Error::unreadable_change)?;
    let before = json!({ "txid": sent.txid().map(|txid| &txid.text), "vout": sent.txid().and_then(Txid::vout) });
    let new = NewProposal {
        subject_id: Some(sent.user_id.get()),
        member_id: Some(sent.user_id),
        before: Some(before),
        ..NewProposal::new(&command.call.staff, &command.call.address, PAYOUT_CORRECTION, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
