//! The rate of an asset: what enough fresh sources agree on, or two people published (D-Q2).

use chassis::money::Rate;
use chassis::validate::{Checks, FieldError, is_text};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// What is older counts for nothing.
pub const FRESH: Duration = Duration::seconds(120);
/// How far from the median a source may be, in hundredths of a percent.
const AGREEMENT_BPS: u16 = 100;
/// Sources that a rate takes.
const QUORUM: usize = 2;
/// Between which rates a stablecoin is worth a dollar, in millionths.
const PEG: std::ops::RangeInclusive<i64> = 980_000..=1_020_000;
/// How long a published rate may count.
const LONGEST_MINUTES: i32 = 1_440;

/// The prices of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    pub source: String,
    pub bid: Rate,
    pub ask: Rate,
    /// When it was read, or, where the source states an earlier time, then.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Of a published rate: until when it counts.
    #[serde(with = "time::serde::rfc3339::option", default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<OffsetDateTime>,
}

/// A rate, and the points that it is the median of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    pub bid: Rate,
    pub ask: Rate,
    /// By name; never empty.
    pub points: Vec<Point>,
}

/// Why there is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRate {
    /// Fewer than two sources answered lately.
    Missing,
    /// The sources differ by too much.
    Disputed,
    /// A stablecoin is not worth a dollar.
    OffPeg,
}

impl NoRate {
    /// As metrics name it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Disputed => "disputed",
            Self::OffPeg => "off_peg",
        }
    }
}

/// The rate at this moment: of sources that agree; without them, the newest that was published and still counts.
///
/// # Errors
/// Why there is none. An old price is never used.
pub fn agree(points: &[Point], pegged: bool, now: OffsetDateTime) -> Result<Agreed, NoRate> {
    let of_sources = of_sources(points, now);
    let agreed = match (of_sources, published(points, now)) {
        (Ok(agreed), _) | (Err(_), Some(agreed)) => agreed,
        (Err(reason), None) => return Err(reason),
    };
    if pegged && !(PEG.contains(&agreed.bid.micros()) && PEG.contains(&agreed.ask.micros())) {
        return Err(NoRate::OffPeg);
    }
    Ok(agreed)
}

fn of_sources(points: &[Point], now: OffsetDateTime) -> Result<Agreed, NoRate> {
    let mut fresh: Vec<Point> =
        points.iter().filter(|point| point.valid_until.is_none() && now - point.at <= FRESH).cloned().collect();
    if fresh.len() < QUORUM {
        return Err(NoRate::Missing);
    }
    let middle = |point: &Point| point.bid.midway(point.ask);
    let reference = median(fresh.iter().map(middle).collect()).ok_or(NoRate::Missing)?;
    fresh.retain(|point| !middle(point).is_off(reference, AGREEMENT_BPS));
    if fresh.len() < QUORUM {
        return Err(NoRate::Disputed);
    }
    fresh.sort_by(|one, other| one.source.cmp(&other.source));
    let bid = median(fresh.iter().map(|point| point.bid).collect()).ok_or(NoRate::Missing)?;
    let ask = median(fresh.iter().map(|point| point.ask).collect()).ok_or(NoRate::Missing)?;
    Ok(Agreed { bid, ask, points: fresh })
}

fn published(points: &[Point], now: OffsetDateTime) -> Option<Agreed> {
    let in_force = points.iter().filter(|point| point.valid_until.is_some_and(|until| now < until));
    let newest = in_force.max_by_key(|point| point.at)?.clone();
    Some(Agreed { bid: newest.bid, ask: newest.ask, points: vec![newest] })
}

/// The middle one; of an even number, halfway between the two in the middle.
fn median(mut rates: Vec<Rate>) -> Option<Rate> {
    rates.sort_unstable();
    let upper = *rates.get(rates.len() / 2)?;
    let lower = *rates.get((rates.len() - 1) / 2)?;
    Some(lower.midway(upper))
}

/// A rate that staff publishes, as stored in its proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    pub asset: String,
    pub bid_micros: Rate,
    pub ask_micros: Rate,
    /// Where it was read.
    pub source: String,
    /// From the confirmation on.
    pub valid_minutes: i32,
}

