//! Payout destinations of members (D-A4).

use serde::{Deserialize, Serialize};

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

named! {
    Cause {
        /// The member entered the code that was mailed for it.
        Code = "code",
        /// The member gave a second factor.
        Factor = "factor",
    }
}
