//! A manager ends an upload or removes a file (D-C5).

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::Db;
use chassis::identity::Staff;
use serde_json::json;

use crate::domain::media::MediaId;
use crate::error::Error;
use crate::store::{media, versions};

/// Nothing shows it from now on; the worker deletes its objects.
///
/// # Errors
/// `MediaNotFound`, `MediaInUse`.
pub async fn remove_media(db: &Db, staff: &Staff, id: MediaId, client_address: &str) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    // No version and no draft takes it meanwhile.
    versions::lock(&mut tx).await?;
    let found = media::get(&mut tx, id).await?.ok_or(Error::MediaNotFound)?;
    if media::is_in_use(&mut tx, id).await? {
        return Err(Error::MediaInUse);
    }
    let now = clock::now(&mut tx).await?;
    media::mark_removed(&mut tx, id, now).await?;
    let act = Act {
        staff,
        action: "course.media.remove",
        subject_id: id.to_string(),
        member_id: None,
        before: Some(json!({ "name": found.name, "size": found.size })),
        after: None,
        address: client_address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(())
}
