//! A member writes a note on a lesson.

use chassis::clock;
use chassis::db::Db;
use chassis::error::{Kind, Refusal};
use chassis::id::MemberId;
use proto::common::v1::ErrorReason;
use uuid::Uuid;

use super::access::check_lesson;
use crate::clients::Wallet;
use crate::domain::note::{MOST_NOTES, Note, Written};
use crate::error::Error;
use crate::store::notes;

/// The note.
///
/// # Errors
/// `Refused` (fields `position`, `text`), `LessonNotFound`, `Locked`, `TooManyNotes`.
pub async fn add_note(
    db: &Db,
    wallet: &Wallet,
    user_id: MemberId,
    lesson_id: &str,
    written: &Written,
) -> Result<Note, Error> {
    check(written)?;
    check_lesson(db, wallet, user_id, lesson_id).await?;
    let mut tx = db.begin().await?;
    notes::lock(&mut tx, user_id).await?;
    if notes::count(&mut tx, user_id, lesson_id).await? >= MOST_NOTES {
        return Err(Error::TooManyNotes);
    }
    let now = clock::now(&mut tx).await?;
    let Written { position_seconds, text } = written.clone();
    let note = Note { id: Uuid::now_v7().into(), position_seconds, text, created_at: now, updated_at: now };
    notes::insert(&mut tx, user_id, lesson_id, &note).await?;
    tx.commit().await?;
    Ok(note)
}

/// Checks what a member writes.
pub(super) fn check(written: &Written) -> Result<(), Error> {
    let fields = written.findings();
    let Some((_, sentence)) = fields.first() else { return Ok(()) };
    let mut refusal = Refusal::new(Kind::Invalid, ErrorReason::ValidationFailed, sentence.clone());
    refusal.fields = fields;
    Err(refusal.into())
}
