//! All errors of this service.

use chassis::bus::HandleError;
use chassis::error::{Fault, Kind, Meaning, Refusal};
use proto::common::v1::ErrorReason;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An event that says nothing a mail could be made of.
    #[error("unreadable event: {0}")]
    Unreadable(String),
    #[error("database")]
    Database(#[from] sqlx::Error),
    #[error("json")]
    Json(#[from] serde_json::Error),
    #[error("cryptography: {0}")]
    Cryptography(String),
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
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
            Self::Database(_) | Self::Json(_) | Self::Cryptography(_) | Self::Refused(_) => false,
        }
    }
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Unreadable(_) | Self::Json(_) | Self::Cryptography(_) => {
                Meaning::Own(Kind::Internal, ErrorReason::Internal)
            }
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }
}

impl From<Error> for HandleError {
    fn from(error: Error) -> Self {
        if error.is_final() { Self::Poison(error.into()) } else { Self::Transient(error.into()) }
    }
}
