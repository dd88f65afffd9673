//! UpdateImage: sets the caller's photo to a stored file.

use uuid::Uuid;

use super::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// Sets it; returns the account as it stands then.
///
/// # Errors
/// [`Error::AccountFrozen`], a wrong key, the database's.
pub async fn update_image(app: &App, user_id: Uuid, image_key: &str) -> Result<User, Error> {
    let printable = image_key.bytes().all(|byte| byte.is_ascii_graphic());
    if !(1..=200).contains(&image_key.len()) || !printable {
        return Err(Error::field("image", "Choose an image"));
    }
    let mut tx = app.db.begin().await?;
    let mut user = users::lock(&mut tx, user_id).await?.ok_or(Error::NotFound("account"))?;
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    users::set_image(&mut tx, user.id, image_key).await?;
    tx.commit().await?;
    image_key.clone_into(&mut user.image_key);
    Ok(user)
}
