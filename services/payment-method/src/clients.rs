//! Clients of nodes ([chain]), and of the exchanges whose prices are asked for, in the three forms in which they answer. A
//! hostile answer can do no worse than to count for nothing.

pub mod bitcoin_core;
pub mod chain;
pub mod evm_rpc;
pub mod lookups;
pub mod rpc;

use std::collections::BTreeMap;
use std::time::Duration;

use chassis::money::{Rate, Rounding};
use futures::StreamExt;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde::Deserialize;
use serde_json::value::RawValue;
use time::OffsetDateTime;

use crate::store::rate_points::Reading;

/// How long an answer may take, from the first byte sent to the last received.
const DEADLINE: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(2);
/// Bytes of an answer.
const LARGEST: usize = 256 * 1024;
/// How far in the future a source's clock may be.
const SKEW: time::Duration = time::Duration::seconds(60);

/// Why a source has no price.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("it could not be asked")]
    Unreachable(#[source] reqwest::Error),
    #[error("it did not answer in time")]
    Late,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("its answer is too long")]
    TooLong,
    #[error("its answer cannot be read: {0}")]
    Unreadable(String),
}

/// How a source answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `/0/public/Ticker?pair=XBTUSD`, and `/0/public/Time` because a ticker has no time
    Kraken,
    /// `/products/BTC-USD/ticker` of Coinbase Exchange
    Coinbase,
    /// `/api/v2/ticker/btcusd/`
    Bitstamp,
}

/// A source of rates.
#[derive(Debug, Clone)]
pub struct RateSource {
    shape: Shape,
    base: Url,
    http: Client,
}

