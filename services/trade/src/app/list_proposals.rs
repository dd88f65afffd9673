//! Lists proposals for staff.

use chassis::db::Db;
use chassis::page::{Listed, Page};
use chassis::proposal::{self, Proposal};
use proto::common::v1::ProposalStatus;
use uuid::Uuid;

use crate::error::Error;

/// A page of the proposals of one status or all, newest first, and the cursor of the next page.
pub async fn list_proposals(db: &Db, status: ProposalStatus, page: &Page<Uuid>) -> Result<Listed<Proposal>, Error> {
    Ok(proposal::list(&mut *db.conn().await?, status, page).await?)
}
