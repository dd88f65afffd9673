//! The reasons why payouts of an account have to wait (D-A5).

/// A change after which payouts cool off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Email,
    Password,
    /// A second factor that came, went or was replaced.
    Factors,
}