impl Publication {
    /// Checks what a treasurer entered.
    ///
    /// # Errors
    /// All invalid fields.
    pub fn parse(typed: Self) -> Result<Self, Vec<FieldError>> {
        let mut checks = Checks::default();
        let source = typed.source.trim().to_owned();
        checks.that(typed.bid_micros <= typed.ask_micros, "ask", "The ask must not be below the bid");
        checks.that(is_text(&source, 3, 200), "source", "Please name the source in 3 to 200 characters");
        checks.that(
            (1..=LONGEST_MINUTES).contains(&typed.valid_minutes),
            "validMinutes",
            "A rate counts for 1 to 1440 minutes",
        );
        checks.passed(Self { source, ..typed })
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::{Rate, Rounding};
    use time::{Duration, OffsetDateTime};

    use super::{NoRate, Point, Publication, agree};

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn rate(text: &str) -> Rate {
        Rate::parse(text, Rounding::Down).expect("a rate")
    }

    fn point(source: &str, (bid, ask): (&str, &str), age_seconds: i64) -> Point {
        let at = NOW - Duration::seconds(age_seconds);
        Point { source: source.to_owned(), bid: rate(bid), ask: rate(ask), at, valid_until: None }
    }

    fn published((bid, ask): (&str, &str), age_seconds: i64, valid_seconds: i64) -> Point {
        let point = point("Kraken website", (bid, ask), age_seconds);
        Point { valid_until: Some(point.at + Duration::seconds(valid_seconds)), ..point }
    }

    /// [D-Q2] Case 2: of three sources one is 5 % off: it is dropped, and the rate is the median of the others.
    #[test]
    fn a_source_that_is_off_is_dropped() {
        let points = [
            point("kraken", ("97300", "97310"), 0),
            point("coinbase", ("97320", "97320"), 20),
            point("bitstamp", ("102200", "102210"), 0),
        ];
        let agreed = agree(&points, false, NOW).expect("two agree");
        assert_eq!((agreed.bid, agreed.ask), (rate("97310"), rate("97315")));
        let names: Vec<_> = agreed.points.iter().map(|point| point.source.as_str()).collect();
        assert_eq!(names, ["coinbase", "kraken"]);
        let all = [points[0].clone(), points[1].clone(), point("bitstamp", ("97330", "97350"), 0)];
        let agreed = agree(&all, false, NOW).expect("three agree");
        assert_eq!((agreed.bid, agreed.ask, agreed.points.len()), (rate("97320"), rate("97320"), 3));
    }

    /// [D-Q2] Case 3: one fresh source, or only old ones, or two that contradict each other, make no rate.
    #[test]
    fn too_few_or_old_or_contradicting_sources_make_no_rate() {
        let fresh = point("kraken", ("100", "100"), 120);
        let old = point("coinbase", ("100", "100"), 121);
        assert_eq!(agree(&[], false, NOW), Err(NoRate::Missing));
        assert_eq!(agree(&[fresh.clone(), old.clone()], false, NOW), Err(NoRate::Missing));
        assert_eq!(agree(&[old.clone(), old], false, NOW), Err(NoRate::Missing));
        let other = point("bitstamp", ("103", "103"), 0);
        assert_eq!(agree(&[fresh.clone(), other], false, NOW), Err(NoRate::Disputed));
        let far = [fresh, point("a", ("110", "110"), 0), point("b", ("90", "90"), 0)];
        assert_eq!(agree(&far, false, NOW), Err(NoRate::Disputed));
    }

    /// [D-Q2] What two people published counts until its time is over, and only where sources do not agree.
    #[test]
    fn a_published_rate_counts_until_its_end() {
        let in_force = published(("99", "101"), 59, 60);
        let agreed = agree(&[published(("50", "50"), 90, 900), in_force.clone()], false, NOW).expect("published");
        assert_eq!((agreed.bid, agreed.points), (rate("99"), vec![in_force.clone()]));
        assert_eq!(agree(&[published(("99", "101"), 60, 60)], false, NOW), Err(NoRate::Missing));
        let sources = [point("kraken", ("100", "100"), 0), point("coinbase", ("100", "100"), 0), in_force];
        assert_eq!(agree(&sources, false, NOW).expect("sources").bid, rate("100"));
    }

    /// [D-Q2] A stablecoin outside 0.98 to 1.02 is not quoted, whoever says so.
    #[test]
    fn a_stablecoin_off_its_peg_has_no_rate() {
        for (bid, ask, is_quoted) in
            [("0.98", "1.02", true), ("0.979999", "1", false), ("1", "1.020001", false), ("0.9", "0.91", false)]
        {
            let rate = agree(&[published((bid, ask), 0, 60)], true, NOW);
            assert_eq!(rate.is_ok(), is_quoted, "{bid} {ask}");
        }
        assert_eq!(agree(&[published(("0.9", "0.91"), 0, 60)], true, NOW), Err(NoRate::OffPeg));
    }

    /// [D-R17] The fields of a rate that is published.
    #[test]
    fn a_published_rate_has_a_source_and_a_life() {
        let valid = Publication {
            asset: "BTC".to_owned(),
            bid_micros: rate("99"),
            ask_micros: rate("101"),
            source: " Kraken website ".to_owned(),
            valid_minutes: 1_440,
        };
        assert_eq!(Publication::parse(valid.clone()).expect("valid").source, "Kraken website");
        let wrong = |change: fn(&mut Publication)| {
            let mut typed = valid.clone();
            change(&mut typed);
            Publication::parse(typed).expect_err("invalid").iter().map(|error| error.field).collect::<Vec<_>>()
        };
        assert_eq!(wrong(|typed| typed.ask_micros = rate("98")), ["ask"]);
        assert_eq!(wrong(|typed| typed.source = "  x ".to_owned()), ["source"]);
        assert_eq!(wrong(|typed| typed.valid_minutes = 0), ["validMinutes"]);
        assert_eq!(wrong(|typed| typed.valid_minutes = 1_441), ["validMinutes"]);
    }
}
