//! ListOwnedFiles: returns which photos accounts reference.

use crate::app::App;
use crate::error::Error;
use crate::store::users;

/// Those of these files that are an account's photo.
pub async fn list_owned_files(app: &App, keys: &[String]) -> Result<Vec<String>, Error> {
    Ok(users::images_among(&mut *app.db.conn().await?, keys).await?)
}
