//! A member's notes on a lesson (D-C5).

use chassis::db::Db;
use chassis::id::MemberId;

use super::access::check_lesson;
use crate::clients::Wallet;
use crate::domain::note::Note;
use crate::error::Error;
use crate::store::notes;

/// In the order of their positions.
///
/// # Errors
/// `LessonNotFound`, `Locked`.
pub async fn list_notes(db: &Db, wallet: &Wallet, user_id: MemberId, lesson_id: &str) -> Result<Vec<Note>, Error> {
    check_lesson(db, wallet, user_id, lesson_id).await?;
    notes::list(&mut *db.conn().await?, user_id, lesson_id).await
}
