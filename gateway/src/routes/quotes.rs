//! Quotes: how much of an asset an amount in dollars is.

use chassis::money::Rate;
use proto::common::v1 as common;
use proto::payment_method::v1::{GetQuoteTermsRequest, QuotableAsset};
use proto::wallet::v1::{self as wallet, RequestQuoteRequest};
use route_macros::{get, post, request, response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::clients::{ask, keyed};
use crate::error::ApiError;
use crate::extract::{ActiveMember, VerifiedMember};
use crate::idempotency::Keyed;
use crate::json::{Answer, Created, Dollars, Field, Form, created, known_moment, marked, moment, ok};

/// The terms of quotes, and the assets that can be quoted.
#[response]
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
#[response]
pub struct Asset {
    /// The currency code.
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
    #[schema(example = "97312.45")]
    bid: Option<String>,
    /// Dollars for a whole unit at which payouts are valued, before the spread.
    #[schema(example = "97315.1")]
    ask: Option<String>,
    /// The names of the sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    /// When the oldest source was read.
    at: Option<String>,
}

/// Dollars for a whole unit, as text; nothing for what is no rate.
fn rate(micros: i64) -> Option<String> {
    Rate::new(micros).ok().map(Rate::to_wire)
}

impl From<QuotableAsset> for Asset {
    fn from(asset: QuotableAsset) -> Self {
        Self {
            asset: asset.symbol,
            chain: asset.chain,
            contract: asset.contract,
            decimals: asset.decimals,
            method_ids: asset.method_ids,
            available: asset.available,
            bid: rate(asset.bid_micros),
            ask: rate(asset.ask_micros),
            sources: asset.sources,
            at: moment(asset.at.as_ref()),
        }
    }
}

/// Read the terms of quotes and the current rates
#[get("/quotes/terms", "Money")]
pub async fn terms(caller: VerifiedMember) -> Answer<QuoteTerms> {
    let terms = ask!(caller.payment_method.get_quote_terms(GetQuoteTermsRequest {}))?;
    Ok(ok(QuoteTerms {
        spread_bps: terms.spread_bps,
        life_seconds: terms.life_seconds,
        open_max: terms.open_max,
        assets: terms.assets.into_iter().map(Asset::from).collect(),
    }))
}

/// What a quote is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuoteDirection {
    Deposit,
    Withdrawal,
}

/// An amount to quote.
#[request]
pub struct NewQuote {
    direction: Field<QuoteDirection>,
    /// Amount in dollars; of a withdrawal the gross amount.
    #[schema(example = 500)]
    amount: Field<f64>,
    /// Id of a platform method, or a currency code; of a withdrawal, also the id of an own method.
    #[schema(example = "BTC")]
    method: Field<String>,
}

/// The prices of one source.
#[response]
pub struct RateSource {
    #[schema(example = "kraken")]
    name: String,
    #[schema(example = "97312.4")]
    #[nullable]
    bid: Option<String>,
    #[schema(example = "97312.5")]
    #[nullable]
    ask: Option<String>,
    #[nullable]
    at: Option<String>,
}

/// How much of an asset an amount is, until the quote expires. A deposit or withdrawal uses it once.
#[response]
pub struct Quote {
    id: String,
    direction: QuoteDirection,
    /// The amount in dollars, as requested.
    amount: Dollars,
    /// The part of it that the units are worth: of a withdrawal, what is left after the fee.
    priced_amount: Dollars,
    /// Id of the payment method.
    method: String,
    /// Deposits: the version of the method, with its address.
    method_version: i32,
    /// The currency code.
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
#[response]
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

impl From<common::Derivation> for Derivation {
    fn from(one: common::Derivation) -> Self {
        Self { key: one.key, path: one.path, index: one.index, per_deposit: one.per_deposit }
    }
}

impl Quote {
    fn new(quote: common::Quote) -> Result<Self, ApiError> {
        let direction = match quote.direction() {
            common::QuoteDirection::Deposit => QuoteDirection::Deposit,
            common::QuoteDirection::Withdrawal => QuoteDirection::Withdrawal,
            common::QuoteDirection::Unspecified => return Err(ApiError::internal("a quote without direction")),
        };
        let sources = quote.sources.into_iter().map(|source| RateSource {
            name: source.name,
            bid: rate(source.bid_micros),
            ask: rate(source.ask_micros),
            at: moment(source.at.as_ref()),
        });
        Ok(Self {
            id: quote.id,
            direction,
            amount: Dollars::from_cents(quote.amount_cents),
            priced_amount: Dollars::from_cents(quote.priced_cents),
            method: quote.method_id,
            method_version: quote.method_version,
            asset: quote.currency,
            network: quote.network,
            chain: quote.chain,
            contract: quote.contract,
            address: quote.address,
            memo: quote.memo,
            units: quote.units,
            decimals: quote.decimals,
            rate: rate(quote.rate_micros),
            spread_bps: quote.spread_bps,
            sources: sources.collect(),
            at: known_moment(quote.at.as_ref())?,
            expires_at: known_moment(quote.expires_at.as_ref())?,
            derivation: quote.derivation.map(Into::into),
        })
    }
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
    let mut form = Form::new();
    let direction = match form.text("direction", &value.direction).as_str() {
        "deposit" => common::QuoteDirection::Deposit,
        "withdrawal" => common::QuoteDirection::Withdrawal,
        _ => {
            form.wrong("direction", "The direction must be deposit or withdrawal.");
            common::QuoteDirection::Unspecified
        }
    };
    let message = RequestQuoteRequest {
        direction: direction.into(),
        amount_cents: form.amount("amount", &value.amount).get(),
        method: form.text("method", &value.method),
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (answer, replayed) = keyed!(caller.wallet.request_quote(message), claim)?;
    let quote = answer.quote.ok_or_else(|| ApiError::internal("an answer without quote"))?;
    let quote = Quote::new(quote)?;
    let message = match quote.direction {
        QuoteDirection::Deposit => "The rate is locked for 15 minutes.",
        QuoteDirection::Withdrawal => "This is an estimate. The rate of the moment of the payout applies.",
    };
    Ok(marked(replayed, created(QuoteMade { message, quote })))
}

/// The quote that a deposit or withdrawal was requested with.
#[response]
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
    #[schema(example = "97312.45")]
    #[nullable]
    rate: Option<String>,
    spread_bps: i32,
    at: String,
    expires_at: String,
}

impl TryFrom<wallet::TransactionQuote> for TransactionQuote {
    type Error = ApiError;

    fn try_from(quote: wallet::TransactionQuote) -> Result<Self, ApiError> {
        Ok(Self {
            id: quote.id,
            asset: quote.asset,
            units: quote.units,
            decimals: quote.decimals,
            rate: rate(quote.rate_micros),
            spread_bps: quote.spread_bps,
            at: known_moment(quote.at.as_ref())?,
            expires_at: known_moment(quote.expires_at.as_ref())?,
        })
    }
}

/// What a payout sends.
#[response]
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
    #[schema(example = "97312.45")]
    #[nullable]
    rate: Option<String>,
    spread_bps: i32,
    /// When it was fixed.
    at: String,
}

impl TryFrom<wallet::PayoutPrice> for PayoutPrice {
    type Error = ApiError;

    fn try_from(price: wallet::PayoutPrice) -> Result<Self, ApiError> {
        Ok(Self {
            asset: price.asset,
            contract: price.contract,
            units: price.units,
            decimals: price.decimals,
            rate: rate(price.rate_micros),
            spread_bps: price.spread_bps,
            at: known_moment(price.at.as_ref())?,
        })
    }
}
