//! Proposes an announcement to all members (D-M7).

use chassis::db::Db;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;

use crate::domain::announcement::Draft;
use crate::error::Error;

pub const PUBLISH: &str = "announcement.publish";

/// The open proposal, once a key.
///
/// # Errors
/// Database.
pub async fn propose_announcement(db: &Db, call: &StaffCall, draft: &Draft) -> Result<Answer<Proposal>, Error> {
    let change = serde_json::to_value(draft)?;
    idempotency::once(db, call.claim.clone(), async |conn| {
        let new = NewProposal::new(&call.staff, &call.address, PUBLISH, &change);
        Ok::<_, Error>(proposal::open(conn, new).await?)
    })
    .await
}
