//! Reads the published course as a whole, for files (D-C4).

use chassis::db::Db;

use crate::domain::course::Course;
use crate::error::Error;
use crate::store::versions::{self, Texts};

/// The published version.
///
/// # Errors
/// `NotPublished` if there is none.
pub async fn export_course(db: &Db) -> Result<Course, Error> {
    let mut conn = db.conn().await?;
    let version = versions::published(&mut conn).await?.ok_or(Error::NotPublished)?;
    versions::load(&mut conn, version, Texts::Included).await?.ok_or(Error::NotPublished)
}
