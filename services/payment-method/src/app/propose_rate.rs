//! Proposes a rate to publish (D-Q2, D-R17).

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim};
use chassis::identity::Staff;
use chassis::proposal::{self, NewProposal, Proposal};

use crate::domain::rate::Publication;
use crate::error::Error;
use crate::store::assets;

pub const PUBLISH: &str = "rate.publish";

/// The open proposal, once a key.
///
/// # Errors
/// `Refused` (field `asset`) for a currency that is never quoted.
pub async fn propose_rate(
    db: &Db,
    staff: &Staff,
    publication: &Publication,
    address: &str,
    claim: Option<Claim>,
) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, claim, async |conn| propose(conn, staff, publication, address).await).await
}

async fn propose(
    conn: &mut PgConnection,
    staff: &Staff,
    publication: &Publication,
    address: &str,
) -> Result<Proposal, Error> {
    if !assets::all(conn).await?.iter().any(|asset| asset.symbol == publication.asset) {
        return Err(Refusal::field("asset", "Please choose a currency that can be quoted").into());
    }
    let change = serde_json::to_value(publication)?;
    let new = NewProposal {
        staff,
        address,
        kind: PUBLISH,
        subject_id: None,
        member_id: None,
        change: &change,
        before: None,
        logged: change.clone(),
    };
    Ok(proposal::open(conn, new).await?)
}
