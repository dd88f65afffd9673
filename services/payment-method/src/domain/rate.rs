//! The rate of an asset at a moment: what enough fresh sources agree on, or two people published (D-Q2, D-N3).

use chassis::money::Rate;
use chassis::validate::{Checks, FieldError, is_text};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use time::{Duration, OffsetDateTime};

/// What is older counts for nothing.
pub const FRESH: Duration = Duration::seconds(120);
/// How far from the median a source may be, in hundredths of a percent.
const AGREEMENT_BPS: u16 = 100;
/// The widest spread of a source, in hundredths of a percent of its bid: a thin order book says nothing about the price.
const WIDEST_BPS: u16 = 100;
/// How far a fresh source may be from a published rate, in hundredths of a percent.
const DISPUTE_BPS: u16 = 200;
/// How far a rate that is published may be from the last known one, in hundredths of a percent.
const LEAP_BPS: u16 = 2_000;
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
    /// When it was read, or the time that the source states if that is earlier.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum NoRate {
    /// Fewer than two sources answered lately.
    Missing,
    /// The sources differ by too much.
    Disputed,
    /// A stablecoin is not worth a dollar.
    OffPeg,
}

impl Point {
    fn middle(&self) -> Rate {
        self.bid.midway(self.ask)
    }

    /// Whether it is what a source said at most [`FRESH`] before a moment, and not after it.
    fn is_fresh(&self, at: OffsetDateTime) -> bool {
        self.valid_until.is_none() && (Duration::ZERO..=FRESH).contains(&(at - self.at))
    }

    fn is_narrow(&self) -> bool {
        !self.ask.is_off(self.bid, WIDEST_BPS)
    }
}

/// The rate at a moment: that of sources that agree; without them, the newest that was published and is still valid, unless a
/// fresh source contradicts it.
///
/// # Errors
/// Why there is none. A price from before or after the moment is never used.
pub fn agree(points: &[Point], pegged: bool, at: OffsetDateTime) -> Result<Agreed, NoRate> {
    let fresh: Vec<_> = points.iter().filter(|point| point.is_fresh(at) && point.is_narrow()).cloned().collect();
    let agreed = match of_sources(fresh.clone()) {
        Ok(agreed) => agreed,
        Err(reason) => undisputed(published(points, at).ok_or(reason)?, &fresh)?,
    };
    if pegged && !(PEG.contains(&agreed.bid.micros()) && PEG.contains(&agreed.ask.micros())) {
        return Err(NoRate::OffPeg);
    }
    Ok(agreed)
}

fn of_sources(mut fresh: Vec<Point>) -> Result<Agreed, NoRate> {
    if fresh.len() < QUORUM {
        return Err(NoRate::Missing);
    }
    let reference = median(fresh.iter().map(Point::middle).collect()).ok_or(NoRate::Missing)?;
    fresh.retain(|point| !point.middle().is_off(reference, AGREEMENT_BPS));
    if fresh.len() < QUORUM {
        return Err(NoRate::Disputed);
    }
    fresh.sort_by(|one, other| one.source.cmp(&other.source));
    let bid = median(fresh.iter().map(|point| point.bid).collect()).ok_or(NoRate::Missing)?;
    let ask = median(fresh.iter().map(|point| point.ask).collect()).ok_or(NoRate::Missing)?;
    Ok(Agreed { bid, ask, points: fresh })
}

fn published(points: &[Point], at: OffsetDateTime) -> Option<Agreed> {
    let is_in_force = |point: &&Point| point.at <= at && point.valid_until.is_some_and(|until| at < until);
    let newest = points.iter().filter(is_in_force).max_by_key(|point| point.at)?.clone();
    Some(Agreed { bid: newest.bid, ask: newest.ask, points: vec![newest] })
}

/// A published rate, unless the market has left it.
fn undisputed(published: Agreed, fresh: &[Point]) -> Result<Agreed, NoRate> {
    let middle = published.bid.midway(published.ask);
    let is_disputed = fresh.iter().any(|point| point.middle().is_off(middle, DISPUTE_BPS));
    if is_disputed { Err(NoRate::Disputed) } else { Ok(published) }
}

