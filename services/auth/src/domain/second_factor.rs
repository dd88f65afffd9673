//! Second factors that were given in a session, and changes of an account's, with their names.

use strum::IntoStaticStr;
use time::OffsetDateTime;

/// A second factor that was given in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteppedUp {
    pub at: OffsetDateTime,
    pub means: Means,
    /// Since when the account has the factor, or the recovery codes.
    pub since: OffsetDateTime,
}

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Of an authenticator, or a recovery code.
    Code,
    Passkey,
}

impl SteppedUp {
    #[must_use]
    pub const fn by_code(since: OffsetDateTime, at: OffsetDateTime) -> Self {
        Self { at, means: Means::Code, since }
    }

    #[must_use]
    pub const fn by_passkey(since: OffsetDateTime, at: OffsetDateTime) -> Self {
        Self { at, means: Means::Passkey, since }
    }

    /// Whether the factor was older than the cooling-off at a moment. Anyone who has stolen the password can set a younger one up:
    /// it proves nothing (D-M10).
    #[must_use]
    pub fn proves_at(&self, moment: OffsetDateTime, cooling_off: std::time::Duration) -> bool {
        self.since + cooling_off <= moment
    }
}

/// What happened to an account's second factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Change {
    /// The first authenticator is in force.
    AuthenticatorAdded,
    /// Another authenticator is in force.
    AuthenticatorReplaced,
    /// The authenticator is gone.
    AuthenticatorRemoved,
    /// New recovery codes were handed out.
    RecoveryCodesReplaced,
    /// A recovery code stood in.
    RecoveryCodeUsed,
    PasskeyAdded,
    PasskeyRemoved,
    /// Two people of the staff had a member's factors removed.
    RemovedByStaff,
    /// That was called off, because a factor was used.
    ResetCalledOff,
}

impl Change {
    /// Its name in the trail of staff.
    #[must_use]
    pub const fn action(self) -> &'static str {
        match self {
            Self::AuthenticatorAdded | Self::AuthenticatorReplaced => "staff.enrol_totp",
            Self::AuthenticatorRemoved | Self::RemovedByStaff => "staff.remove_totp",
            Self::PasskeyAdded => "staff.add_passkey",
            Self::PasskeyRemoved => "staff.remove_passkey",
            Self::RecoveryCodesReplaced => "staff.replace_recovery_codes",
            Self::RecoveryCodeUsed | Self::ResetCalledOff => "staff.recovery_code",
        }
    }
}
