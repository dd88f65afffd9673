//! A treasurer proposes to rebuild the balance, entry count and head of an account from its entries; another confirms.

use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::required_note;
use crate::error::Error;
use crate::store::ledger_checks;

pub const REBUILD: &str = "ledger.rebuild";

#[derive(Debug, Clone)]
pub struct ProposeRebuild {
    pub call: StaffCall,
    pub account_id: i64,
    pub note: String,
}

/// The change that the proposal names; what the entries say is of the moment of the proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rebuild {
    /// The account, as text: ids of the house are beyond what JSON numbers keep in a browser.
    pub account_id: String,
    /// The sum of its entries.
    pub balance_cents: i64,
    pub entries: i64,
    pub note: String,
}

/// Opens a proposal for an account that does not verify.
///
/// # Errors
/// Invalid for a missing note, `AccountVerifies`.
pub async fn propose_rebuild(db: &Db, command: &ProposeRebuild) -> Result<Answer<Proposal>, Error> {
    let note = required_note(&command.note)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command, note).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeRebuild, note: String) -> Result<Proposal, Error> {
    let found = ledger_checks::faulty_account(conn, command.account_id).await?.ok_or(Error::AccountVerifies)?;
    let before = json!({ "balanceCents": found.stored_balance_cents, "entries": found.stored_entries });
    let rebuild = Rebuild {
        account_id: command.account_id.to_string(),
        balance_cents: found.balance_cents,
        entries: found.entries,
        note,
    };
    let change = serde_json::to_value(&rebuild).map_err(Error::unreadable_change)?;
    let new = NewProposal {
        before: Some(before),
        ..NewProposal::new(&command.call.staff, &command.call.address, REBUILD, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
