//! All errors of this service.

use std::time::Duration;

use chassis::error::{Fault, Kind, Meaning, Refusal};
use proto::common::v1::ErrorReason;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// None, or another member's.
    #[error("case not found")]
    CaseNotFound,
    #[error("you have five cases that are not closed; write in one of them, or close one first")]
    TooManyCases,
    #[error("you have written many messages within an hour, please try again later")]
    TooManyMessages,
    #[error("this case is closed; open another one if there is more to say")]
    CaseClosed,
    #[error("this case has 100 messages; close it and open another one")]
    CaseFull,
    #[error(
        "the files of your cases take up all the room that there is for them; describe it in words, or write to us"
    )]
    FilesFull,
    #[error("answer the member before you close the case")]
    NotAnswered,
    /// The member wrote after the caller read the case.
    #[error("the case has new messages; read them before you answer")]
    Stale,
    #[error("database")]
    Database(#[from] sqlx::Error),
    /// Said by what this service stands on.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::CaseNotFound => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::TooManyCases => Meaning::Own(Kind::Conflict, ErrorReason::TooManyCases),
            Self::TooManyMessages => Meaning::Own(Kind::RateLimited, ErrorReason::TooManyRequests),
            Self::CaseClosed => Meaning::Own(Kind::Conflict, ErrorReason::CaseClosed),
            Self::CaseFull => Meaning::Own(Kind::Conflict, ErrorReason::CaseFull),
            Self::FilesFull => Meaning::Own(Kind::Conflict, ErrorReason::ReceiptsFull),
            Self::NotAnswered => Meaning::Own(Kind::Conflict, ErrorReason::CaseNotAnswered),
            Self::Stale => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::TooManyMessages).then_some(Duration::from_mins(10))
    }
}
