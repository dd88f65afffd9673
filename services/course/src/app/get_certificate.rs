//! A certificate, for everybody who knows its number (D-C8).

use chassis::db::Db;
use uuid::Uuid;

use super::access::access;
use crate::clients::Wallet;
use crate::domain::certificate::Certificate;
use crate::error::Error;
use crate::store::certificates;

/// The certificate, and whether it has ended, because the purchase was refunded since.
///
/// # Errors
/// `CertificateNotFound`.
pub async fn get_certificate(db: &Db, wallet: &Wallet, number: Uuid) -> Result<(Certificate, bool), Error> {
    let found = certificates::get(&mut *db.conn().await?, number).await?.ok_or(Error::CertificateNotFound)?;
    let has_ended = !access(wallet, Some(found.user_id)).await?.has_purchased;
    Ok((found, has_ended))
}
