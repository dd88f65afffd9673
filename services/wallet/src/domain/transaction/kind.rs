//! The kind, status and direction of a transaction.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Kind {
    /// Money from outside into the balance.
    Deposit,
    /// Money out of the balance to a destination.
    Withdrawal,
    /// Principal into or out of a trade.
    Trade,
    /// The gain of a trade.
    Profit,
    /// The course, paid from outside or from the balance.
    Course,
    /// A released bonus.
    Bonus,
    /// A withdrawal's fee paid from outside.
    Fee,
    /// A correction by staff.
    Adjustment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Status {
    /// Waits for staff.
    Pending,
    Success,
    /// Ended without effect.
    Failed,
}

/// Which way the money goes, seen from the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Direction {
    Credit,
    Debit,
}

impl Kind {
    /// What the member reads.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Deposit => "Deposit",
            Self::Withdrawal => "Withdrawal",
            Self::Trade => "Trade",
            Self::Profit => "Profit",
            Self::Course => "Course",
            Self::Bonus => "Bonus",
            Self::Fee => "Fee",
            Self::Adjustment => "Adjustment",
        }
    }
}
