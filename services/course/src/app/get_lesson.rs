//! A lesson to read (D-C1, D-C5).

use chassis::db::Db;
use chassis::error::Refusal;
use chassis::identity::Session;

use super::access::check;
use crate::clients::Wallet;
use crate::domain::media::{Captions, Media};
use crate::domain::progress::Progress;
use crate::error::Error;
use crate::store::versions::PublishedLesson;
use crate::store::{captions, media, progress, versions};

/// A lesson as one caller reads it.
#[derive(Debug)]
pub struct ReadLesson {
    pub lesson: PublishedLesson,
    /// Unset for a visitor, and until the member begins the lesson.
    pub progress: Option<Progress>,
    pub video: Option<(Media, Vec<Captions>)>,
    /// In the order of the lesson, each with the name that members see.
    pub attachments: Vec<(String, Media)>,
    pub is_member: bool,
}

/// The lesson with its files, and the caller's progress. Everybody may read a free preview; for the others the caller has to be
/// a member who has bought the course.
///
/// # Errors
/// `LessonNotFound`, `Locked`, `Refused` (why the caller is not a member).
pub async fn get_lesson(
    db: &Db,
    wallet: &Wallet,
    caller: Result<Session, Refusal>,
    id: &str,
) -> Result<ReadLesson, Error> {
    let lesson = versions::published_lesson(&mut *db.conn().await?, id).await?.ok_or(Error::LessonNotFound)?;
    let member = match caller {
        Err(_) if lesson.lesson.is_preview => None,
        caller => Some(caller?),
    };
    if let Some(member) = &member {
        check(wallet, member.member_id(), lesson.lesson.is_preview).await?;
    }
    let mut conn = db.conn().await?;
    let progress = match &member {
        Some(member) => progress::get(&mut conn, member.member_id(), id).await?,
        None => None,
    };
    let video = match lesson.lesson.video {
        Some(id) => match media::get(&mut conn, id).await? {
            Some(media) => Some((media, captions::list(&mut conn, id).await?)),
            None => None,
        },
        None => None,
    };
    let mut attachments = Vec::new();
    for file in &lesson.lesson.attachments {
        if let Some(media) = media::get(&mut conn, file.media).await? {
            attachments.push((file.name.clone(), media));
        }
    }
    Ok(ReadLesson { lesson, progress, video, attachments, is_member: member.is_some() })
}
