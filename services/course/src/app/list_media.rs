//! The files of the course, for staff.

use std::collections::HashMap;

use chassis::db::Db;

use crate::domain::media::{Captions, Media, MediaId};
use crate::error::Error;
use crate::store::{captions, media};

/// The newest files with their captions, newest first.
///
/// # Errors
/// If the database does not answer.
pub async fn list_media(db: &Db) -> Result<Vec<(Media, Vec<Captions>)>, Error> {
    let mut conn = db.conn().await?;
    let found = media::list(&mut conn).await?;
    let mut of_media = HashMap::<MediaId, Vec<Captions>>::new();
    for (id, captions) in captions::of_newest(&mut conn).await? {
        of_media.entry(id).or_default().push(captions);
    }
    let with_captions = |media: Media| {
        let captions = of_media.remove(&media.id).unwrap_or_default();
        (media, captions)
    };
    Ok(found.into_iter().map(with_captions).collect())
}
