//! All errors of this service.

use chassis::bus::HandleError;
use chassis::error::{Fault, Kind, Refusal};
use chassis::idempotency::Replayed;
use proto::common::v1::ErrorReason;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An event that says nothing a mail could be made of.
    #[error("unreadable event: {0}")]
    Unreadable(String),
    #[error("database")]
    Database(#[from] sqlx::Error),
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
    /// A refusal that was given before.
    #[error("{0}")]
    Replayed(#[from] Replayed),
}

impl Error {
    /// Whether no later try can help: the event itself is at fault, not what it meets here.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Unreadable(_) => true,
            // Classes 22 and 23: a value that the database cannot hold.
            Self::Database(sqlx::Error::Database(error)) => {
                error.code().is_some_and(|code| code.starts_with("22") || code.starts_with("23"))
            }
            Self::Database(_) | Self::Refused(_) | Self::Replayed(_) => false,
        }
    }
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Unreadable(_) => Kind::Internal,
            Self::Database(error) => error.kind(),
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => refusal.kind,
        }
    }

    fn reason(&self) -> ErrorReason {
        match self {
            Self::Unreadable(_) => ErrorReason::Internal,
            Self::Database(error) => error.reason(),
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => refusal.reason(),
        }
    }

    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => Some(refusal),
            _ => None,
        }
    }

    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for HandleError {
    fn from(error: Error) -> Self {
        if error.is_final() { Self::Poison(error.into()) } else { Self::Transient(error.into()) }
    }
}