impl RateSource {
    /// The source at this address: without redirects, which could lead anywhere.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(shape: Shape, base: Url) -> anyhow::Result<Self> {
        let http = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(DEADLINE)
            .user_agent("solvane")
            .build()?;
        Ok(Self { shape, base, http })
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.shape {
            Shape::Kraken => "kraken",
            Shape::Coinbase => "coinbase",
            Shape::Bitstamp => "bitstamp",
        }
    }

    /// The price of a whole unit in dollars.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn fetch(&self, symbol: &str, now: OffsetDateTime) -> Result<Reading, SourceError> {
        let asked = tokio::time::timeout(DEADLINE, self.price(symbol));
        let price = asked.await.map_err(|_| SourceError::Late)??;
        if price.bid > price.ask {
            return Err(SourceError::Unreadable("the bid is above the ask".to_owned()));
        }
        if price.at - now > SKEW {
            return Err(SourceError::Unreadable("its time is in the future".to_owned()));
        }
        Ok(Reading { symbol: symbol.to_owned(), source: self.name(), bid: price.bid, ask: price.ask, at: price.at })
    }

    async fn price(&self, symbol: &str) -> Result<Price, SourceError> {
        // Asked before the price, so that the price is not older.
        let time = match self.shape.time_url(&self.base) {
            Some(url) => Some(self.body(url).await?),
            None => None,
        };
        let body = self.body(self.shape.url(&self.base, symbol)).await?;
        self.shape.read(&body, time.as_deref()).map_err(SourceError::Unreadable)
    }

    async fn body(&self, url: Url) -> Result<Vec<u8>, SourceError> {
        let answer = self.http.get(url).send().await;
        let answer = answer.map_err(SourceError::Unreachable)?;
        // A redirect is no answer either.
        if !answer.status().is_success() {
            return Err(SourceError::Status(answer.status().as_u16()));
        }
        let (mut body, mut chunks) = (Vec::new(), answer.bytes_stream());
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(SourceError::Unreachable)?;
            if body.len() + chunk.len() > LARGEST {
                return Err(SourceError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

struct Price {
    bid: Rate,
    ask: Rate,
    /// Without it nobody could tell whether the source is frozen.
    at: OffsetDateTime,
}

/// A number as it is written, with or without quotes: it never becomes a float.
type Number = Box<RawValue>;

#[derive(Deserialize)]
struct Kraken {
    #[serde(default)]
    error: Vec<String>,
    #[serde(default)]
    result: BTreeMap<String, KrakenPair>,
}

#[derive(Deserialize)]
struct KrakenPair {
    a: Vec<Number>,
    b: Vec<Number>,
}

#[derive(Deserialize)]
struct KrakenTime {
    result: KrakenClock,
}

#[derive(Deserialize)]
struct KrakenClock {
    unixtime: Number,
}

#[derive(Deserialize)]
struct Coinbase {
    bid: Number,
    ask: Number,
    #[serde(with = "time::serde::rfc3339")]
    time: OffsetDateTime,
}

#[derive(Deserialize)]
struct Bitstamp {
    bid: Number,
    ask: Number,
    timestamp: Number,
}

impl Shape {
    fn url(self, base: &Url, symbol: &str) -> Url {
        let mut url = base.clone();
        match self {
            Self::Kraken => {
                let symbol = if symbol == "BTC" { "XBT" } else { symbol };
                url.set_path("/0/public/Ticker");
                url.query_pairs_mut().append_pair("pair", &format!("{symbol}USD"));
            }
            Self::Coinbase => {
                url.set_path(&format!("/products/{symbol}-USD/ticker"));
            }
            Self::Bitstamp => url.set_path(&format!("/api/v2/ticker/{}usd/", symbol.to_ascii_lowercase())),
        }
        url
    }

    /// Where the time of the prices is, if they come without one.
    fn time_url(self, base: &Url) -> Option<Url> {
        let mut url = base.clone();
        url.set_path("/0/public/Time");
        (self == Self::Kraken).then_some(url)
    }

    fn read(self, body: &[u8], time: Option<&[u8]>) -> Result<Price, String> {
        match self {
            Self::Kraken => {
                let clock: KrakenTime = json(time.ok_or("no time")?)?;
                let at = seconds(&clock.result.unixtime)?;
                let answer: Kraken = json(body)?;
                if let Some(error) = answer.error.first() {
                    return Err(error.chars().take(100).collect());
                }
                // The name of the pair is another than was asked for, so it has to be the only one.
                let [pair] = &answer.result.values().collect::<Vec<_>>()[..] else {
                    return Err("not one pair".to_owned());
                };
                let (ask, bid) = (pair.a.first().ok_or("no ask")?, pair.b.first().ok_or("no bid")?);
                Ok(Price { bid: rate(bid, Rounding::Down)?, ask: rate(ask, Rounding::Up)?, at })
            }
            Self::Coinbase => {
                let answer: Coinbase = json(body)?;
                let (bid, ask) = (rate(&answer.bid, Rounding::Down)?, rate(&answer.ask, Rounding::Up)?);
                Ok(Price { bid, ask, at: answer.time })
            }
            Self::Bitstamp => {
                let answer: Bitstamp = json(body)?;
                let (bid, ask) = (rate(&answer.bid, Rounding::Down)?, rate(&answer.ask, Rounding::Up)?);
                Ok(Price { bid, ask, at: seconds(&answer.timestamp)? })
            }
        }
    }
}

fn json<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

fn text(number: &RawValue) -> Result<String, String> {
    let raw = number.get();
    if raw.starts_with('"') { json(raw.as_bytes()) } else { Ok(raw.to_owned()) }
}

/// A time in seconds since 1970.
fn seconds(number: &RawValue) -> Result<OffsetDateTime, String> {
    let seconds: i64 = text(number)?.parse().map_err(|_| "no time")?;
    OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| "no time".to_owned())
}

fn rate(number: &RawValue, rounding: Rounding) -> Result<Rate, String> {
    Rate::parse(&text(number)?, rounding).map_err(|_| "no price".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Shape;

    const TIME: &str = r#"{"error":[],"result":{"unixtime":1795000000,"rfc1123":"Wed, 18 Nov 26 11:06:40 +0000"}}"#;

    fn read(shape: Shape, body: &str) -> Option<(i64, i64, i64)> {
        let price = shape.read(body.as_bytes(), Some(TIME.as_bytes())).ok()?;
        Some((price.bid.micros(), price.ask.micros(), price.at.unix_timestamp()))
    }

    /// [D-Q2] [D-N3] Case 4: each form is read exactly, numbers as text or not, with the time that the source states.
    #[test]
    fn each_form_is_read_exactly() {
        let kraken =
            r#"{"error":[],"result":{"XXBTZUSD":{"a":["97312.50000","1","1.000"],"b":["97312.40000","2","2.000"]}}}"#;
        assert_eq!(read(Shape::Kraken, kraken), Some((97_312_400_000, 97_312_500_000, 1_795_000_000)));
        for bid in [r#""97312.455""#, "97312.455", "9.7312455e4"] {
            let coinbase = format!(
                r#"{{"ask":"97312.46","bid":{bid},"price":"97312.46","time":"2026-11-18T11:06:40.123456Z","trade_id":1}}"#
            );
            assert_eq!(
                read(Shape::Coinbase, &coinbase),
                Some((97_312_455_000, 97_312_460_000, 1_795_000_000)),
                "{bid}"
            );
        }
        for time in ["1795000000", r#""1795000000""#] {
            let bitstamp = format!(r#"{{"bid":"97310","ask":97311.5,"timestamp":{time},"last":"NaN"}}"#);
            let read = read(Shape::Bitstamp, &bitstamp);
            assert_eq!(read, Some((97_310_000_000, 97_311_500_000, 1_795_000_000)), "{time}");
        }
    }

    /// [D-Q2] Case 4: a malformed price is refused.
    #[test]
    fn whatever_is_no_price_is_refused() {
        for body in [
            "",
            "{}",
            "null",
            "<html><body>Just a moment…</body></html>",
            r#"{"error":["EService:Unavailable"],"result":{"XXBTZUSD":{"a":["1"],"b":["1"]}}}"#,
            r#"{"error":[],"result":{"XXBTZUSD":{"a":[],"b":["1"]}}}"#,
            r#"{"error":[],"result":{"XXBTZUSD":{"a":["1"],"b":["1"]},"XETHZUSD":{"a":["1"],"b":["1"]}}}"#,
        ] {
            assert_eq!(read(Shape::Kraken, body), None, "{body}");
        }
        let coinbase = |price: &str, time: &str| format!(r#"{{"bid":{price},"ask":"1","time":{time}}}"#);
        let bitstamp = |price: &str, time: &str| format!(r#"{{"bid":{price},"ask":"1","timestamp":{time}}}"#);
        for price in ["-1", "\"-1\"", "0", "\"NaN\"", "NaN", "null", "true", "[1]", "\"1,000\"", "\"\"", "1e400"] {
            assert_eq!(read(Shape::Coinbase, &coinbase(price, "\"2026-11-18T11:06:40Z\"")), None, "{price}");
            assert_eq!(read(Shape::Bitstamp, &bitstamp(price, "\"1\"")), None, "{price}");
        }
        for time in ["\"\"", "-1e9", "\"soon\"", "99999999999999999999", "1.5", "null"] {
            assert_eq!(read(Shape::Coinbase, &coinbase("\"1\"", time)), None, "{time}");
            assert_eq!(read(Shape::Bitstamp, &bitstamp("\"1\"", time)), None, "{time}");
        }
    }

    /// [D-N3] A price without a time is refused: it may be frozen.
    #[test]
    fn a_price_without_a_time_is_refused() {
        let kraken = r#"{"error":[],"result":{"XXBTZUSD":{"a":["2"],"b":["1"]}}}"#;
        assert!(Shape::Kraken.read(kraken.as_bytes(), Some(TIME.as_bytes())).is_ok());
        for time in
            [None, Some("{}"), Some(r#"{"error":["EService:Busy"]}"#), Some(r#"{"result":{"unixtime":"soon"}}"#)]
        {
            assert!(Shape::Kraken.read(kraken.as_bytes(), time.map(str::as_bytes)).is_err(), "{time:?}");
        }
        assert_eq!(read(Shape::Coinbase, r#"{"bid":"1","ask":"1"}"#), None);
        assert_eq!(read(Shape::Bitstamp, r#"{"bid":"1","ask":"1"}"#), None);
    }
}
