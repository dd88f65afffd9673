//! A manager begins an upload (D-C5).

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::StaffId;
use uuid::Uuid;

use crate::domain::media::{Kind, Limits, MOST_OWN_UPLOADS, MOST_UPLOADS, MediaId, is_name};
use crate::error::Error;
use crate::store::media;

/// The id of the file, of which nothing has arrived yet.
///
/// # Errors
/// `Refused` (fields `filename`, `length`), `FileTooLarge`, `TooManyUploads`.
pub async fn create_media(
    db: &Db,
    limits: Limits,
    by: StaffId,
    (kind, name, size): (Kind, &str, i64),
) -> Result<MediaId, Error> {
    if !is_name(name) {
        let sentence = "Enter the name of the file: up to 200 characters, without slashes and quotation marks.";
        return Err(Refusal::field("filename", sentence).into());
    }
    if size < 1 {
        return Err(Refusal::field("length", "The file is empty.").into());
    }
    if size > limits.of(kind) {
        return Err(Error::FileTooLarge(limits.of(kind)));
    }
    let mut tx = db.begin().await?;
    media::lock_uploads(&mut tx).await?;
    let (all, own) = media::count_uploads(&mut tx, by).await?;
    if all >= MOST_UPLOADS || own >= MOST_OWN_UPLOADS {
        return Err(Error::TooManyUploads);
    }
    let (id, now) = (MediaId::new(Uuid::new_v4()), clock::now(&mut tx).await?);
    media::insert(&mut tx, id, (kind, name, size), by, now).await?;
    tx.commit().await?;
    Ok(id)
}
