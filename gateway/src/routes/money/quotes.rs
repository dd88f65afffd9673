//! Quotes: how much of an asset an amount in dollars is.

use proto::common::v1 as common;
use proto::payment_method::v1::{self as methods, GetQuoteTermsRequest};
use proto::wallet::v1::{self as wallet, RequestQuoteRequest};
use route_macros::{get, post, request, response};

use crate::extract::{ActiveMember, VerifiedMember};
use crate::http::convert::{Choice, from_proto, rate};
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Dollars, Field, Form, ToProto, reply};
use crate::peers::clients::{ask, keyed};

/// The terms of quotes, and the assets that can be quoted.
#[response(from = methods::GetQuoteTermsResponse)]
pub struct QuoteTerms {
    /// What a quote adds to the rate, in hundredths of a percent: a deposit asks for more units, a payout has fewer.
    #[schema(example = 50)]
    spread_bps: i32,
    /// How long a quote lasts.
    #[schema(example = 900)]
    life_seconds: i32,
    /// Quotes of a member that may be open at the same time.
    #[schema(example = 20)]
    open_max: i32,
    assets: Vec<Asset>,
}

/// A coin or token on one chain that the platform receives and pays.
#[response(from = methods::QuotableAsset)]
pub struct Asset {
    /// The currency code.
    #[from(symbol)]
    #[schema(example = "BTC")]
    asset: String,
    #[schema(example = "bitcoin")]
    chain: String,
    /// The contract of a token.
    #[serde(skip_serializing_if = "String::is_empty")]
    contract: String,
    /// Digits after the point of a whole unit.
    #[schema(example = 8)]
    decimals: i32,
    /// Platform methods of this asset.
    method_ids: Vec<String>,
    /// Whether there is a rate now. Without one, a quote is refused with `RATE_UNAVAILABLE`.
    available: bool,
    /// Dollars for a whole unit at which deposits are valued, before the spread.
    #[from(bid_micros, with = rate)]
    #[schema(example = "97312.45")]
    bid: Option<String>,
    /// Dollars for a whole unit at which payouts are valued, before the spread.
    #[from(ask_micros, with = rate)]
    #[schema(example = "97315.1")]
    ask: Option<String>,
    /// The names of the sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    /// When the oldest source was read.
    at: Option<String>,
}

/// Read the terms of quotes and the current rates
#[get("/quotes/terms", "Money")]
pub async fn terms(caller: VerifiedMember) -> Answer<QuoteTerms> {
    reply(ask!(caller.payment_method.get_quote_terms(GetQuoteTermsRequest {}))?)
}

/// What a quote is for.
#[response(from = common::QuoteDirection)]
pub enum QuoteDirection {
    Deposit,
    Withdrawal,
}

/// An amount to quote.
#[request(to = RequestQuoteRequest)]
pub struct NewQuote {
    #[to(with = direction)]
    direction: Field<QuoteDirection>,
    /// Amount in dollars; of a withdrawal the gross amount.
    #[schema(example = 500)]
    amount: Field<f64>,
    /// Id of a platform method, or a currency code; of a withdrawal, also the id of an own method.
    #[schema(example = "BTC")]
    method: Field<String>,
}

/// The prices of one source.
#[response(from = common::RateSource)]
pub struct RateSource {
    #[schema(example = "kraken")]
    name: String,
    #[from(bid_micros, with = rate)]
    #[schema(example = "97312.4")]
    #[nullable]
    bid: Option<String>,
    #[from(ask_micros, with = rate)]
    #[schema(example = "97312.5")]
    #[nullable]
    ask: Option<String>,
    #[nullable]
    at: Option<String>,
}

