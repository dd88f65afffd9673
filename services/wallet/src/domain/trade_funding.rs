//! The money side of a trade.

use serde::{Deserialize, Serialize};

named! {
    /// Where the funding of a trade stands.
    FundingStatus {
        /// The amount is invested.
        Funded = "funded",
        /// There was not enough; it stays so, that a late repetition cannot fund a trade that was given up.
        Refused = "refused",
        /// It was paid out.
        Settled = "settled",
    }
}
