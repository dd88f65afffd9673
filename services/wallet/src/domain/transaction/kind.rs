//! The kind, status and direction of a transaction.

use serde::{Deserialize, Serialize};

named! {
    Kind {
        /// Money from outside into the balance.
        Deposit = "deposit",
        /// Money out of the balance to a destination.
        Withdrawal = "withdrawal",
        /// Principal into or out of a trade.
        Trade = "trade",
        /// The gain of a trade.
        Profit = "profit",
        /// The course, paid from outside or from the balance.
        Course = "course",
        /// A released bonus.
        Bonus = "bonus",
        /// A withdrawal's fee paid from outside.
        Fee = "fee",
        /// A correction by staff.
        Adjustment = "adjustment",
    }
}

named! {
    Status {
        /// Waits for staff.
        Pending = "pending",
        Success = "success",
        /// Ended without effect.
        Failed = "failed",
    }
}

named! {
    /// Which way the money goes, seen from the member.
    Direction {
        Credit = "credit",
        Debit = "debit",
    }
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
