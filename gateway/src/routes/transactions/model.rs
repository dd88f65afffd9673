//! The kinds and states of transactions. An unknown value is an error, so that money is never shown as something else.

use proto::wallet::v1 as wallet;
use route_macros::response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::json::moment;

/// Kind of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TransactionKind {
    Deposit,
    Withdrawal,
    Trade,
    Profit,
    Course,
    Bonus,
    Fee,
    Adjustment,
}

/// State of a transaction. It is decided once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TransactionStatus {
    Pending,
    Success,
    Failed,
}

/// Direction of the money from the member's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Credit,
    Debit,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    Done,
    Current,
    Next,
    Failed,
}

/// A step of a transaction on its way.
#[response]
pub struct Step {
    /// `requested`, `seen`, `confirmed`, `address`, `waiting`, `reviewed`, `sent`, `arrived`, `credited`, `debited`, `unlocked`,
    /// `settled` or `ended`.
    #[schema(example = "reviewed")]
    key: String,
    state: StepState,
    /// When it was done, or failed.
    at: Option<String>,
    /// By when it is expected. Missing where nothing supports a time.
    expected_by: Option<String>,
    /// A sentence or figures for the member.
    note: Option<String>,
}

impl TryFrom<wallet::Step> for Step {
    type Error = ApiError;

    fn try_from(step: wallet::Step) -> Result<Self, ApiError> {
        let state = match step.state() {
            wallet::StepState::Done => StepState::Done,
            wallet::StepState::Current => StepState::Current,
            wallet::StepState::Next => StepState::Next,
            wallet::StepState::Failed => StepState::Failed,
            wallet::StepState::Unspecified => return Err(ApiError::internal("an unknown state of a step")),
        };
        Ok(Self {
            state,
            at: moment(step.at.as_ref()),
            expected_by: moment(step.expected_by.as_ref()),
            note: Some(step.note).filter(|note| !note.is_empty()),
            key: step.key,
        })
    }
}

impl TryFrom<wallet::TransactionKind> for TransactionKind {
    type Error = ApiError;

    fn try_from(kind: wallet::TransactionKind) -> Result<Self, ApiError> {
        Ok(match kind {
            wallet::TransactionKind::Deposit => Self::Deposit,
            wallet::TransactionKind::Withdrawal => Self::Withdrawal,
            wallet::TransactionKind::Trade => Self::Trade,
            wallet::TransactionKind::Profit => Self::Profit,
            wallet::TransactionKind::Course => Self::Course,
            wallet::TransactionKind::Bonus => Self::Bonus,
            wallet::TransactionKind::Fee => Self::Fee,
            wallet::TransactionKind::Adjustment => Self::Adjustment,
            wallet::TransactionKind::Unspecified => return Err(ApiError::internal("an unknown kind of transaction")),
        })
    }
}

impl TryFrom<wallet::TransactionStatus> for TransactionStatus {
    type Error = ApiError;

    fn try_from(status: wallet::TransactionStatus) -> Result<Self, ApiError> {
        Ok(match status {
            wallet::TransactionStatus::Pending => Self::Pending,
            wallet::TransactionStatus::Success => Self::Success,
            wallet::TransactionStatus::Failed => Self::Failed,
            wallet::TransactionStatus::Unspecified => {
                return Err(ApiError::internal("an unknown status of a transaction"));
            }
        })
    }
}

impl TryFrom<wallet::Direction> for Direction {
    type Error = ApiError;

    fn try_from(direction: wallet::Direction) -> Result<Self, ApiError> {
        Ok(match direction {
            wallet::Direction::Credit => Self::Credit,
            wallet::Direction::Debit => Self::Debit,
            wallet::Direction::Unspecified => return Err(ApiError::internal("an unknown direction of a transaction")),
        })
    }
}

/// The kind with this name in a request.
#[must_use]
pub fn kind_named(name: &str) -> Option<wallet::TransactionKind> {
    let kind = wallet::TransactionKind::from_str_name(&format!("TRANSACTION_KIND_{}", name.to_ascii_uppercase()))?;
    (kind != wallet::TransactionKind::Unspecified && name == name.to_ascii_lowercase()).then_some(kind)
}

#[cfg(test)]
mod tests {
    use proto::wallet::v1 as wallet;
    use serde::Serialize;

    use super::{Direction, TransactionKind, TransactionStatus, kind_named};

    /// The name in the gRPC contract without its prefix, as JSON.
    fn expected(name: &str, prefix: &str) -> String {
        format!("\"{}\"", name.strip_prefix(prefix).unwrap().to_lowercase())
    }

    fn json(value: impl Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }

    /// [API-11] Kinds, statuses and directions have the names of the gRPC contract; what is unknown is an error.
    #[test]
    fn names_are_those_of_the_contract_and_the_unknown_is_an_error() {
        let mut seen = 0;
        for kind in (1..100).filter_map(|number| wallet::TransactionKind::try_from(number).ok()) {
            let name = expected(kind.as_str_name(), "TRANSACTION_KIND_");
            assert_eq!(json(TransactionKind::try_from(kind).unwrap()), name);
            assert_eq!(kind_named(name.trim_matches('"')), Some(kind));
            seen += 1;
        }
        for status in (1..100).filter_map(|number| wallet::TransactionStatus::try_from(number).ok()) {
            let name = expected(status.as_str_name(), "TRANSACTION_STATUS_");
            assert_eq!(json(TransactionStatus::try_from(status).unwrap()), name);
            seen += 1;
        }
        for direction in (1..100).filter_map(|number| wallet::Direction::try_from(number).ok()) {
            let name = expected(direction.as_str_name(), "DIRECTION_");
            assert_eq!(json(Direction::try_from(direction).unwrap()), name);
            seen += 1;
        }
        assert_eq!(seen, 8 + 3 + 2);
        assert!(TransactionKind::try_from(wallet::TransactionKind::Unspecified).is_err());
        assert!(TransactionStatus::try_from(wallet::TransactionStatus::Unspecified).is_err());
        assert!(Direction::try_from(wallet::Direction::Unspecified).is_err());
        assert_eq!((kind_named("unspecified"), kind_named("Deposit"), kind_named("")), (None, None, None));
    }
}
