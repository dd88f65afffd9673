//! Changes a personal method: a new version, so that what was paid out to the old one stays readable.

use chassis::clock;
use chassis::db::Db;
use chassis::id::{MemberId, MethodId};

use crate::domain::method::{Fields, Method, Scope};
use crate::error::Error;
use crate::store::methods;

/// What becomes of the picture when the fields carry none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// The method keeps the one it has.
    Keep,
    /// The method has the one of the fields, or none.
    Replace,
}

#[derive(Debug)]
pub struct Updated {
    pub method: Method,
    /// Key of the previous picture, which is not shown any more; empty if there was none, or it stays.
    pub replaced: String,
}

/// The method as changed.
///
/// # Errors
/// `NotFound`, `PlatformMethod`, `PlatformAddress`.
pub async fn update_payment_method(
    db: &Db,
    user_id: MemberId,
    id: MethodId,
    mut fields: Fields,
    picture: Picture,
) -> Result<Updated, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let before = match methods::lock(&mut tx, id).await? {
        Some((method, _)) if method.scope == Scope::Platform => return Err(Error::PlatformMethod),
        Some((method, owner)) if owner == Some(user_id) => method,
        _ => return Err(Error::NotFound),
    };
    if methods::is_platform_address(&mut tx, &fields.address).await? {
        return Err(Error::PlatformAddress);
    }
    if picture == Picture::Keep && fields.image_key.is_empty() {
        fields.image_key.clone_from(&before.fields.image_key);
    }
    let method = methods::change(&mut tx, &before, fields, now).await?;
    tx.commit().await?;
    chassis::crash_point!("payment_method.update.after_commit");
    let before = before.fields.image_key;
    let replaced = if before == method.fields.image_key { String::new() } else { before };
    Ok(Updated { method, replaced })
}
