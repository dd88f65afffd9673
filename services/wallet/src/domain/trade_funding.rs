//! The money side of a trade.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Where the funding of a trade stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FundingStatus {
    /// The amount is invested.
    Funded,
    /// There was not enough; it stays so, that a late repetition cannot fund a trade that was given up.
    Refused,
    /// It was paid out.
    Settled,
}
