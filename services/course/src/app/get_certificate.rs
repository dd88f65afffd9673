//! A certificate, for everybody who knows its number (D-C8).

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::certificate::Certificate;
use crate::error::Error;
use crate::store::certificates;

/// The certificate.
///
/// # Errors
/// `CertificateNotFound`.
pub async fn get_certificate(db: &Db, number: Uuid) -> Result<Certificate, Error> {
    certificates::get(&mut *db.conn().await?, number).await?.ok_or(Error::CertificateNotFound)
}
