//! Deadlines in working days.

use time::{Duration, OffsetDateTime, Weekday};

/// The same time of day, `days` working days later: Monday to Friday in UTC. What happens at a weekend counts from Monday.
#[must_use]
pub fn after(at: OffsetDateTime, days: u8) -> OffsetDateTime {
    let is_off = |at: OffsetDateTime| matches!(at.weekday(), Weekday::Saturday | Weekday::Sunday);
    let mut due = at;
    for _ in 0..days {
        due += Duration::DAY;
        while is_off(due) {
            due += Duration::DAY;
        }
    }
    due
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::after;

    /// [D-M8] Ten working days are two weeks from any day.
    #[test]
    fn weekends_do_not_count() {
        assert_eq!(after(datetime!(2026-11-26 10:00 UTC), 1), datetime!(2026-11-27 10:00 UTC));
        assert_eq!(after(datetime!(2026-11-27 10:00 UTC), 1), datetime!(2026-11-30 10:00 UTC));
        assert_eq!(after(datetime!(2026-11-27 10:00 UTC), 10), datetime!(2026-12-11 10:00 UTC));
        assert_eq!(after(datetime!(2026-11-28 10:00 UTC), 10), datetime!(2026-12-11 10:00 UTC));
        assert_eq!(after(datetime!(2026-11-30 23:59 UTC), 10), datetime!(2026-12-14 23:59 UTC));
    }
}
