//! A plan: an offer with a range, a target and a duration.

use chassis::id::PlanId;
use chassis::money::Cents;
use chassis::validate::{Checks, FieldError, is_text};
use serde::{Deserialize, Serialize};

use super::disclosure::Disclosure;
use super::value::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub id: PlanId,
    /// Incremented by every change.
    pub version: i32,
    pub terms: Terms,
    /// The value in force; unset when none was published yet.
    pub value: Option<Value>,
}

/// What a plan offers, valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// 1 to 80 characters.
    pub title: String,
    /// At most 200 characters.
    pub subtitle: String,
    /// The least that can be invested.
    #[serde(rename = "minCents")]
    pub min: Cents,
    /// The most that can be invested at once.
    #[serde(rename = "maxCents")]
    pub max: Cents,
    /// The target over the whole duration in hundredths of a percent.
    pub roi_basis_points: i32,
    /// When a trade's value is frozen.
    pub duration_days: i32,
    /// Whether members can invest in it.
    pub active: bool,
    #[serde(flatten)]
    pub disclosure: Disclosure,
}

impl Terms {
    /// Reads terms as typed, without the blanks around the texts.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn parse(typed: Self) -> Result<Self, Vec<FieldError>> {
        let terms = Self {
            title: typed.title.trim().to_owned(),
            subtitle: typed.subtitle.trim().to_owned(),
            disclosure: typed.disclosure.trimmed(),
            ..typed
        };
        let mut checks = Checks::default();
        checks.that(is_text(&terms.title, 1, 80), "title", "Title must have 1 to 80 characters");
        checks.that(is_text(&terms.subtitle, 0, 200), "subtitle", "Subtitle must have at most 200 characters");
        checks.that(terms.min > Cents::ZERO, "min", "Minimum must be above zero");
        let highest = Cents::new(999_999_999_999);
        checks.that(terms.min <= terms.max && terms.max <= highest, "max", "Maximum must not be below the minimum");
        checks.that((0..=100_000).contains(&terms.roi_basis_points), "roi", "ROI must be between 0 and 1000 percent");
        checks.that((1..=3_650).contains(&terms.duration_days), "duration", "Duration must be 1 to 3650 days");
        terms.disclosure.check(&mut checks, terms.duration_days);
        checks.passed(terms)
    }

    /// Whether so much can be invested at once.
    #[must_use]
    pub fn allows(&self, amount: Cents) -> bool {
        (self.min..=self.max).contains(&amount)
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;

    use super::Terms;
    use crate::domain::disclosure::Disclosure;

    fn terms() -> Terms {
        Terms {
            title: " Starter ".to_owned(),
            subtitle: "A first step".to_owned(),
            min: Cents::new(10_000),
            max: Cents::new(500_000),
            roi_basis_points: 1_250,
            duration_days: 30,
            active: true,
            disclosure: Disclosure::default(),
        }
    }

    #[test]
    fn names_every_wrong_field() {
        let wrong = |change: fn(&mut Terms)| {
            let mut terms = terms();
            change(&mut terms);
            Terms::parse(terms).expect_err("invalid").iter().map(|error| error.field).collect::<Vec<_>>()
        };
        assert_eq!(Terms::parse(terms()).expect("valid").title, "Starter");
        assert_eq!(wrong(|terms| terms.title = " ".to_owned()), ["title"]);
        assert_eq!(wrong(|terms| terms.title = "a\nb".to_owned()), ["title"]);
        assert_eq!(wrong(|terms| terms.subtitle = "s".repeat(201)), ["subtitle"]);
        assert_eq!(wrong(|terms| terms.min = Cents::ZERO), ["min"]);
        assert_eq!(wrong(|terms| terms.max = Cents::new(9_999)), ["max"]);
        assert_eq!(wrong(|terms| terms.max = Cents::new(i64::MAX)), ["max"]);
        assert_eq!(wrong(|terms| terms.roi_basis_points = -1), ["roi"]);
        assert_eq!(wrong(|terms| terms.duration_days = 0), ["duration"]);
    }

    /// [INV-06] The range is inclusive on both sides.
    #[test]
    fn the_range_is_inclusive() {
        let terms = terms();
        assert!(terms.allows(terms.min) && terms.allows(terms.max));
        assert!(!terms.allows(Cents::new(9_999)) && !terms.allows(Cents::new(500_001)) && !terms.allows(Cents::ZERO));
    }
}
