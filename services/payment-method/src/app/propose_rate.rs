//! Proposes a rate to publish (D-Q2, D-R17).

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;

use crate::domain::rate::{Publication, last_known};
use crate::error::Error;
use crate::store::{assets, rate_points};

pub const PUBLISH: &str = "rate.publish";

/// The open proposal, once a key.
///
/// # Errors
/// `Refused` (field `asset`) for a currency that is never quoted; `RateTooFar` more than 20 % from the last known rate.
pub async fn propose_rate(db: &Db, call: &StaffCall, publication: &Publication) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| propose(conn, call, publication).await).await
}

async fn propose(conn: &mut PgConnection, call: &StaffCall, publication: &Publication) -> Result<Proposal, Error> {
    if !assets::all(conn).await?.iter().any(|asset| asset.symbol == publication.asset) {
        return Err(Refusal::field("asset", "Please choose a currency that can be quoted").into());
    }
    check_distance(conn, publication).await?;
    let change = serde_json::to_value(publication)?;
    let new = NewProposal::new(&call.staff, &call.address, PUBLISH, &change);
    Ok(proposal::open(conn, new).await?)
}

/// A rate is proposed and confirmed only near the last known one.
pub(crate) async fn check_distance(conn: &mut PgConnection, publication: &Publication) -> Result<(), Error> {
    let last = last_known(&rate_points::last(conn, &publication.asset).await?);
    match last.filter(|last| !publication.is_near(*last)) {
        Some(last) => Err(Error::RateTooFar(last)),
        None => Ok(()),
    }
}
