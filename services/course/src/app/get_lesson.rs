//! A lesson to read (D-C1, D-C5).

use chassis::db::Db;
use chassis::error::Refusal;
use chassis::identity::Session;

use super::access::check;
use crate::clients::Wallet;
use crate::domain::progress::Progress;
use crate::error::Error;
use crate::store::versions::PublishedLesson;
use crate::store::{progress, versions};

/// The lesson and the caller's progress. Everybody may read a free preview; for the others the caller has to be a member who
/// has bought the course.
///
/// # Errors
/// `LessonNotFound`, `Locked`, `Refused` (why the caller is not a member).
pub async fn get_lesson(
    db: &Db,
    wallet: &Wallet,
    caller: Result<Session, Refusal>,
    id: &str,
) -> Result<(PublishedLesson, Option<Progress>), Error> {
    let found = versions::published_lesson(&mut *db.conn().await?, id).await?.ok_or(Error::LessonNotFound)?;
    let member = match caller {
        Err(_) if found.lesson.is_preview => return Ok((found, None)),
        caller => caller?,
    };
    check(wallet, member.user_id, found.lesson.is_preview).await?;
    let progress = progress::get(&mut *db.conn().await?, member.user_id, id).await?;
    Ok((found, progress))
}
