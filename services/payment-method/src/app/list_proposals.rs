//! Proposals, newest first.

use chassis::db::Db;
use chassis::proposal::{self, Proposal};
use proto::common::v1::ProposalStatus;
use uuid::Uuid;

use crate::error::Error;

/// Up to `limit` proposals of one status, or all, after the one the cursor names.
pub async fn list_proposals(
    db: &Db,
    status: ProposalStatus,
    cursor: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Proposal>, Error> {
    Ok(proposal::list(&mut *db.conn().await?, status, cursor, limit).await?)
}
