//! Lists proposals for staff.

use chassis::db::Db;
use chassis::proposal::{self, Proposal};
use proto::common::v1::ProposalStatus;
use uuid::Uuid;

use crate::error::Error;

/// Proposals behind a cursor, newest first, and whether there are more.
pub async fn list_proposals(
    db: &Db,
    status: ProposalStatus,
    after: Option<Uuid>,
    size: u16,
) -> Result<(Vec<Proposal>, bool), Error> {
    let mut found = proposal::list(&mut *db.conn().await?, status, after, i64::from(size) + 1).await?;
    let more = found.len() > usize::from(size);
    found.truncate(usize::from(size));
    Ok((found, more))
}