/// The last known rate, however old: the newest published one, or the median of what sources said last.
#[must_use]
pub fn last_known(points: &[Point]) -> Option<Rate> {
    let newest = points.iter().filter(|point| point.is_narrow()).max_by_key(|point| point.at)?;
    if newest.valid_until.is_some() {
        return Some(newest.middle());
    }
    let last = points.iter().filter(|point| point.is_fresh(newest.at) && point.is_narrow());
    median(last.map(Point::middle).collect())
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
        let is_wide = typed.bid_micros < typed.ask_micros && typed.ask_micros.is_off(typed.bid_micros, WIDEST_BPS);
        checks.that(!is_wide, "ask", "The ask must be at most 1 % above the bid");
        checks.that(is_text(&source, 3, 200), "source", "Please name the source in 3 to 200 characters");
        checks.that(
            (1..=LONGEST_MINUTES).contains(&typed.valid_minutes),
            "validMinutes",
            "A rate counts for 1 to 1440 minutes",
        );
        checks.passed(Self { source, ..typed })
    }

    /// Whether it is within 20 % of the last known rate.
    #[must_use]
    pub fn is_near(&self, last_known: Rate) -> bool {
        !self.bid_micros.midway(self.ask_micros).is_off(last_known, LEAP_BPS)
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::{Rate, Rounding};
    use time::{Duration, OffsetDateTime};

    use super::{NoRate, Point, Publication, agree, last_known};

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

    /// [D-Q2] A stablecoin outside 0.98 to 1.02 is not quoted, no matter who says so.
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

    /// [D-N3] A source with an empty order book neither makes a rate nor moves one.
    #[test]
    fn a_source_with_a_wide_spread_is_dropped() {
        let (kraken, coinbase) = (point("kraken", ("97302", "97308"), 0), point("coinbase", ("97303", "97306"), 0));
        let thin = point("bitstamp", ("50000", "144610"), 0);
        let agreed = agree(&[kraken.clone(), coinbase, thin.clone()], false, NOW).expect("two agree");
        assert_eq!((agreed.bid, agreed.ask, agreed.points.len()), (rate("97302.5"), rate("97307"), 2));
        assert_eq!(agree(&[kraken, thin], false, NOW), Err(NoRate::Missing));
        let one_percent = point("bitstamp", ("100", "101"), 0);
        assert!(agree(&[one_percent.clone(), point("kraken", ("100", "101"), 0)], false, NOW).is_ok());
        let wider = point("kraken", ("100", "101.000001"), 0);
        assert_eq!(agree(&[one_percent, wider], false, NOW), Err(NoRate::Missing));
    }

    /// [D-N3] A published rate does not replace sources that contradict it: one that differs by more than 2 % is enough.
    #[test]
    fn a_published_rate_gives_way_to_a_source_that_differs() {
        let published = published(("100", "100"), 0, 60);
        let with = |points: &[Point]| agree(&[points, std::slice::from_ref(&published)].concat(), false, NOW);
        assert!(with(&[point("kraken", ("98", "98"), 0)]).is_ok());
        assert_eq!(with(&[point("kraken", ("97.9", "97.9"), 0)]), Err(NoRate::Disputed));
        assert!(with(&[point("kraken", ("60", "60"), 121)]).is_ok(), "an old source says nothing");
        let torn = [point("kraken", ("66", "66"), 0), point("coinbase", ("70", "70"), 0)];
        assert_eq!(with(&torn), Err(NoRate::Disputed));
    }

    /// [D-N3] Nothing newer than the moment counts, whether a source said it or two people published it.
    #[test]
    fn nothing_newer_than_the_moment_counts() {
        let points = [point("kraken", ("100", "100"), 0), point("coinbase", ("100", "100"), 0)];
        let before = NOW - Duration::seconds(1);
        assert_eq!(agree(&points, false, before), Err(NoRate::Missing));
        assert_eq!(agree(&[published(("100", "100"), 0, 60)], false, before), Err(NoRate::Missing));
        assert!(agree(&points, false, NOW).is_ok());
    }

    /// [D-N3] A rate is published within 20 % of the last known one, which no thin order book decides.
    #[test]
    fn a_published_rate_is_near_the_last_known() {
        let (hour, day) = (3_600, 86_400);
        let sources = [
            point("kraken", ("100", "100"), hour),
            point("coinbase", ("101", "101"), hour + 30),
            point("bitstamp", ("1", "300"), hour - 30),
            point("kraken", ("50", "50"), day),
        ];
        assert_eq!(last_known(&sources), Some(rate("100.5")));
        let newer = published(("120", "120"), 60, 60);
        assert_eq!(last_known(&[&sources[..], &[newer]].concat()), Some(rate("120")));
        assert_eq!(last_known(&[]), None);
        let publication = |bid: &str| Publication {
            asset: "BTC".to_owned(),
            bid_micros: rate(bid),
            ask_micros: rate(bid),
            source: "Kraken website".to_owned(),
            valid_minutes: 60,
        };
        for (bid, is_near) in [("80", true), ("79.99", false), ("120", true), ("120.01", false)] {
            assert_eq!(publication(bid).is_near(rate("100")), is_near, "{bid}");
        }
    }

    /// [D-R17] The fields of a rate that is published.
    #[test]
    fn a_published_rate_has_a_source_and_a_life() {
        let valid = Publication {
            asset: "BTC".to_owned(),
            bid_micros: rate("99"),
            ask_micros: rate("99.5"),
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
        assert_eq!(wrong(|typed| typed.ask_micros = rate("100")), ["ask"]);
        assert_eq!(wrong(|typed| typed.source = "  x ".to_owned()), ["source"]);
        assert_eq!(wrong(|typed| typed.valid_minutes = 0), ["validMinutes"]);
        assert_eq!(wrong(|typed| typed.valid_minutes = 1_441), ["validMinutes"]);
    }
}
