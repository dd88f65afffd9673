//! A manager sets the captions of a video (D-C5).

use chassis::audit::{self, Act};
use chassis::db::{Db, PgConnection};
use chassis::error::{Kind, Refusal};
use chassis::hex::to_hex;
use chassis::identity::Staff;
use proto::common::v1::ErrorReason;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::domain::captions::{self as words, MOST_LANGUAGES, is_label, is_language};
use crate::domain::media::{self as domain, Captions, MediaId};
use crate::error::Error;
use crate::store::{captions, media};

/// All captions of the video then. Those who watch it get them at once, also in a published lesson.
///
/// # Errors
/// `MediaNotFound`, `Refused` (fields `language`, `label`, `vtt`).
pub async fn put_captions(
    db: &Db,
    staff: &Staff,
    id: MediaId,
    new: &Captions,
    vtt: &str,
    client_address: &str,
) -> Result<Vec<Captions>, Error> {
    let vtt = checked(new, vtt)?;
    let mut tx = db.begin().await?;
    let found = media::get(&mut tx, id).await?.filter(|media| media.kind == domain::Kind::Video);
    found.ok_or(Error::MediaNotFound)?;
    captions::put(&mut tx, id, new, &vtt).await?;
    let all = captions::list(&mut tx, id).await?;
    if i64::try_from(all.len()).unwrap_or(i64::MAX) > MOST_LANGUAGES {
        return Err(Refusal::field("language", "A video has captions in up to 20 languages.").into());
    }
    let after = json!({ "language": new.language, "label": new.label, "sha256": to_hex(&Sha256::digest(&vtt)) });
    audit(&mut tx, staff, "course.captions.put", (id, after), client_address).await?;
    tx.commit().await?;
    Ok(all)
}

/// Writes the row of the audit log about captions.
pub(super) async fn audit(
    conn: &mut PgConnection,
    staff: &Staff,
    action: &str,
    (id, after): (MediaId, Value),
    address: &str,
) -> Result<(), Error> {
    let subject_id = id.to_string();
    let act = Act { staff, action, subject_id, member_id: None, before: None, after: Some(after), address };
    Ok(audit::append(conn, act).await?)
}

fn checked(captions: &Captions, vtt: &str) -> Result<String, Error> {
    let mut fields = Vec::new();
    if !is_language(&captions.language) {
        fields.push(("language".to_owned(), "Enter a language such as en or pt-BR.".to_owned()));
    }
    if !is_label(&captions.label) {
        fields.push(("label".to_owned(), "Enter a name of up to 60 characters.".to_owned()));
    }
    match words::read(vtt) {
        Ok(vtt) if fields.is_empty() => return Ok(vtt),
        Ok(_) => {}
        Err(sentence) => fields.push(("vtt".to_owned(), sentence)),
    }
    let message = fields.first().map(|(_, sentence)| sentence.clone()).unwrap_or_default();
    let mut refusal = Refusal::new(Kind::Invalid, ErrorReason::ValidationFailed, message);
    refusal.fields = fields;
    Err(refusal.into())
}
