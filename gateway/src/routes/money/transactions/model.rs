//! The kinds and states of transactions. An unknown value is an error, so that money is never shown as something else.

use proto::wallet::v1 as wallet;
use route_macros::response;

/// Kind of a transaction.
#[response(from = wallet::TransactionKind)]
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
#[response(from = wallet::TransactionStatus)]
pub enum TransactionStatus {
    Pending,
    Success,
    Failed,
}

/// Direction of the money from the member's point of view.
#[response(from = wallet::Direction)]
pub enum Direction {
    Credit,
    Debit,
}

/// How far a step is.
#[response(from = wallet::StepState)]
pub enum StepState {
    Done,
    Current,
    Next,
    Failed,
}

/// A step of a transaction on its way.
#[response(from = wallet::Step)]
pub struct Step {
    /// `requested`, `seen`, `confirmed`, `address`, `waiting`, `reviewed`, `sent`, `arrived`, `credited`, `debited`, `unlocked`,
    /// `settled`, `ended` or `returned`.
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

#[cfg(test)]
mod tests {
    use proto::wallet::v1 as wallet;
    use serde::Serialize;

    use super::{Direction, TransactionKind, TransactionStatus};
    use crate::http::convert::{Choice, FromProto, choice};
    use crate::routes::admin::proposals::Status;
    use crate::routes::investments::trades::TradeStatus;

    /// The names of an enum, which are those of the gRPC contract without their prefix.
    fn names<T: Choice + FromProto<i32> + Serialize>(
        contract: fn(T::Proto) -> &'static str,
        prefix: &str,
    ) -> Vec<String> {
        let name = |number| {
            let shown = T::from_proto(number).ok()?;
            let value = T::ALL.iter().find(|(_, value)| Into::<i32>::into(*value) == number).unwrap().1;
            let name = contract(value).strip_prefix(prefix).unwrap().to_lowercase();
            assert_eq!(serde_json::to_value(shown).unwrap(), name.as_str());
            assert_eq!(T::named(&name).map(Into::into), Some(number));
            Some(name)
        };
        assert!(name(0).is_none());
        (1..100).filter_map(name).collect()
    }

    /// [API-11] [API-16] [D-R2] Enums have the names of the gRPC contract; what is unknown is an error, so that nothing is shown
    /// as something else.
    #[test]
    fn names_are_those_of_the_contract_and_the_unknown_is_an_error() {
        let kinds = names::<TransactionKind>(|kind| kind.as_str_name(), "TRANSACTION_KIND_");
        assert_eq!(kinds, ["deposit", "withdrawal", "trade", "profit", "course", "bonus", "fee", "adjustment"]);
        let statuses = names::<TransactionStatus>(|status| status.as_str_name(), "TRANSACTION_STATUS_");
        assert_eq!(statuses, ["pending", "success", "failed"]);
        assert_eq!(names::<Direction>(|direction| direction.as_str_name(), "DIRECTION_"), ["credit", "debit"]);
        let trades = names::<TradeStatus>(|status| status.as_str_name(), "TRADE_STATUS_");
        assert_eq!(trades, ["opening", "open", "settling", "claimed", "closed", "failed"]);
        let proposals = names::<Status>(|status| status.as_str_name(), "PROPOSAL_STATUS_");
        assert_eq!(proposals, ["open", "confirmed", "rejected", "expired"]);
    }

    #[test]
    fn a_parameter_names_a_value() {
        let kind = |name| choice::<TransactionKind>("kind", name).ok();
        assert_eq!([None, Some(""), Some("all")].map(kind), [Some(wallet::TransactionKind::Unspecified); 3]);
        assert_eq!(kind(Some("fee")), Some(wallet::TransactionKind::Fee));
        assert_eq!([Some("unspecified"), Some("Fee")].map(kind), [None; 2]);
        assert_eq!(Direction::sentence(), "Choose credit or debit");
        assert_eq!(TransactionStatus::sentence(), "Choose pending, success or failed");
    }
}
