//! All errors of this service.

use std::time::Duration;

use chassis::error::{Fault, Kind, Refusal};
use chassis::idempotency::Replayed;
use chassis::money::{AmountError, Cents};
use proto::common::v1::ErrorReason;

use crate::domain::trade::CannotEnd;
use crate::domain::value::Unpublishable;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Unknown, or not offered any more.
    #[error("plan not found")]
    PlanNotFound,
    /// A plan whose value nobody knows cannot be invested in.
    #[error("this plan has no published value yet")]
    NoValue,
    /// Not within the plan's range.
    #[error("amount must be between {min} and {max}")]
    AmountOutOfRange { min: Cents, max: Cents },
    /// Unknown, or another member's.
    #[error("trade not found")]
    TradeNotFound,
    /// Still being opened, or never opened.
    #[error("this trade is not open")]
    TradeNotOpen,
    /// Ended before, or being paid out.
    #[error("this trade is closed already")]
    TradeAlreadyClosed,
    /// It can be claimed, not closed.
    #[error("this trade is in profit, claim the profit instead")]
    TradeInProfit,
    /// It can be closed, not claimed.
    #[error("this trade is not in profit, you can close it instead")]
    NotInProfit,
    /// A value not after the newest one, or before the opening or maturity of an open trade.
    #[error("the value must be newer than the newest one and than the open trades of its plan")]
    ValueOutOfOrder,
    /// The plan is no longer what the proposal was made for.
    #[error("the plan has changed since this was proposed")]
    Stale,
    /// The first call with this key is not answered yet.
    #[error("this request is still being processed")]
    InFlight,
    /// Wallet says what its contract rules out: people have to look.
    #[error("wallet violated its contract: {0}")]
    Contract(Refusal),
    /// Arithmetic past the range of an amount.
    #[error("amount out of range")]
    Amount(#[from] AmountError),
    #[error("database")]
    Database(#[from] sqlx::Error),
    /// A stored document that this build cannot read.
    #[error("unreadable document")]
    Unreadable(#[from] serde_json::Error),
    /// Said by what this service stands on, or by wallet.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
    /// Said before under the same key.
    #[error("{}", .0.refusal.message)]
    Replayed(#[from] Replayed),
}

impl From<CannotEnd> for Error {
    fn from(cause: CannotEnd) -> Self {
        match cause {
            CannotEnd::NotOpen => Self::TradeNotOpen,
            CannotEnd::AlreadyClosed => Self::TradeAlreadyClosed,
            CannotEnd::InProfit => Self::TradeInProfit,
            CannotEnd::NotInProfit => Self::NotInProfit,
            CannotEnd::Value(error) => Self::Amount(error),
        }
    }
}

impl From<Unpublishable> for Error {
    fn from(cause: Unpublishable) -> Self {
        match cause {
            Unpublishable::Future => Self::Refused(Refusal::field("at", "A value cannot be in force in the future")),
            Unpublishable::OutOfOrder => Self::ValueOutOfOrder,
        }
    }
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::PlanNotFound | Self::TradeNotFound => Kind::NotFound,
            Self::NoValue | Self::AmountOutOfRange { .. } => Kind::Invalid,
            Self::TradeNotOpen
            | Self::TradeAlreadyClosed
            | Self::TradeInProfit
            | Self::NotInProfit
            | Self::ValueOutOfOrder
            | Self::Stale
            | Self::InFlight => Kind::Conflict,
            Self::Contract(_) | Self::Amount(_) | Self::Unreadable(_) => Kind::Internal,
            Self::Database(error) => error.kind(),
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => refusal.kind,
        }
    }

    fn reason(&self) -> ErrorReason {
        match self {
            Self::PlanNotFound | Self::TradeNotFound => ErrorReason::NotFound,
            Self::NoValue => ErrorReason::ValidationFailed,
            Self::AmountOutOfRange { .. } => ErrorReason::AmountOutOfRange,
            Self::TradeNotOpen => ErrorReason::TradeNotOpen,
            Self::TradeAlreadyClosed => ErrorReason::TradeAlreadyClosed,
            Self::TradeInProfit => ErrorReason::TradeInProfit,
            Self::NotInProfit => ErrorReason::NotInProfit,
            Self::ValueOutOfOrder => ErrorReason::ValueOutOfOrder,
            Self::Stale => ErrorReason::StaleRevision,
            Self::InFlight => ErrorReason::IdempotencyKeyInFlight,
            Self::Database(error) => error.reason(),
            Self::Contract(_) | Self::Amount(_) | Self::Unreadable(_) => ErrorReason::Internal,
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => refusal.reason(),
        }
    }

    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) | Self::Replayed(Replayed { refusal, .. }) => Some(refusal),
            _ => None,
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::NoValue => vec![("planId".to_owned(), self.sentence())],
            Self::AmountOutOfRange { .. } => vec![("amount".to_owned(), self.sentence())],
            Self::ValueOutOfOrder => vec![("at".to_owned(), self.sentence())],
            _ => self.refusal().map(|refusal| refusal.fields.clone()).unwrap_or_default(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::InFlight => Some(Duration::from_secs(1)),
            _ => self.refusal()?.retry_after,
        }
    }

    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}
