//! What keeps payouts of an account waiting (D-A5).

use time::OffsetDateTime;

/// A change after which payouts cool off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Another address.
    Email,
    /// Another password.
    Password,
    /// A second factor that came, went or was replaced.
    Factors,
}

/// What is known of an account at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PayoutState {
    /// Staff froze it.
    pub frozen: bool,
    /// Nothing is paid out until a new password is set.
    pub stopped: bool,
    /// Payouts are approved from then on.
    pub not_before: Option<OffsetDateTime>,
    /// When the address last changed.
    pub email_changed_at: Option<OffsetDateTime>,
    /// When the password last changed.
    pub password_changed_at: Option<OffsetDateTime>,
    /// When the second factors last changed.
    pub factors_changed_at: Option<OffsetDateTime>,
    /// When it was last signed in to from a device for the first time, its very first apart.
    pub new_device_at: Option<OffsetDateTime>,
}
