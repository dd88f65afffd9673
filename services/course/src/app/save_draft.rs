//! A manager saves or discards the draft (D-C4).

use chassis::clock;
use chassis::db::Db;
use chassis::id::StaffId;

use crate::domain::course::Course;
use crate::domain::draft::Draft;
use crate::error::Error;
use crate::store::{drafts, versions};

/// The draft afterwards. A draft may be unfinished, and need not be fit for publication; no course discards it.
///
/// # Errors
/// `TooLarge`, `Stale` if it was changed after the caller read it.
pub async fn save_draft(db: &Db, by: StaffId, revision: i32, course: Option<&Course>) -> Result<Draft, Error> {
    if course.is_some_and(Course::is_too_large) {
        return Err(Error::TooLarge);
    }
    let mut tx = db.begin().await?;
    versions::lock(&mut tx).await?;
    let before = drafts::get(&mut tx).await?;
    if before.as_ref().map_or(0, |draft| draft.revision) != revision {
        return Err(Error::Stale);
    }
    let changed_at = clock::now(&mut tx).await?;
    let draft = Draft { revision: revision + 1, course: course.cloned(), changed_by: by, changed_at };
    drafts::put(&mut tx, &draft).await?;
    tx.commit().await?;
    Ok(draft)
}
