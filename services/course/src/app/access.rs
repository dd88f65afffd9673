//! Who may read what.

use uuid::Uuid;

use crate::clients::{Access, Wallet};
use crate::error::Error;

/// What wallet says about a caller. A visitor has bought nothing.
pub async fn access(wallet: &Wallet, user_id: Option<Uuid>) -> Result<Access, Error> {
    match user_id {
        None => Ok(Access::default()),
        Some(user_id) => Ok(wallet.course_access(user_id).await?),
    }
}

/// Checks that a member may read a lesson.
///
/// # Errors
/// `Locked` unless it is a free preview or the course is bought.
pub async fn check(wallet: &Wallet, user_id: Uuid, is_preview: bool) -> Result<(), Error> {
    let may_read = is_preview || access(wallet, Some(user_id)).await?.has_purchased;
    if may_read { Ok(()) } else { Err(Error::Locked) }
}
