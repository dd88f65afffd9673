//! A version of the course, for staff.

use chassis::db::Db;

use crate::domain::course::Course;
use crate::error::Error;
use crate::store::versions::{self, Texts};

/// The version with its texts.
///
/// # Errors
/// `VersionNotFound`.
pub async fn get_version(db: &Db, number: i32) -> Result<Course, Error> {
    versions::load(&mut *db.conn().await?, number, Texts::Included).await?.ok_or(Error::VersionNotFound)
}
