//! Security events of an account, for its owner, staff and the log (D-A7, D-A9).

use strum::{IntoStaticStr, VariantArray};
use time::{Duration, OffsetDateTime};

/// How long events are kept: a year and the month in which somebody asks about it.
pub const LIFE: Duration = Duration::days(396);

/// Refused passwords and second factors since the last that was right after which the owner is mailed, once.
pub const MAILED_REFUSALS: i64 = 10;
/// The same inside one session after which it ends.
pub const SESSION_REFUSALS: i16 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Kind {
    /// A login with the right password, and the second factor if there is one. Refused: one of them was wrong.
    SignIn,
    /// A second factor was given again. Refused: it was wrong.
    StepUp,
    /// A password was asked for inside a session. Only ever refused.
    Password,
    /// A code from an email was entered. Only ever refused, and only in the log and the metric: strangers can enter any
    /// number of them.
    EmailCode,
    /// The session's owner logged out.
    SignOut,
    /// A session was ended from another one, or by staff.
    SessionEnded,
    /// The password was changed inside a session.
    PasswordChanged,
    /// The password was set by a mailed link.
    PasswordReset,
    /// Another email address was asked for.
    EmailChangeRequested,
    /// Another email address is in force.
    EmailChanged,
    /// The previous email address was restored by the link mailed to it.
    EmailChangeUndone,
    /// "This was not me": every session ended, and payouts stop.
    Disowned,
    /// A second factor was added, replaced, removed or used up.
    FactorsChanged,
    /// A payout destination was entered that is not confirmed yet.
    DestinationEntered,
    /// A payout destination was confirmed.
    DestinationConfirmed,
    /// The member downloaded everything that is kept about them.
    DataExported,
    /// The owner asked to close the account, which waits for a day.
    ClosingRequested,
    /// The account stays: its owner kept it, or something was opened since.
    ClosingCalledOff,
    /// The account was closed.
    Closed,
    Frozen,
    Unfrozen,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityEvent {
    /// Ascends with time.
    pub id: i64,
    pub at: OffsetDateTime,
    /// As written by [`Kind::as_str`]; a newer version may write others.
    pub kind: String,
    /// Whether it was refused.
    pub refused: bool,
    /// Browser and system family; empty where staff or a link did it.
    pub device: String,
    /// The block of the client address; as `device`.
    pub block: String,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Kind;
    use strum::VariantArray;

    /// The document of the API lists every kind.
    #[test]
    fn the_document_lists_every_kind() {
        let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
        let listed = &document["components"]["schemas"]["SecurityEventKind"]["enum"];
        assert_eq!(*listed, json!(Kind::VARIANTS.iter().map(Kind::into_str).collect::<Vec<_>>()));
    }
}
