//! Links of security emails: their effect and validity.

use strum::IntoStaticStr;
use time::Duration;

chassis::id! {
    /// A link in a security email.
    LinkId,
}

/// How long a link works.
pub const LIFE: Duration = Duration::hours(72);

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Purpose {
    /// Puts the address it was mailed to in force again (D-A1).
    Undo,
    /// "This was not me" (D-A6).
    NotMe,
}
