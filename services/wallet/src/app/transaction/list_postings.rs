//! Lists the journal for staff.

use chassis::db::Db;
use chassis::error::Refusal;

use crate::domain::cursor::JournalCursor;
use crate::error::Error;
use crate::store::postings::{self, JournalPosting};

/// Postings of a run: what one file holds.
const RUN: i64 = 10_000;

/// A page of a run of postings.
#[derive(Debug, Clone)]
pub struct Page {
    /// In the order in which they were complete.
    pub postings: Vec<JournalPosting>,
    /// Where the next page of the run begins; unset on the last.
    pub next: Option<JournalCursor>,
    /// The end of the run, where the next one begins; unset only in an empty ledger.
    pub end: Option<JournalCursor>,
}

/// The postings behind a place, up to the end of their run. A page without an end begins a run: it ends with the last
/// posting that is complete by now. One that is committed later stands behind all of these, regardless of its id.
///
/// # Errors
/// Invalid on the field `cursor` if there is no such place yet.
pub async fn list_postings(
    db: &Db,
    after: Option<JournalCursor>,
    end: Option<JournalCursor>,
    size: u16,
) -> Result<Page, Error> {
    let mut conn = db.conn().await?;
    let from = after.unwrap_or_default();
    for place in [Some(from), end].into_iter().flatten() {
        if !postings::has_begun(&mut conn, place.xid).await? {
            return Err(Refusal::field("cursor", "This page link is not valid.").into());
        }
    }
    let end = match end {
        Some(end) => end,
        None => match postings::end_of_run(&mut conn, from, RUN).await? {
            Some(end) => end,
            None => return Ok(Page { postings: Vec::new(), next: None, end: after }),
        },
    };
    let postings = postings::between(&mut conn, from, end, i64::from(size)).await?;
    let next = postings.last().map(|last| last.place).filter(|last| *last != end);
    Ok(Page { postings, next, end: Some(end) })
}
