//! The captions of a video in WebVTT, for those who may open it (D-C5).

use chassis::db::Db;
use chassis::identity::Session;

use super::open_media::{OpenMedia, open_media};
use crate::clients::Wallet;
use crate::error::Error;
use crate::store::captions;

/// The text in this language.
///
/// # Errors
/// As `open_media`, and `CaptionsNotFound`.
pub async fn get_captions(
    db: &Db,
    wallet: &Wallet,
    caller: Option<Session>,
    command: &OpenMedia,
    language: &str,
) -> Result<String, Error> {
    let media = open_media(db, wallet, caller, command).await?;
    captions::vtt(&mut *db.conn().await?, media.id, language).await?.ok_or(Error::CaptionsNotFound)
}
