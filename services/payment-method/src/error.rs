//! All errors of this service.

use std::time::Duration;

use chassis::error::{Fault, Kind, Meaning, Refusal};
use chassis::money::{AmountError, Rate};
use proto::common::v1::ErrorReason;

use crate::domain::address_proof::InvalidProof;
use crate::domain::method::PERSONAL_LIMIT;
use crate::domain::quote::OPEN_LIMIT;
use crate::treasury::InvalidSignature;

/// When there may be a rate: the sources are asked this often.
const RATE_PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Unknown, or another member's.
    #[error("payment method not found")]
    NotFound,
    /// A member cannot change what belongs to the platform.
    #[error("this payment method belongs to the platform and cannot be changed here")]
    PlatformMethod,
    /// The member has as many as allowed.
    #[error("you can save at most {PERSONAL_LIMIT} payment methods")]
    TooManyMethods,
    /// What a deposit or withdrawal names is no method that it may use.
    #[error("this payment method is not available")]
    MethodUnavailable,
    /// A payout to the platform itself.
    #[error("this is one of our own deposit addresses, please enter your own wallet address")]
    PlatformAddress,
    /// The method is no longer what the proposal was made for.
    #[error("the payment method has changed since this was proposed")]
    Stale,
    /// Not a signature of the treasury key over this version.
    #[error(transparent)]
    Signature(#[from] InvalidSignature),
    /// Not a message that the key of the address signed.
    #[error(transparent)]
    Proof(#[from] InvalidProof),
    /// Unknown, or another member's.
    #[error("we can't find that quote.")]
    QuoteNotFound,
    #[error("this quote has expired. Please get a new one.")]
    QuoteExpired,
    #[error("you have {OPEN_LIMIT} open quotes. Please use one of them, or wait until one expires.")]
    TooManyQuotes,
    /// None that enough sources agree on, none that staff published.
    #[error("there is no reliable rate right now. Please try again in a moment, or continue without a quote.")]
    RateUnavailable,
    /// Mistyped, or a market that moved so far that it takes several steps.
    #[error(
        "this is more than 20 % away from the last known rate, ${}. Please check it. If the market has moved that far, publish \
         a rate in between first.",
        .0.to_wire()
    )]
    RateTooFar(Rate),
    /// The units of an amount do not fit.
    #[error("the amount is out of range")]
    Amount(#[from] AmountError),
    #[error("database")]
    Database(#[from] sqlx::Error),
    /// A stored proposal that this build cannot read.
    #[error("unreadable proposal")]
    Unreadable(#[from] serde_json::Error),
    /// Said by what this service stands on.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::NotFound | Self::QuoteNotFound => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::PlatformMethod => Meaning::Own(Kind::Forbidden, ErrorReason::PlatformMethod),
            Self::TooManyMethods => Meaning::Own(Kind::Conflict, ErrorReason::TooManyMethods),
            Self::MethodUnavailable => Meaning::Own(Kind::Invalid, ErrorReason::MethodUnavailable),
            Self::PlatformAddress | Self::Signature(_) | Self::Proof(_) | Self::RateTooFar(_) | Self::Amount(_) => {
                Meaning::Own(Kind::Invalid, ErrorReason::ValidationFailed)
            }
            Self::QuoteExpired => Meaning::Own(Kind::Conflict, ErrorReason::QuoteExpired),
            Self::TooManyQuotes => Meaning::Own(Kind::Conflict, ErrorReason::TooManyQuotes),
            Self::RateUnavailable => Meaning::Own(Kind::Unavailable, ErrorReason::RateUnavailable),
            Self::Stale => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::Unreadable(_) => Meaning::Own(Kind::Internal, ErrorReason::Internal),
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::MethodUnavailable => vec![("method".to_owned(), self.sentence())],
            Self::Signature(_) | Self::Proof(InvalidProof::Signature) => {
                vec![("signature".to_owned(), self.sentence())]
            }
            Self::Proof(_) => vec![("message".to_owned(), self.sentence())],
            Self::PlatformAddress => vec![("address".to_owned(), self.sentence())],
            Self::RateTooFar(_) => vec![("bid".to_owned(), self.sentence())],
            Self::Amount(_) => vec![("amount".to_owned(), self.sentence())],
            _ => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateUnavailable => Some(RATE_PAUSE),
            _ => None,
        }
    }

    fn is_worded(&self) -> bool {
        matches!(self, Self::RateUnavailable) || !matches!(self.kind(), Kind::Internal | Kind::Unavailable)
    }
}
