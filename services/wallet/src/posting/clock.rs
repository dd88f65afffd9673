//! The database's time, interpolated between two readings.

use std::time::{Duration, Instant, SystemTime};

use time::OffsetDateTime;

/// How long a reading counts. Neither clock of a machine that was paused shows how long: what its commits read is right
/// again after this time at the latest.
const FRESH: Duration = Duration::from_secs(1);
/// How far the two clocks of this machine may run apart in that time: more means that it slept, or was set.
const SKEW: Duration = Duration::from_millis(50);

/// The database's clock as it was read, and when that was by both clocks of this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    at: OffsetDateTime,
    asked: Instant,
    asked_at: SystemTime,
}

/// A moment by both clocks of this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(Instant, SystemTime);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(Instant::now(), SystemTime::now())
    }
}

impl Reading {
    /// The database said so to a question asked at this moment.
    pub(crate) const fn new(at: OffsetDateTime, Moment(asked, asked_at): Moment) -> Self {
        Self { at, asked, asked_at }
    }

    /// The database's time at a moment; `None` if the reading is too old for that, or may be.
    pub(crate) fn at(&self, Moment(now, now_at): Moment) -> Option<OffsetDateTime> {
        let elapsed = now.saturating_duration_since(self.asked);
        let by_the_other = now_at.duration_since(self.asked_at).ok()?;
        (elapsed < FRESH && elapsed.abs_diff(by_the_other) < SKEW).then(|| self.at + elapsed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use time::OffsetDateTime;

    use super::{FRESH, Moment, Reading};

    /// [D-G6] Extrapolated for a second at most, and not across a pause or a change of this machine's clock.
    #[test]
    fn a_reading_counts_only_while_both_clocks_agree() {
        let (instant, system) = (Instant::now(), SystemTime::now());
        let reading = Reading::new(OffsetDateTime::UNIX_EPOCH, Moment(instant, system));
        let after = |by_one: u64, by_other: u64| {
            reading.at(Moment(instant + Duration::from_millis(by_one), system + Duration::from_millis(by_other)))
        };
        assert_eq!(after(400, 410), Some(OffsetDateTime::UNIX_EPOCH + Duration::from_millis(400)));
        assert_eq!(after(1_000, 1_000), None);
        // The machine slept for an hour: one clock stood still.
        assert_eq!(after(10, 3_600_000), None);
        // Its clock was set back.
        assert_eq!(reading.at(Moment(instant + FRESH / 2, system - FRESH)), None);
    }
}
