//! ListProposals: lists changes of the staff and resets of second factors.

use chassis::page::{Listed, Page};
use chassis::proposal::{self, Proposal};
use proto::common::v1::ProposalStatus;
use uuid::Uuid;

use super::App;
use crate::error::Error;

/// A page of the proposals of one status or all, newest first, and the cursor of the next page.
pub async fn list_proposals(app: &App, status: ProposalStatus, page: &Page<Uuid>) -> Result<Listed<Proposal>, Error> {
    Ok(proposal::list(&mut *app.db.conn().await?, status, page).await?)
}
