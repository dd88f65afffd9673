//! Lists the journal for staff.

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;

use crate::domain::cursor::{JournalCursor, JournalPlaces};
use crate::error::Error;
use crate::store::postings::{self, JournalPosting};

/// Postings of a run: what one file holds.
const RUN: i64 = 10_000;

/// A page of a run of postings.
#[derive(Debug, Clone)]
pub struct Page {
    /// In the order in which they were complete, those of one bucket after those of another.
    pub postings: Vec<JournalPosting>,
    /// Where the next page of the run begins; unset on the last.
    pub next: Option<JournalPlaces>,
    /// The end of the run, where the next one begins; unset only in an empty ledger.
    pub end: Option<JournalPlaces>,
}

/// The postings behind a place, up to the end of their run. A page without an end begins a run: it ends with the last
/// posting that is complete by now. One that is committed later stands behind all of these, regardless of its id.
///
/// # Errors
/// Invalid on the field `cursor` if there is no such place yet.
pub async fn list_postings(
    db: &Db,
    after: Option<JournalPlaces>,
    end: Option<JournalPlaces>,
    size: u16,
) -> Result<Page, Error> {
    let mut conn = db.conn().await?;
    let buckets = usize::from(conn.buckets());
    // A bucket that was added meanwhile begins.
    let of_all = |places: JournalPlaces| {
        let mut places = places.0;
        places.resize(buckets.max(places.len()), JournalCursor::default());
        places
    };
    let (from, end) = (of_all(after.clone().unwrap_or_default()), end.map(of_all));
    for place in from.iter().chain(end.iter().flatten()) {
        if !postings::has_begun(&mut conn, place.xid).await? {
            return Err(not_valid().into());
        }
    }
    let end = match end {
        Some(end) => end,
        None => end_of_run(&mut conn, &from).await?,
    };
    if from.len() != buckets || end.len() != buckets {
        return Err(not_valid().into());
    }
    if from == end {
        return Ok(Page { postings: Vec::new(), next: None, end: after });
    }
    let (mut postings, mut next) = (Vec::new(), from);
    for (bucket, (place, end)) in (0..).zip(next.iter_mut().zip(&end)) {
        if postings.is_empty() && place != end {
            conn.enter(bucket).await?;
            postings = postings::between(&mut conn, *place, *end, i64::from(size)).await?;
            *place = postings.last().map_or(*end, |last| last.place);
        }
    }
    conn.enter(db.home().bucket).await?;
    let next = Some(JournalPlaces(next)).filter(|next| next.0 != end);
    Ok(Page { postings, next, end: Some(JournalPlaces(end)) })
}

/// The end of the run of each bucket behind these places.
async fn end_of_run(conn: &mut PgConnection, from: &[JournalCursor]) -> Result<Vec<JournalCursor>, Error> {
    let (mut ends, run) = (Vec::new(), RUN / i64::from(conn.buckets()));
    for (bucket, place) in (0..conn.buckets()).zip(from) {
        conn.enter(bucket).await?;
        ends.push(postings::end_of_run(conn, *place, run).await?.unwrap_or(*place));
    }
    conn.enter(conn.home()).await?;
    Ok(ends)
}

fn not_valid() -> Refusal {
    Refusal::field("cursor", "This page link is not valid.")
}
