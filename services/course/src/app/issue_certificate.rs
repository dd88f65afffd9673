//! A member gets a certificate (D-C8).

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::validate::is_text;
use uuid::Uuid;

use super::access::check;
use crate::clients::Wallet;
use crate::domain::certificate::{Certificate, LONGEST_NAME, is_earned};
use crate::error::Error;
use crate::store::versions::{self, Texts};
use crate::store::{certificates, progress};

/// The member's certificate; the first call issues it, to this name. It stays when later versions have more lessons.
///
/// # Errors
/// `Refused` (field `holder_name`), `Locked`, `LessonsLeft` unless all lessons of the published version are done.
pub async fn issue_certificate(
    db: &Db,
    wallet: &Wallet,
    user_id: Uuid,
    holder_name: String,
) -> Result<Certificate, Error> {
    if let Some(certificate) = certificates::of_member(&mut *db.conn().await?, user_id).await? {
        return Ok(certificate);
    }
    if !is_text(&holder_name, 1, LONGEST_NAME) {
        return Err(Refusal::field("holder_name", "The name has 1 to 100 characters.").into());
    }
    check(wallet, user_id, false).await?;
    let mut tx = db.begin().await?;
    let version = versions::published(&mut tx).await?.ok_or(Error::NotPublished)?;
    let course = versions::load(&mut tx, version, Texts::LeftOut).await?.ok_or(Error::NotPublished)?;
    if !is_earned(&course, &progress::list(&mut tx, user_id).await?) {
        return Err(Error::LessonsLeft);
    }
    let certificate = Certificate {
        number: Uuid::new_v4(),
        user_id,
        holder_name: Some(holder_name),
        course_title: course.title,
        issued_at: clock::now(&mut tx).await?,
    };
    certificates::insert(&mut tx, &certificate).await?;
    // Another call may have been first.
    let kept = certificates::of_member(&mut tx, user_id).await?.ok_or(Error::CertificateNotFound)?;
    tx.commit().await?;
    Ok(kept)
}
