//! Proposes a rate to publish (D-Q2, D-R17).

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;

use crate::domain::rate::Publication;
use crate::error::Error;
use crate::store::assets;

pub const PUBLISH: &str = "rate.publish";

/// The open proposal, once a key.
///
/// # Errors
/// `Refused` (field `asset`) for a currency that is never quoted.
pub async fn propose_rate(db: &Db, call: &StaffCall, publication: &Publication) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| propose(conn, call, publication).await).await
}

async fn propose(conn: &mut PgConnection, call: &StaffCall, publication: &Publication) -> Result<Proposal, Error> {
    if !assets::all(conn).await?.iter().any(|asset| asset.symbol == publication.asset) {
        return Err(Refusal::field("asset", "Please choose a currency that can be quoted").into());
    }
    let change = serde_json::to_value(publication)?;
    let new = NewProposal::new(&call.staff, &call.address, PUBLISH, &change);
    Ok(proposal::open(conn, new).await?)
}
