//! All errors of this service.

use std::time::Duration;

use chassis::error::{Fault, Kind, Meaning, Refusal};
use proto::common::v1::ErrorReason;

use crate::domain::course::Unfit;
use crate::domain::media::STREAM_LIFE;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not in the published version.
    #[error("lesson not found")]
    LessonNotFound,
    /// Neither a free preview nor bought.
    #[error("this lesson comes with the course")]
    Locked,
    /// Only in the moment before the first version is in the database.
    #[error("the course is not published yet, please try again in a moment")]
    NotPublished,
    #[error("certificate not found")]
    CertificateNotFound,
    /// A certificate is for members who have done all lessons.
    #[error("mark all lessons as done to get your certificate")]
    LessonsLeft,
    #[error("version not found")]
    VersionNotFound,
    /// Nothing differs from the published version.
    #[error("there is no draft")]
    NoDraft,
    /// The draft or the published version is another than the caller has seen.
    #[error("the course has changed since you loaded it")]
    Stale,
    #[error("members see this version already")]
    PublishedAlready,
    /// More than a draft can hold.
    #[error("the texts of a course can have up to 2 MB together, with at most 50 modules of 50 lessons")]
    TooLarge,
    /// Not fit for publication.
    #[error("{}", .0.first().map_or("some parts are not valid", |unfit| unfit.sentence))]
    Unfit(Vec<Unfit>),
    #[error("file not found")]
    MediaNotFound,
    #[error("captions not found")]
    CaptionsNotFound,
    #[error("a lesson has this file, in the draft or in a version")]
    MediaInUse,
    #[error("the file is larger than {} MB", .0 / 1_000_000)]
    FileTooLarge(i64),
    #[error("too many uploads are not complete yet; finish or remove one first")]
    TooManyUploads,
    /// Another request added a part before, or the client lost count.
    #[error("the upload continues at another place")]
    OffsetMismatch,
    #[error("note not found")]
    NoteNotFound,
    #[error("a lesson has room for 100 notes; remove one first")]
    TooManyNotes,
    /// As many as a member may watch at once.
    #[error("you are watching three other videos. Stop one of them and try again in a moment")]
    TooManyStreams,
    /// A stored draft that this build cannot read.
    #[error("unreadable draft")]
    Unreadable(#[from] serde_json::Error),
    #[error("database")]
    Database(#[from] sqlx::Error),
    /// Said by what this service stands on, or by wallet.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::LessonNotFound
            | Self::CertificateNotFound
            | Self::VersionNotFound
            | Self::NoDraft
            | Self::MediaNotFound
            | Self::CaptionsNotFound
            | Self::NoteNotFound => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::MediaInUse => Meaning::Own(Kind::Conflict, ErrorReason::MediaInUse),
            Self::FileTooLarge(_) => Meaning::Own(Kind::Invalid, ErrorReason::PayloadTooLarge),
            Self::TooManyUploads => Meaning::Own(Kind::Conflict, ErrorReason::TooManyUploads),
            Self::OffsetMismatch => Meaning::Own(Kind::Conflict, ErrorReason::UploadOffsetMismatch),
            Self::TooManyNotes => Meaning::Own(Kind::Conflict, ErrorReason::TooManyNotes),
            Self::TooManyStreams => Meaning::Own(Kind::RateLimited, ErrorReason::TooManyStreams),
            Self::Stale | Self::PublishedAlready => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::TooLarge | Self::Unfit(_) => Meaning::Own(Kind::Invalid, ErrorReason::ValidationFailed),
            Self::LessonsLeft => Meaning::Own(Kind::Conflict, ErrorReason::LessonsLeft),
            Self::Locked => Meaning::Own(Kind::Forbidden, ErrorReason::PermissionDenied),
            Self::NotPublished => Meaning::Own(Kind::Unavailable, ErrorReason::Unavailable),
            Self::Unreadable(_) => Meaning::Own(Kind::Internal, ErrorReason::Internal),
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::TooLarge => vec![("modules".to_owned(), self.sentence())],
            Self::Unfit(parts) => parts.iter().map(|part| (part.place.clone(), part.sentence.to_owned())).collect(),
            _ => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::TooManyStreams).then_some(STREAM_LIFE.unsigned_abs())
    }
}
