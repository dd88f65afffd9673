//! What the past of a plan says: how far its value fell and rose, and how its trades ended (D-T3).

use time::{Duration, OffsetDateTime};

use super::value::Value;

/// The smallest and the largest change of a value over every period of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extremes {
    /// In hundredths of a percent, rounded down, so that nothing looks better than it was.
    pub worst_basis_points: i32,
    /// The same.
    pub best_basis_points: i32,
}

/// Trades that were claimed or closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub ended: i64,
    /// Those of them that paid less than was invested.
    pub at_loss: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub first: Option<Value>,
    /// Unset while the plan is younger than 30 days.
    pub over_30_days: Option<Extremes>,
    /// Unset while the plan is younger than 90 days.
    pub over_90_days: Option<Extremes>,
    pub outcomes: Outcomes,
}

impl Facts {
    /// From the values so far, oldest first.
    #[must_use]
    pub fn new(values: &[Value], outcomes: Outcomes, now: OffsetDateTime) -> Self {
        Self {
            first: values.first().cloned(),
            over_30_days: extremes(values, Duration::days(30), now),
            over_90_days: extremes(values, Duration::days(90), now),
            outcomes,
        }
    }
}

/// A value holds until the next one, so the change over a period only differs from moment to moment where the period begins
/// or ends at a published value: these periods are all that there is to compare.
fn extremes(values: &[Value], length: Duration, now: OffsetDateTime) -> Option<Extremes> {
    let first = values.first()?.at;
    let beginnings = values.iter().map(|value| value.at);
    let endings = values.iter().map(|value| value.at.saturating_sub(length));
    let periods = beginnings.chain(endings).filter(|begin| *begin >= first && begin.saturating_add(length) <= now);
    let changes = periods.filter_map(|begin| {
        let (from, to) = (in_force(values, begin)?, in_force(values, begin.saturating_add(length))?);
        let change = (i128::from(to) - i128::from(from)) * 10_000;
        // Values are at most 10^12 and at least 1: far beyond what a plan does, the change is capped.
        Some(i32::try_from(change.div_euclid(i128::from(from))).unwrap_or(i32::MAX))
    });
    changes.fold(None, |found: Option<Extremes>, change| {
        Some(found.map_or(Extremes { worst_basis_points: change, best_basis_points: change }, |found| Extremes {
            worst_basis_points: found.worst_basis_points.min(change),
            best_basis_points: found.best_basis_points.max(change),
        }))
    })
}

/// The value in force at a moment, in millionths.
fn in_force(values: &[Value], moment: OffsetDateTime) -> Option<i64> {
    let later = values.partition_point(|value| value.at <= moment);
    values.get(later.checked_sub(1)?).map(|value| value.micros)
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::{Extremes, Facts, Outcomes};
    use crate::domain::value::Value;

    fn day(day: i64) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::days(day)
    }

    fn facts(points: &[(i64, i64)], now: i64) -> Facts {
        let value = |&(at, micros): &(i64, i64)| Value { micros, at: day(at), source: "Exchange close".to_owned() };
        Facts::new(&points.iter().map(value).collect::<Vec<_>>(), Outcomes::default(), day(now))
    }

    /// [D-T3] The worst and the best of every 30 days, those between two publications included.
    #[test]
    fn every_period_counts() {
        // Fell to 0.8 for two days, between the 30th and the 32nd: only a period that ends or begins there sees it.
        let facts = facts(&[(0, 1_000_000), (30, 800_000), (32, 1_200_000), (50, 1_100_000)], 70);
        let worst_and_best = |found: Extremes| (found.worst_basis_points, found.best_basis_points);
        assert_eq!(facts.over_30_days.map(worst_and_best), Some((-2_000, 3_750)));
        assert_eq!(facts.over_90_days, None);
        assert_eq!(facts.first.map(|first| first.micros), Some(1_000_000));
    }

    /// [D-T3] A plan that is too young says nothing; one that never fell has a worst period without a loss.
    #[test]
    fn a_young_plan_says_nothing() {
        assert_eq!(facts(&[], 10).first, None);
        assert_eq!(facts(&[(0, 1_000_000), (20, 2_000_000)], 29).over_30_days, None);
        let risen = facts(&[(0, 1_000_000), (90, 1_000_150)], 90);
        assert_eq!(risen.over_90_days, Some(Extremes { worst_basis_points: 1, best_basis_points: 1 }));
        assert_eq!(risen.over_30_days, Some(Extremes { worst_basis_points: 0, best_basis_points: 1 }));
    }

    /// [D-T3] Rounded down: a fall is never shown smaller, a gain never larger.
    #[test]
    fn changes_are_rounded_down() {
        let fallen = facts(&[(0, 1_000_000), (30, 999_999)], 30);
        assert_eq!(fallen.over_30_days.map(|found| found.worst_basis_points), Some(-1));
        let extreme = facts(&[(0, 1), (30, 1_000_000_000_000)], 30);
        assert_eq!(extreme.over_30_days.map(|found| found.best_basis_points), Some(i32::MAX));
    }
}
