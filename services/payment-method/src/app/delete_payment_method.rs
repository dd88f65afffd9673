//! Archives a personal method.

use chassis::clock;
use chassis::db::Db;
use chassis::id::{MemberId, MethodId};

use crate::domain::method::Scope;
use crate::error::Error;
use crate::store::methods;

/// Ends the method; its versions stay. Returns the key of its picture, which nobody is shown any more.
///
/// # Errors
/// `NotFound`; `PlatformMethod` if it belongs to the platform.
pub async fn delete_payment_method(db: &Db, user_id: MemberId, id: MethodId) -> Result<String, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let method = match methods::lock(&mut tx, id).await? {
        Some((method, _)) if method.scope == Scope::Platform => return Err(Error::PlatformMethod),
        Some((method, owner)) if owner == Some(user_id) => method,
        _ => return Err(Error::NotFound),
    };
    methods::archive(&mut tx, id, now).await?;
    tx.commit().await?;
    Ok(method.fields.image_key)
}
