//! Returns which stored files belong to messages.

use chassis::db::Db;

use crate::error::Error;
use crate::store::files;

/// Those of these files that a message has.
///
/// # Errors
/// Of the database.
pub async fn list_owned_files(db: &Db, keys: &[String]) -> Result<Vec<String>, Error> {
    Ok(files::known_among(&mut *db.conn().await?, keys).await?)
}
