//! What is owed to members beside what is held for them, for everybody.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use proto::wallet::v1::{self as wallet, PastPublication};
use route_macros::{get, response};

use crate::extract::Visitor;
use crate::http::convert::{from_proto, millionths};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{Decimal, Dollars, ok};
use crate::peers::clients::ask;

/// Publications change once a night; a repeated request may have the same answer.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// What was owed and held when it was counted last, and every night before.
#[response]
pub struct PublicSolvency {
    /// When it was counted.
    at: String,
    owed: Owed,
    /// `null` for a publication from before it was noted.
    #[nullable]
    held: Option<Held>,
    /// Held for each $100 that is owed. `null` if it is not known, or nothing is owed.
    #[nullable]
    ratio: Option<Decimal>,
    /// Publications, newest first, at most 400.
    nights: Vec<Night>,
}

/// What members were owed.
#[response(from = wallet::Liabilities)]
pub struct Owed {
    /// Balances and gains of open investments, in dollars.
    total: Dollars,
    /// The part of it that is gains of open investments.
    gains: Dollars,
    /// SHA-256 of the root node, in hexadecimal. `GET /v1/wallet/proof` leads to it.
    root: String,
    leaves: i64,
}

/// What was held for members.
#[response(from = wallet::HeldForMembers)]
pub struct Held {
    /// All of it, in dollars.
    total: Dollars,
    /// The part that plans own, at its last proven value.
    assets: Dollars,
    /// The part that documents state.
    stated: Dollars,
    /// Whether the chains show the rest. Otherwise it is what the books say.
    #[from(is_observed)]
    observed: bool,
    chains: Vec<HeldAsset>,
    /// Addresses that receive deposits and that members share. Addresses of single members are in the units alone.
    addresses: Vec<SharedAddress>,
    documents: Vec<HeldDocument>,
}

/// What was held of an asset on a chain.
#[response(from = wallet::HeldAsset)]
pub struct HeldAsset {
    chain: String,
    asset: String,
    /// In the smallest unit. `null` if it was not known.
    #[nullable]
    units: Option<String>,
    /// Digits of the smallest unit.
    decimals: u32,
    /// Dollars for a whole unit.
    #[from(rate_micros, with = |micros: Option<i64>| micros.map(millionths))]
    #[nullable]
    rate: Option<Decimal>,
    #[nullable]
    rate_at: Option<String>,
    /// In dollars.
    #[nullable]
    value: Option<Dollars>,
}

/// An address with the signature of the treasury key.
#[response(from = wallet::HeldAddress)]
pub struct SharedAddress {
    currency: String,
    network: String,
    address: String,
    memo: String,
    /// Version of the payment method, which the signature binds.
    version: i32,
    /// ECDSA over P-256, as `<valid from>.<signature in base64url>`; `null` without one.
    #[nullable]
    signature: Option<String>,
    /// That the operator has its private key; `null` without one.
    #[nullable]
    proof: Option<AddressProof>,
}

/// A message that the private key of an address signed.
#[response(from = wallet::HeldAddressProof)]
pub struct AddressProof {
    /// `<operator> controls the address <address> on <day>`.
    message: String,
    /// BIP-322 on Bitcoin, EIP-191 on networks like Ethereum, TIP-191 on Tron.
    signature: String,
    /// The day in the message.
    #[schema(example = "2026-11-28")]
    day: String,
}

/// What proves something that no chain shows.
#[response(from = wallet::HeldDocument)]
pub struct HeldDocument {
    name: String,
    /// The plan that owns it; `null` for what is held for all.
    #[nullable]
    plan: Option<String>,
    proof: String,
    issuer: String,
    proven_at: String,
    /// In dollars.
    value: Dollars,
}

/// A publication.
#[response(from = PastPublication)]
pub struct Night {
    at: String,
    /// SHA-256 of the root node, in hexadecimal.
    root: String,
    /// What was owed, in dollars.
    #[from(total_cents)]
    owed: Dollars,
    /// What was held, in dollars; `null` from before it was noted.
    #[nullable]
    held: Option<Dollars>,
    #[from(self, with = |night: &PastPublication| ratio(night.held_cents, night.total_cents))]
    #[nullable]
    ratio: Option<Decimal>,
}

/// Read what is owed and held
///
/// Counted every night. The total owed has the gains of open investments.
#[get("/solvency", "Proof of liabilities", responses((status = 200, body = PublicSolvency), Errors))]
pub async fn get(caller: Visitor) -> Result<Response, ApiError> {
    let message = wallet::GetSolvencyRequest {};
    let found = ask!(caller.liabilities.get_solvency(message))?;
    let newest = found.liabilities.unwrap_or_default();
    let held_cents = found.held.as_ref().map(|held| held.total_cents);
    let body = PublicSolvency {
        at: from_proto(newest.at)?,
        ratio: ratio(held_cents, newest.total_cents),
        owed: from_proto(newest)?,
        held: from_proto(found.held)?,
        nights: from_proto(found.publications)?,
    };
    let mut response = ok(body).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, CACHED);
    Ok(response)
}

/// Percent that is held of what is owed, cut to two digits: it is never shown as more than it is.
fn ratio(held_cents: Option<i64>, owed_cents: i64) -> Option<Decimal> {
    let hundredths = i128::from(held_cents?).checked_mul(10_000)?.checked_div(owed_cents.into())?;
    Some(Decimal::new(hundredths.try_into().ok()?, 2))
}
