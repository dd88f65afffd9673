//! Keeps how far a member has come in a lesson (D-C6), and issues the certificate that the last lesson earns (D-C8).

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;

use super::access::{access, check_lesson};
use super::issuing;
use crate::clients::Wallet;
use crate::domain::progress::{Progress, Report};
use crate::error::Error;
use crate::store::progress;

/// The progress afterwards: that of this report, or of a later one that came first.
///
/// # Errors
/// `Refused` (field `position`), `LessonNotFound`, `Locked`.
pub async fn put_progress(db: &Db, wallet: &Wallet, user_id: MemberId, report: &Report) -> Result<Progress, Error> {
    if !report.has_valid_position() {
        return Err(Refusal::field("position", "The position is the number of seconds, up to a day.").into());
    }
    check_lesson(db, wallet, user_id, &report.lesson_id).await?;
    // Everybody may have done a preview, which earns nothing without the course.
    let may_earn = report.is_done == Some(true) && access(wallet, Some(user_id)).await?.has_purchased;
    let mut tx = db.begin().await?;
    if may_earn {
        // Of two reports at once that do the last two lessons, the later one sees both.
        progress::lock(&mut tx, user_id).await?;
    }
    let now = clock::now(&mut tx).await?;
    progress::put(&mut tx, user_id, report, report.written_at(now), now).await?;
    let kept = progress::get(&mut tx, user_id, &report.lesson_id).await?.ok_or(Error::LessonNotFound)?;
    if may_earn {
        issuing::certificate(&mut tx, user_id, report.holder_name.clone()).await?;
    }
    tx.commit().await?;
    Ok(kept)
}
