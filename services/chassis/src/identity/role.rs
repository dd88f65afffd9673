//! The roles of staff.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The role of a staff account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Decides deposits, fees and withdrawals; freezes.
    Reviewer,
    /// Pays withdrawals; changes platform methods; grants bonuses and adjusts balances.
    Treasurer,
    /// Manages plans and publishes their values.
    Manager,
    /// Reads everything, changes nothing.
    Auditor,
    /// Manages staff accounts.
    Admin,
}

impl Role {
    /// Every role, in the order shown to staff.
    pub const ALL: [Self; 5] = [Self::Reviewer, Self::Treasurer, Self::Manager, Self::Auditor, Self::Admin];

    /// The name in tokens, on the wire and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Treasurer => "treasurer",
            Self::Manager => "manager",
            Self::Auditor => "auditor",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| format!("no role is called {text}"))
    }
}
