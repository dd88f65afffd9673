//! Links of security emails: their effect and validity.

use time::Duration;

chassis::id! {
    /// A link in a security email.
    LinkId,
}

/// How long a link works.
pub const LIFE: Duration = Duration::hours(72);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Puts the address it was mailed to in force again (D-A1).
    Undo,
    /// "This was not me" (D-A6).
    NotMe,
}

impl Purpose {
    /// Its name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::NotMe => "not_me",
        }
    }
}
