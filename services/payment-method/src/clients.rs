//! Clients of nodes ([chain]), and of the exchanges whose prices are asked for, in the three forms in which they answer. A
//! hostile answer can do no worse than to count for nothing.

pub mod bitcoin_core;
pub mod chain;
pub mod evm_rpc;
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
    /// `/0/public/Ticker?pair=XBTUSD`
    Kraken,
    /// `/v2/exchange-rates?currency=BTC`
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
        let asked = tokio::time::timeout(DEADLINE, self.body(symbol));
        let body = asked.await.map_err(|_| SourceError::Late)??;
        let price = self.shape.read(&body).map_err(SourceError::Unreadable)?;
        if price.bid > price.ask {
            return Err(SourceError::Unreadable("the bid is above the ask".to_owned()));
        }
        if price.at.is_some_and(|at| at - now > SKEW) {
            return Err(SourceError::Unreadable("its time is in the future".to_owned()));
        }
        Ok(Reading { symbol: symbol.to_owned(), source: self.name(), bid: price.bid, ask: price.ask, at: price.at })
    }

    async fn body(&self, symbol: &str) -> Result<Vec<u8>, SourceError> {
        let answer = self.http.get(self.shape.url(&self.base, symbol)).send().await;
        let answer = answer.map_err(SourceError::Unreachable)?;
        // A redirect is none either.
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
    at: Option<OffsetDateTime>,
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
struct Coinbase {
    data: CoinbaseData,
}

#[derive(Deserialize)]
struct CoinbaseData {
    rates: BTreeMap<String, Number>,
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
                url.set_path("/v2/exchange-rates");
                url.query_pairs_mut().append_pair("currency", symbol);
            }
            Self::Bitstamp => url.set_path(&format!("/api/v2/ticker/{}usd/", symbol.to_ascii_lowercase())),
        }
        url
    }

    fn read(self, body: &[u8]) -> Result<Price, String> {
        match self {
            Self::Kraken => {
                let answer: Kraken = json(body)?;
                if let Some(error) = answer.error.first() {
                    return Err(error.chars().take(100).collect());
                }
                // The name of the pair is another than was asked for, so it has to be the only one.
                let [pair] = &answer.result.values().collect::<Vec<_>>()[..] else {
                    return Err("not one pair".to_owned());
                };
                let (ask, bid) = (pair.a.first().ok_or("no ask")?, pair.b.first().ok_or("no bid")?);
                Ok(Price { bid: rate(bid, Rounding::Down)?, ask: rate(ask, Rounding::Up)?, at: None })
            }
            Self::Coinbase => {
                let answer: Coinbase = json(body)?;
                let price = answer.data.rates.get("USD").ok_or("no rate in USD")?;
                Ok(Price { bid: rate(price, Rounding::Down)?, ask: rate(price, Rounding::Up)?, at: None })
            }
            Self::Bitstamp => {
                let answer: Bitstamp = json(body)?;
                let seconds: i64 = text(&answer.timestamp)?.parse().map_err(|_| "no time")?;
                let at = OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| "no time")?;
                Ok(Price {
                    bid: rate(&answer.bid, Rounding::Down)?,
                    ask: rate(&answer.ask, Rounding::Up)?,
                    at: Some(at),
                })
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

fn rate(number: &RawValue, rounding: Rounding) -> Result<Rate, String> {
    Rate::parse(&text(number)?, rounding).map_err(|_| "no price".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Shape;

    fn read(shape: Shape, body: &str) -> Option<(i64, i64, Option<i64>)> {
        let price = shape.read(body.as_bytes()).ok()?;
        Some((price.bid.micros(), price.ask.micros(), price.at.map(|at| at.unix_timestamp())))
    }

    /// [D-Q2] Case 4: each form is read exactly, numbers as text or not.
    #[test]
    fn each_form_is_read_exactly() {
        let kraken =
            r#"{"error":[],"result":{"XXBTZUSD":{"a":["97312.50000","1","1.000"],"b":["97312.40000","2","2.000"]}}}"#;
        assert_eq!(read(Shape::Kraken, kraken), Some((97_312_400_000, 97_312_500_000, None)));
        for rate in [r#""97312.455""#, "97312.455", "9.7312455e4"] {
            let coinbase = format!(r#"{{"data":{{"currency":"BTC","rates":{{"EUR":"1","USD":{rate}}}}}}}"#);
            assert_eq!(read(Shape::Coinbase, &coinbase), Some((97_312_455_000, 97_312_455_000, None)), "{rate}");
        }
        for time in ["1795000000", r#""1795000000""#] {
            let bitstamp = format!(r#"{{"bid":"97310","ask":97311.5,"timestamp":{time},"last":"NaN"}}"#);
            let read = read(Shape::Bitstamp, &bitstamp);
            assert_eq!(read, Some((97_310_000_000, 97_311_500_000, Some(1_795_000_000))), "{time}");
        }
    }

    /// [D-Q2] Case 4: whatever is no price is refused.
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
        for price in ["-1", "\"-1\"", "0", "\"NaN\"", "NaN", "null", "true", "[1]", "\"1,000\"", "\"\"", "1e400"] {
            let coinbase = format!(r#"{{"data":{{"rates":{{"USD":{price}}}}}}}"#);
            assert_eq!(read(Shape::Coinbase, &coinbase), None, "{price}");
            let bitstamp = format!(r#"{{"bid":{price},"ask":"1","timestamp":"1"}}"#);
            assert_eq!(read(Shape::Bitstamp, &bitstamp), None, "{price}");
        }
        for time in ["\"\"", "-1e9", "\"soon\"", "99999999999999999999", "1.5"] {
            let bitstamp = format!(r#"{{"bid":"1","ask":"1","timestamp":{time}}}"#);
            assert_eq!(read(Shape::Bitstamp, &bitstamp), None, "{time}");
        }
    }
}
