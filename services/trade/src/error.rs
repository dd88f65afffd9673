//! All errors of this service.

use std::time::Duration;

use chassis::error::{Fault, Kind, Meaning, Refusal};
use chassis::money::{AmountError, Cents};
use proto::common::v1::ErrorReason;

use crate::domain::trade::CannotEnd;
use crate::domain::value::Unpublishable;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Unknown, or not offered any more.
    #[error("plan not found")]
    PlanNotFound,
    /// A plan without a value cannot be invested in.
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
    /// A trade was opened while the value waited for its plan, and comes before it.
    #[error("trades of this plan are being opened, please try again")]
    ValueOvertaken,
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
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::PlanNotFound | Self::TradeNotFound => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::NoValue => Meaning::Own(Kind::Invalid, ErrorReason::ValidationFailed),
            Self::AmountOutOfRange { .. } => Meaning::Own(Kind::Invalid, ErrorReason::AmountOutOfRange),
            Self::TradeNotOpen => Meaning::Own(Kind::Conflict, ErrorReason::TradeNotOpen),
            Self::TradeAlreadyClosed => Meaning::Own(Kind::Conflict, ErrorReason::TradeAlreadyClosed),
            Self::TradeInProfit => Meaning::Own(Kind::Conflict, ErrorReason::TradeInProfit),
            Self::NotInProfit => Meaning::Own(Kind::Conflict, ErrorReason::NotInProfit),
            Self::ValueOutOfOrder => Meaning::Own(Kind::Conflict, ErrorReason::ValueOutOfOrder),
            Self::ValueOvertaken => Meaning::Own(Kind::Unavailable, ErrorReason::Unavailable),
            Self::Stale => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::InFlight => Meaning::Own(Kind::Conflict, ErrorReason::IdempotencyKeyInFlight),
            Self::Contract(_) | Self::Amount(_) | Self::Unreadable(_) => {
                Meaning::Own(Kind::Internal, ErrorReason::Internal)
            }
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::NoValue => vec![("planId".to_owned(), self.sentence())],
            Self::AmountOutOfRange { .. } => vec![("amount".to_owned(), self.sentence())],
            Self::ValueOutOfOrder => vec![("at".to_owned(), self.sentence())],
            _ => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::InFlight | Self::ValueOvertaken => Some(Duration::from_secs(1)),
            _ => None,
        }
    }
}
