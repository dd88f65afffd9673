//! The files of the course: videos and attachments of lessons, from the upload to what members are served.

use chassis::validate::is_text;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

chassis::id! {
    /// A file that staff uploaded.
    MediaId,
}

/// Uploads that are not complete, of all managers together.
pub const MOST_UPLOADS: i64 = 20;
/// Uploads that are not complete, of one manager, so that two can always begin one.
pub const MOST_OWN_UPLOADS: i64 = 8;
/// Chunks of one upload. Each interruption may make a small one.
pub const MOST_CHUNKS: i64 = 20_000;
/// Attempts to process a file; workers that die while they do so are the only reason for another.
pub const MOST_ATTEMPTS: i32 = 3;
/// How long a worker owns a file without reporting its progress.
pub const LEASE: Duration = Duration::seconds(60);
/// Videos that a member may watch at once.
pub const MOST_STREAMS: i64 = 3;
/// How long a stream counts after its last segment.
pub const STREAM_LIFE: Duration = Duration::seconds(20);
const LONGEST_NAME: usize = 200;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    Video,
    Attachment,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum State {
    Uploading,
    Queued,
    Processing,
    Ready,
    Failed,
    /// Its objects are about to be deleted, and then its row.
    Removed,
}

/// Bytes that a file may have.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub video_bytes: i64,
    pub attachment_bytes: i64,
}

impl Limits {
    #[must_use]
    pub const fn of(&self, kind: Kind) -> i64 {
        match kind {
            Kind::Video => self.video_bytes,
            Kind::Attachment => self.attachment_bytes,
        }
    }
}

/// A file of the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    pub id: MediaId,
    pub kind: Kind,
    pub name: String,
    pub size: i64,
    pub received: i64,
    pub state: State,
    /// Of the processing, in percent.
    pub progress: i32,
    /// Why it failed, for people.
    pub reason: Option<String>,
    pub content_type: Option<String>,
    /// The folder of what is served of it, once it is ready.
    pub attempt: Option<Uuid>,
    pub video: Option<Video>,
    pub created_at: OffsetDateTime,
}

/// What a player has to know of a video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Video {
    pub duration_ms: i64,
    pub width: i32,
    pub height: i32,
    pub preview: Preview,
}

/// One picture with many small ones, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    pub interval_seconds: i32,
    pub columns: i32,
    pub rows: i32,
    /// Of a small picture.
    pub width: i32,
    pub height: i32,
}

/// The captions of a video in a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captions {
    pub language: String,
    pub label: String,
}

/// What was made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processed {
    pub content_type: String,
    /// Unset for an attachment.
    pub video: Option<Video>,
}

/// Part of an upload in the object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Where it begins in the file.
    pub begins_at: i64,
    pub bytes: i64,
    pub name: Uuid,
}

/// A file that a worker owns for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub media: MediaId,
    pub kind: Kind,
    pub name: String,
    pub size: i64,
    /// Names this attempt, and the folder of its results.
    pub attempt: Uuid,
    /// The attempt of a worker that died: its results are deleted.
    pub abandoned: Option<Uuid>,
    /// From 1.
    pub attempts: i32,
}

/// The folder of a file in the object store.
#[must_use]
pub fn folder(media: MediaId) -> String {
    format!("course/{}", media.get().simple())
}

/// The folder of the chunks of an upload.
#[must_use]
pub fn chunks_folder(media: MediaId) -> String {
    format!("{}/upload", folder(media))
}

/// The folder with the results of an attempt, from which members are served.
#[must_use]
pub fn results_folder(media: MediaId, attempt: Uuid) -> String {
    format!("{}/{}", folder(media), attempt.simple())
}

/// Whether a text can be the name of an uploaded file.
#[must_use]
pub fn is_name(text: &str) -> bool {
    is_text(text, 1, LONGEST_NAME) && !text.contains(['/', '\\', '"'])
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{MediaId, is_name, results_folder};

    #[test]
    fn names_are_those_of_files() {
        assert!(["lesson one.mp4", "Übung.pdf", "a"].into_iter().all(is_name));
        assert!(!["", "a/b", "..\\a", "a\nb", "a\"b"].into_iter().any(is_name));
        assert!(!is_name(&"a".repeat(201)));
    }

    #[test]
    fn results_lie_below_their_file() {
        let folder = results_folder(MediaId::default(), Uuid::max());
        assert_eq!(folder, format!("course/{}/{}", "0".repeat(32), "f".repeat(32)));
    }
}
