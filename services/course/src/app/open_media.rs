//! Whether a caller may have a file of a lesson, and where it is stored (D-C7).

use chassis::clock;
use chassis::db::Db;
use chassis::identity::{Session, unauthenticated};
use chassis::permission::Permission;

use super::access::check;
use crate::clients::Wallet;
use crate::domain::media::{Media, MediaId, State};
use crate::error::Error;
use crate::store::streams::Stream;
use crate::store::{media, streams, versions};

/// What is to be opened.
#[derive(Debug, Clone)]
pub struct OpenMedia {
    /// Empty for staff, who may open every file.
    pub lesson_id: String,
    pub media: MediaId,
    /// Whether it counts as a stream of the member.
    pub streams: bool,
}

/// A file that is ready, for a caller with a live session, or a visitor. Asked for every playlist, segment and attachment, so that a refund ends access at once.
///
/// # Errors
/// `MediaNotFound` unless the published lesson has the file, `Locked`, `TooManyStreams`, `Refused` (why the caller is no
/// member).
pub async fn open_media(
    db: &Db,
    wallet: &Wallet,
    caller: Option<Session>,
    command: &OpenMedia,
) -> Result<Media, Error> {
    if command.lesson_id.is_empty() {
        caller.ok_or_else(unauthenticated)?.staff(Permission::See)?;
    } else {
        let is_preview = of_lesson(db, command).await?;
        match caller.ok_or_else(unauthenticated).and_then(Session::reader) {
            Err(_) if is_preview => {}
            Err(refusal) => return Err(refusal.into()),
            Ok(member) => {
                check(wallet, member.member_id(), is_preview).await?;
                if command.streams {
                    take_stream(db, &member, &command.lesson_id).await?;
                }
            }
        }
    }
    let found = media::get(&mut *db.conn().await?, command.media).await?;
    found.filter(|media| media.state == State::Ready).ok_or(Error::MediaNotFound)
}

/// Whether the published lesson with the file is a free preview.
async fn of_lesson(db: &Db, command: &OpenMedia) -> Result<bool, Error> {
    let found = versions::published_lesson(&mut *db.conn().await?, &command.lesson_id).await?;
    let lesson = found.ok_or(Error::MediaNotFound)?.lesson;
    let has_it = lesson.video == Some(command.media) || lesson.attachments.iter().any(|one| one.media == command.media);
    if has_it { Ok(lesson.is_preview) } else { Err(Error::MediaNotFound) }
}

async fn take_stream(db: &Db, member: &Session, lesson_id: &str) -> Result<(), Error> {
    let stream = Stream { user_id: member.member_id(), session_id: member.id, lesson_id };
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if !streams::is_fresh(&mut tx, stream, now).await? && !streams::take(&mut tx, stream, now).await? {
        return Err(Error::TooManyStreams);
    }
    tx.commit().await?;
    Ok(())
}
