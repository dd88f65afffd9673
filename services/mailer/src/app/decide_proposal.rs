//! A second person confirms an announcement, or rejects it, which its proposer may also do.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::Answer;
use chassis::proposal::{self, Apply, DecideProposal, Proposal};

use crate::domain::announcement::Draft;
use crate::error::Error;
use crate::store::announcements;

/// The decided proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal).
pub async fn decide_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    proposal::decide_and_apply(db, command, &Proposals).await
}

struct Proposals;

impl Apply for Proposals {
    type Error = Error;

    async fn apply(&self, conn: &mut PgConnection, decided: Proposal) -> Result<Proposal, Error> {
        let now = clock::now(conn).await?;
        let draft: Draft = serde_json::from_value(decided.change.clone())?;
        announcements::insert(conn, &draft.publish(decided.id.get().into(), now)).await?;
        Ok(proposal::name_subject(conn, decided.id, decided.id.get()).await?)
    }
}
