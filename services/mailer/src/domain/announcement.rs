//! What staff announce to all members (D-M7).

use chassis::validate::FieldError;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

chassis::id! {
    /// An announcement to all members.
    AnnouncementId,
}

/// Characters of a text.
const LONGEST: usize = 500;
/// Hours for which one can be shown.
const MOST_HOURS: i32 = 720;

/// An announcement as it is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub text: String,
    /// How long it is shown, from the confirmation on.
    pub hours: i32,
}

/// One that was confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    pub id: AnnouncementId,
    pub text: String,
    pub published_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
}

impl Draft {
    /// Checks what was entered.
    ///
    /// # Errors
    /// What is wrong with each field.
    pub fn parse(text: &str, hours: i32) -> Result<Self, Vec<FieldError>> {
        let text = text.trim();
        let mut wrong = Vec::new();
        let is_plain = text.chars().all(|char| !char.is_control());
        if text.is_empty() || text.chars().count() > LONGEST || !is_plain {
            wrong.push(FieldError { field: "text", sentence: "Please enter one paragraph of at most 500 characters" });
        }
        if !(1..=MOST_HOURS).contains(&hours) {
            wrong.push(FieldError { field: "hours", sentence: "Please enter 1 to 720 hours" });
        }
        if wrong.is_empty() { Ok(Self { text: text.to_owned(), hours }) } else { Err(wrong) }
    }

    /// The announcement of this id, from now on.
    #[must_use]
    pub fn publish(self, id: AnnouncementId, now: OffsetDateTime) -> Announcement {
        Announcement { id, text: self.text, published_at: now, ends_at: now + Duration::hours(self.hours.into()) }
    }
}
