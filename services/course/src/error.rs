//! All errors of this service.

use chassis::error::{Fault, Kind, Refusal};
use proto::common::v1::ErrorReason;

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
    #[error("database")]
    Database(#[from] sqlx::Error),
    /// Said by what this service stands on, or by wallet.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::LessonNotFound => Kind::NotFound,
            Self::Locked => Kind::Forbidden,
            Self::NotPublished => Kind::Unavailable,
            Self::Database(error) => error.kind(),
            Self::Refused(refusal) => refusal.kind,
        }
    }

    fn reason(&self) -> ErrorReason {
        match self {
            Self::LessonNotFound => ErrorReason::NotFound,
            Self::Locked => ErrorReason::PermissionDenied,
            Self::NotPublished => ErrorReason::Unavailable,
            Self::Database(error) => error.reason(),
            Self::Refused(refusal) => refusal.reason(),
        }
    }

    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        self.refusal().map(|refusal| refusal.fields.clone()).unwrap_or_default()
    }

    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}
