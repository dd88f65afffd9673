//! Returns which images are in use, or part of an open proposal.

use chassis::db::Db;

use crate::error::Error;
use crate::store::methods;

/// Those of these files that are the picture of a member's method as it is now, of any version of a platform method, or
/// of an open proposal.
pub async fn list_owned_files(db: &Db, keys: &[String]) -> Result<Vec<String>, Error> {
    methods::images_among(&mut *db.conn().await?, keys).await
}
