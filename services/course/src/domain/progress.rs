//! How far a member has come in a lesson.

use time::OffsetDateTime;

/// Longer than any video.
pub(super) const LONGEST_SECONDS: i32 = 24 * 60 * 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub lesson_id: String,
    /// Into the video; 0 for a text.
    pub position_seconds: i32,
    pub done_at: Option<OffsetDateTime>,
    /// When the member's device wrote it, by its own clock.
    pub at: OffsetDateTime,
}

/// What a member's device reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub lesson_id: String,
    pub position_seconds: i32,
    /// Unset to leave it as it is.
    pub is_done: Option<bool>,
    /// By the clock of the device; unset for now.
    pub at: Option<OffsetDateTime>,
    /// The member's name, for the certificate that this report may earn.
    pub holder_name: Option<String>,
}

impl Report {
    /// Whether a video can have this position.
    #[must_use]
    pub fn has_valid_position(&self) -> bool {
        (0..=LONGEST_SECONDS).contains(&self.position_seconds)
    }

    /// The moment that orders this report among those of the same member. A clock that is ahead is held back, or nothing
    /// could be written after it for as long.
    #[must_use]
    pub fn written_at(&self, now: OffsetDateTime) -> OffsetDateTime {
        self.at.map_or(now, |at| at.min(now))
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::Report;

    /// [D-C6] The device's clock orders reports, but never into the future.
    #[test]
    fn a_clock_that_is_ahead_is_held_back() {
        let now = datetime!(2026-11-23 12:00 UTC);
        let report =
            |at| Report { lesson_id: "one".to_owned(), position_seconds: 0, is_done: None, at, holder_name: None };
        let earlier = now - Duration::HOUR;
        assert_eq!(report(Some(earlier)).written_at(now), earlier);
        assert_eq!(report(Some(now + Duration::HOUR)).written_at(now), now);
        assert_eq!(report(None).written_at(now), now);
    }
}
