//! Who may read what.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::clients::{Access, Wallet};
use crate::error::Error;
use crate::store::versions;

/// What wallet says about a caller. A visitor has bought nothing.
pub async fn access(wallet: &Wallet, user_id: Option<MemberId>) -> Result<Access, Error> {
    match user_id {
        None => Ok(Access::default()),
        Some(user_id) => Ok(wallet.course_access(user_id).await?),
    }
}

/// Checks that a member may read a lesson.
///
/// # Errors
/// `Locked` unless it is a free preview or the course is bought.
pub async fn check(wallet: &Wallet, user_id: MemberId, is_preview: bool) -> Result<(), Error> {
    let may_read = is_preview || access(wallet, Some(user_id)).await?.has_purchased;
    if may_read { Ok(()) } else { Err(Error::Locked) }
}

/// Checks that a member may read a lesson of the published version.
///
/// # Errors
/// `LessonNotFound`, `Locked`.
pub async fn check_lesson(db: &Db, wallet: &Wallet, user_id: MemberId, lesson_id: &str) -> Result<(), Error> {
    let lesson = versions::published_lesson(&mut *db.conn().await?, lesson_id).await?;
    check(wallet, user_id, lesson.ok_or(Error::LessonNotFound)?.lesson.is_preview).await
}
