//! ListProposals: changes of the staff, newest first.

use chassis::proposal::{self, Proposal};
use proto::common::v1::ProposalStatus;
use uuid::Uuid;

use super::App;
use crate::error::Error;

/// Up to `limit` proposals of one status, or all, before the one that the cursor names; with the cursor of the next page.
pub async fn list_proposals(
    app: &App,
    status: ProposalStatus,
    before: Option<Uuid>,
    limit: i64,
) -> Result<(Vec<Proposal>, Option<Uuid>), Error> {
    let mut rows = proposal::list(&mut *app.db.conn().await?, status, before, limit + 1).await?;
    let has_more = i64::try_from(rows.len()).is_ok_and(|found| found > limit);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = rows.last().filter(|_| has_more).map(|last| last.id);
    Ok((rows, next))
}
