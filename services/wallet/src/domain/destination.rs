//! Payout destinations of members (D-A4).

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// A destination of payouts, which is confirmed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutAddress {
    /// A code such as `USDT`.
    pub currency: String,
    /// A name such as `TRC20`.
    pub network: String,
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Cause {
    /// The member entered the code that was mailed for it.
    Code,
    /// The member gave a second factor.
    Factor,
}
