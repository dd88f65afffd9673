//! All errors of this service.

use chassis::error::{Fault, Kind, Meaning, Refusal};
use proto::common::v1::ErrorReason;

use crate::domain::course::Unfit;

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
            Self::LessonNotFound | Self::CertificateNotFound | Self::VersionNotFound | Self::NoDraft => {
                Meaning::Own(Kind::NotFound, ErrorReason::NotFound)
            }
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
}
