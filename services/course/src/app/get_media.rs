//! A file of the course, for staff.

use chassis::db::Db;

use crate::domain::media::{Captions, Media, MediaId};
use crate::error::Error;
use crate::store::{captions, media};

/// The file and its captions.
///
/// # Errors
/// `MediaNotFound`.
pub async fn get_media(db: &Db, id: MediaId) -> Result<(Media, Vec<Captions>), Error> {
    let mut conn = db.conn().await?;
    let found = media::get(&mut conn, id).await?.ok_or(Error::MediaNotFound)?;
    Ok((found, captions::list(&mut conn, id).await?))
}
