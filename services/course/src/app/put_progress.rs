//! Keeps how far a member has come in a lesson (D-C6).

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use uuid::Uuid;

use super::access::check_lesson;
use crate::clients::Wallet;
use crate::domain::progress::{Progress, Report};
use crate::error::Error;
use crate::store::progress;

/// The progress afterwards: that of this report, or of a later one that came first.
///
/// # Errors
/// `Refused` (field `position`), `LessonNotFound`, `Locked`.
pub async fn put_progress(db: &Db, wallet: &Wallet, user_id: Uuid, report: &Report) -> Result<Progress, Error> {
    if !report.has_valid_position() {
        return Err(Refusal::field("position", "The position is the number of seconds, up to a day.").into());
    }
    check_lesson(db, wallet, user_id, &report.lesson_id).await?;
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    progress::put(&mut tx, user_id, report, report.written_at(now), now).await?;
    let kept = progress::get(&mut tx, user_id, &report.lesson_id).await?.ok_or(Error::LessonNotFound)?;
    tx.commit().await?;
    Ok(kept)
}
