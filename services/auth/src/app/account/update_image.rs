//! UpdateImage: sets the caller's photo to a stored file.

use chassis::id::UserId;

use crate::app::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// The account with its new photo.
pub struct UpdatedImage {
    pub user: User,
    /// Key of the photo before, to which nothing refers any more; empty if there was none.
    pub replaced: String,
}

/// # Errors
/// [`Error::AccountFrozen`]; wrong fields if the key is empty, too long or not printable.
pub async fn update_image(app: &App, user_id: UserId, image_key: &str) -> Result<UpdatedImage, Error> {
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
    let before = std::mem::replace(&mut user.image_key, image_key.to_owned());
    let replaced = if before == image_key { String::new() } else { before };
    Ok(UpdatedImage { user, replaced })
}
