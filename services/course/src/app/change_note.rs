//! A member changes a note.

use chassis::clock;
use chassis::db::Db;
use chassis::id::MemberId;

use super::access::check_lesson;
use super::add_note::check;
use crate::clients::Wallet;
use crate::domain::note::{Note, NoteId, Written};
use crate::error::Error;
use crate::store::notes;

/// The note afterwards.
///
/// # Errors
/// As `add_note`, and `NoteNotFound`, also for another member's note.
pub async fn change_note(
    db: &Db,
    wallet: &Wallet,
    (user_id, lesson_id, id): (MemberId, &str, NoteId),
    written: &Written,
) -> Result<Note, Error> {
    check(written)?;
    check_lesson(db, wallet, user_id, lesson_id).await?;
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let note = notes::change(&mut tx, (user_id, lesson_id, id), written, now).await?.ok_or(Error::NoteNotFound)?;
    tx.commit().await?;
    Ok(note)
}
