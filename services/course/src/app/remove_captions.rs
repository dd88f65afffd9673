//! A manager removes the captions of a video in a language (D-C5).

use chassis::db::Db;
use chassis::identity::Staff;
use serde_json::json;

use super::put_captions::audit;
use crate::domain::media::{Captions, MediaId};
use crate::error::Error;
use crate::store::captions;

/// All captions of the video then.
///
/// # Errors
/// `CaptionsNotFound`.
pub async fn remove_captions(
    db: &Db,
    staff: &Staff,
    id: MediaId,
    language: &str,
    client_address: &str,
) -> Result<Vec<Captions>, Error> {
    let mut tx = db.begin().await?;
    if !captions::remove(&mut tx, id, language).await? {
        return Err(Error::CaptionsNotFound);
    }
    audit(&mut tx, staff, "course.captions.remove", (id, json!({ "language": language })), client_address).await?;
    let all = captions::list(&mut tx, id).await?;
    tx.commit().await?;
    Ok(all)
}
