//! A member gets a certificate (D-C8).

use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::validate::is_text;

use super::access::check;
use super::issuing;
use crate::clients::Wallet;
use crate::domain::certificate::{Certificate, LONGEST_NAME};
use crate::error::Error;
use crate::store::{certificates, progress};

/// The member's certificate. The last lesson that is done issues it; this call does for anyone who had done all lessons before
/// that was so, or by a version with fewer of them. It stays when later versions have more lessons.
///
/// # Errors
/// `Refused` (field `holder_name`), `Locked`, `LessonsLeft` unless all lessons of the published version are done.
pub async fn issue_certificate(
    db: &Db,
    wallet: &Wallet,
    user_id: MemberId,
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
    progress::lock(&mut tx, user_id).await?;
    let certificate = issuing::certificate(&mut tx, user_id, Some(holder_name)).await?.ok_or(Error::LessonsLeft)?;
    tx.commit().await?;
    Ok(certificate)
}
