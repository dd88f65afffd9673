//! A chunk that is in the object store becomes the next part of an upload (D-C5).

use chassis::clock;
use chassis::db::Db;

use crate::domain::media::{Chunk, MOST_CHUNKS, MediaId, State};
use crate::error::Error;
use crate::store::media;

/// How many bytes of the file there are then; the last ones queue it.
///
/// # Errors
/// `MediaNotFound` (also for one that is removed or has failed), `OffsetMismatch`, `FileTooLarge` for more than was announced.
pub async fn append_media(db: &Db, id: MediaId, chunk: Chunk) -> Result<i64, Error> {
    let mut tx = db.begin().await?;
    let found = media::get(&mut tx, id).await?.ok_or(Error::MediaNotFound)?;
    if found.state == State::Failed {
        return Err(Error::MediaNotFound);
    }
    if found.received != chunk.begins_at || found.state != State::Uploading || chunk.bytes < 1 {
        return Err(Error::OffsetMismatch);
    }
    let is_too_much = chunk.bytes > found.size - found.received;
    if is_too_much || media::count_chunks(&mut tx, id).await? >= MOST_CHUNKS {
        return Err(Error::FileTooLarge(found.size));
    }
    let now = clock::now(&mut tx).await?;
    let received = media::append(&mut tx, id, chunk, now).await?.ok_or(Error::OffsetMismatch)?;
    tx.commit().await?;
    Ok(received)
}
