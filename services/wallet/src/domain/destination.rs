//! Where payouts of a member may go (D-A4).

use serde::{Deserialize, Serialize};

/// A destination of payouts, which is confirmed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutAddress {
    /// E.g. `USDT`.
    pub currency: String,
    /// E.g. `TRC20`.
    pub network: String,
    /// The address there.
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
}

named! {
    /// Why a destination is known.
    Cause {
        /// The member entered the code that was mailed for it.
        Code = "code",
        /// The member gave a second factor.
        Factor = "factor",
        /// The member was paid to it before destinations were confirmed.
        Payout = "payout",
        /// A version that asked for no confirmation took a withdrawal to it.
        Earlier = "earlier",
    }
}