/// How much of an asset an amount is, until the quote expires. A deposit or withdrawal uses it once.
#[response(from = common::Quote)]
pub struct Quote {
    id: String,
    direction: QuoteDirection,
    /// The amount in dollars, as requested.
    amount: Dollars,
    /// The part of it that the units are worth: of a withdrawal, what is left after the fee.
    #[from(priced_cents)]
    priced_amount: Dollars,
    /// Id of the payment method.
    #[from(method_id)]
    method: String,
    /// Deposits: the version of the method, with its address.
    method_version: i32,
    /// The currency code.
    #[from(currency)]
    #[schema(example = "BTC")]
    asset: String,
    network: String,
    #[schema(example = "bitcoin")]
    chain: String,
    /// The contract of a token.
    #[serde(skip_serializing_if = "String::is_empty")]
    contract: String,
    /// Deposits: where to pay.
    #[serde(skip_serializing_if = "String::is_empty")]
    address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    memo: String,
    /// In the smallest unit of the asset, e.g. satoshi.
    #[schema(example = "513809")]
    units: String,
    /// Digits after the point of a whole unit.
    #[schema(example = 8)]
    decimals: i32,
    /// Dollars for a whole unit, before the spread.
    #[from(rate_micros, with = rate)]
    #[schema(example = "97312.45")]
    #[nullable]
    rate: Option<String>,
    /// What is added to the rate, in hundredths of a percent.
    spread_bps: i32,
    /// The sources that the rate is the median of.
    sources: Vec<RateSource>,
    at: String,
    expires_at: String,
    /// Deposits: how the address was derived, if it is the member's own.
    derivation: Option<Derivation>,
}

/// How an own address of the member follows from the extended public key of a platform method. The web app derives it again before it
/// shows the address.
#[response(from = common::Derivation)]
pub struct Derivation {
    /// Extended public key of an account, on Bitcoin perhaps an output descriptor. The signature of the method is over it, in the place of
    /// the address.
    key: String,
    /// Path of the address in the operator's wallet.
    #[schema(example = "m/44'/195'/0'/0/7")]
    path: String,
    /// Last step of the path.
    #[schema(example = 7)]
    index: u32,
    /// Whether each deposit gets another address. Otherwise the member keeps it.
    per_deposit: bool,
}

fn direction<T>(form: &mut Form, name: &str, field: &Field<T>) -> i32 {
    let direction = QuoteDirection::named(&form.text(name, field));
    if direction.is_none() {
        form.wrong(name, "The direction must be deposit or withdrawal.");
    }
    direction.unwrap_or_default().into()
}

/// The response with a quote.
#[response]
pub struct QuoteMade {
    message: &'static str,
    quote: Quote,
}

/// Quote an amount
///
/// The rate of a deposit is locked for 15 minutes. A withdrawal is an estimate: its units are fixed when it is paid.
#[post("/quotes", "Money")]
pub async fn create(caller: ActiveMember, Keyed { value, claim }: Keyed<NewQuote>) -> Created<QuoteMade> {
    let message = RequestQuoteRequest { idempotency: claim, ..value.to_proto()? };
    keyed!(caller.wallet.request_quote(message))?.reply(|answer| {
        let quote: Quote = from_proto(answer.quote)?;
        let message = match quote.direction {
            QuoteDirection::Deposit => "The rate is locked for 15 minutes.",
            QuoteDirection::Withdrawal => "This is an estimate. The rate of the moment of the payout applies.",
        };
        Ok(QuoteMade { message, quote })
    })
}

/// The quote that a deposit or withdrawal was requested with.
#[response(from = wallet::TransactionQuote)]
pub struct TransactionQuote {
    id: String,
    /// The currency code.
    #[schema(example = "BTC")]
    asset: String,
    /// What a deposit has to bring, or about what a withdrawal pays, in the smallest unit of the asset.
    #[schema(example = "513809")]
    units: String,
    /// Digits after the point of a whole unit.
    #[schema(example = 8)]
    decimals: i32,
    /// Dollars for a whole unit, before the spread.
    #[from(rate_micros, with = rate)]
    #[schema(example = "97312.45")]
    #[nullable]
    rate: Option<String>,
    spread_bps: i32,
    at: String,
    expires_at: String,
}

/// What a payout sends.
#[response(from = wallet::PayoutPrice)]
pub struct PayoutPrice {
    /// The currency code.
    #[schema(example = "BTC")]
    asset: String,
    /// The contract of a token.
    #[serde(skip_serializing_if = "String::is_empty")]
    contract: String,
    /// In the smallest unit of the asset, e.g. satoshi.
    #[schema(example = "400565")]
    units: String,
    /// Digits after the point of a whole unit.
    #[schema(example = 8)]
    decimals: i32,
    /// Dollars for a whole unit, before the spread.
    #[from(rate_micros, with = rate)]
    #[schema(example = "97312.45")]
    #[nullable]
    rate: Option<String>,
    spread_bps: i32,
    /// When it was fixed.
    at: String,
}
