//! A member removes a note.

use chassis::db::Db;
use chassis::id::MemberId;

use super::access::check_lesson;
use crate::clients::Wallet;
use crate::domain::note::NoteId;
use crate::error::Error;
use crate::store::notes;

/// # Errors
/// `LessonNotFound`, `Locked`, `NoteNotFound`, also for another member's note.
pub async fn remove_note(
    db: &Db,
    wallet: &Wallet,
    user_id: MemberId,
    lesson_id: &str,
    id: NoteId,
) -> Result<(), Error> {
    check_lesson(db, wallet, user_id, lesson_id).await?;
    let mut tx = db.begin().await?;
    if !notes::remove(&mut tx, user_id, lesson_id, id).await? {
        return Err(Error::NoteNotFound);
    }
    tx.commit().await?;
    Ok(())
}
