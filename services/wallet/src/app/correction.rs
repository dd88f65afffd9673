//! What staff change in a wallet: corrections, reversals, holds.

pub mod check_proposal;
pub mod decide_proposal;
pub mod place_hold;
pub mod propose_correction;
pub mod propose_reversal;
pub mod release_hold;
