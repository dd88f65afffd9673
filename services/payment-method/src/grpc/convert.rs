//! Conversion between proto messages and the types of this service.

use chassis::clock;
use chassis::error::Refusal;
use chassis::id::MethodId;
use chassis::money::Rate;
use chassis::validate::FieldError;
use proto::common::v1::{Derivation as DerivationMessage, Quote as QuoteMessage, QuoteDirection, RateSource};
use proto::payment_method::v1::{
    AddressProof as ProofMessage, GetQuoteTermsResponse, MethodFields, PaymentMethod,
    PayoutPrice as PayoutPriceMessage, PlatformMethod as PlatformMethodMessage, ProposeRateRequest, QuotableAsset,
    ResolveWithdrawalMethodRequest, ResolveWithdrawalMethodResponse, Scope as ScopeMessage,
};
use std::str::FromStr;

use crate::app::get_quote_terms::Quotable;
use crate::app::list_platform_methods::PlatformMethod;
use crate::app::price::PayoutPrice;
use crate::app::propose_platform_method::{Change, Proposed};
use crate::app::resolve_withdrawal_method::{Destination, ResolveWithdrawalMethod};
use crate::domain::address;
use crate::domain::address_proof::SignedProof;
use crate::domain::method::{Derivation, Fields, Method, Scope, ShownMethod, SignedMethod};
use crate::domain::quote::{Direction, LIFE, OPEN_LIMIT, Quote};
use crate::domain::rate::{Point, Publication};
use crate::error::Error;

pub(super) fn fields(message: Option<MethodFields>) -> Result<Fields, Error> {
    not_lost(Fields::parse(typed(message)).map_err(Refusal::from)?)
}

/// Those of a platform method, which may have an extended public key.
fn platform_fields(message: Option<MethodFields>) -> Result<Fields, Error> {
    not_lost(Fields::parse_platform(typed(message)).map_err(Refusal::from)?)
}

fn not_lost(fields: Fields) -> Result<Fields, Error> {
    match address::lost(&fields.network, &fields.address) {
        Some(reason) => Err(Refusal::field("address", reason.sentence()).into()),
        None => Ok(fields),
    }
}

fn typed(message: Option<MethodFields>) -> Fields {
    let message = message.unwrap_or_default();
    Fields {
        currency: message.currency,
        network: message.network,
        address: message.address,
        memo: message.memo,
        label: message.label,
        image_key: message.image_key,
    }
}

/// The change that a treasurer proposes.
pub(super) fn change(id_text: &str, typed: Option<MethodFields>, signature: String) -> Result<Change, Error> {
    Ok(match (id_text, typed) {
        ("", typed) => Change::Create(Proposed { fields: platform_fields(typed)?, signature }),
        (text, Some(typed)) => Change::Update(id(text)?, Proposed { fields: platform_fields(Some(typed))?, signature }),
        (text, None) => Change::Archive(id(text)?),
    })
}

/// An id; malformed text names nothing.
pub(super) fn id<T: FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

pub(super) fn resolve_withdrawal_method(
    message: ResolveWithdrawalMethodRequest,
) -> Result<ResolveWithdrawalMethod, Error> {
    let user_id = id(&message.user_id)?;
    Ok(ResolveWithdrawalMethod { user_id, method: message.method, address: message.address, memo: message.memo })
}

/// A rate as a treasurer entered it.
pub(super) fn publication(message: &ProposeRateRequest) -> Result<Publication, Error> {
    let rate = |field, micros| {
        Rate::new(micros).map_err(|_| FieldError { field, sentence: "Please enter a price above zero" })
    };
    let (bid, ask) = match (rate("bid", message.bid_micros), rate("ask", message.ask_micros)) {
        (Ok(bid), Ok(ask)) => (bid, ask),
        (bid, ask) => {
            let wrong: Vec<_> = [bid.err(), ask.err()].into_iter().flatten().collect();
            return Err(Refusal::from(wrong).into());
        }
    };
    let typed = Publication {
        asset: message.symbol.trim().to_ascii_uppercase(),
        bid_micros: bid,
        ask_micros: ask,
        source: message.source.clone(),
        valid_minutes: message.valid_minutes,
    };
    Ok(Publication::parse(typed).map_err(Refusal::from)?)
}

pub(super) fn quote_terms(spread_bps: u16, assets: Vec<Quotable>) -> GetQuoteTermsResponse {
    GetQuoteTermsResponse {
        spread_bps: spread_bps.into(),
        life_seconds: i32::try_from(LIFE.whole_seconds()).unwrap_or(i32::MAX),
        open_max: i32::try_from(OPEN_LIMIT).unwrap_or(i32::MAX),
        assets: assets.into_iter().map(QuotableAsset::from).collect(),
    }
}

impl From<Quotable> for QuotableAsset {
    fn from(quotable: Quotable) -> Self {
        let asset = quotable.asset;
        let told = Self {
            chain: asset.chain,
            symbol: asset.symbol,
            contract: asset.contract,
            decimals: asset.decimals.into(),
            method_ids: quotable.method_ids.iter().map(MethodId::to_string).collect(),
            ..Self::default()
        };
        let Ok(agreed) = quotable.rate else { return told };
        Self {
            available: true,
            bid_micros: agreed.bid.micros(),
            ask_micros: agreed.ask.micros(),
            at: agreed.points.iter().map(|point| point.at).min().map(clock::to_proto),
            sources: agreed.points.into_iter().map(|point| point.source).collect(),
            ..told
        }
    }
}

impl From<PayoutPrice> for PayoutPriceMessage {
    fn from(price: PayoutPrice) -> Self {
        Self {
            contract: price.asset.contract,
            decimals: price.asset.decimals.into(),
            units: price.units.to_string(),
            rate_micros: price.conversion.rate.micros(),
            spread_bps: price.conversion.spread_bps.into(),
            at: Some(clock::to_proto(price.at)),
        }
    }
}

impl From<Point> for RateSource {
    fn from(point: Point) -> Self {
        Self {
            name: point.source,
            bid_micros: point.bid.micros(),
            ask_micros: point.ask.micros(),
            at: Some(clock::to_proto(point.at)),
        }
    }
}

impl From<Quote> for QuoteMessage {
    fn from(quote: Quote) -> Self {
        let direction = match quote.direction {
            Direction::Deposit => QuoteDirection::Deposit,
            Direction::Withdrawal => QuoteDirection::Withdrawal,
        };
        Self {
            id: quote.id.to_string(),
            direction: direction.into(),
            amount_cents: quote.amount.get(),
            priced_cents: quote.priced.get(),
            method_id: quote.method_id.to_string(),
            method_version: quote.method_version,
            currency: quote.currency,
            network: quote.network,
            address: quote.address,
            memo: quote.memo,
            chain: quote.chain,
            contract: quote.contract,
            decimals: quote.decimals.into(),
            units: quote.units,
            rate_micros: quote.rate_micros,
            spread_bps: quote.spread_bps.into(),
            sources: quote.sources.into_iter().map(Into::into).collect(),
            at: Some(clock::to_proto(quote.created_at)),
            expires_at: Some(clock::to_proto(quote.expires_at)),
            derivation: quote.derivation.map(Into::into),
        }
    }
}

impl From<Method> for PaymentMethod {
    fn from(method: Method) -> Self {
        let scope = match method.scope {
            Scope::Platform => ScopeMessage::Platform,
            Scope::Personal => ScopeMessage::Personal,
        };
        let fields = method.fields;
        Self {
            id: method.id.to_string(),
            scope: scope.into(),
            currency: fields.currency,
            network: fields.network,
            address: fields.address,
            memo: fields.memo,
            label: fields.label,
            image_key: fields.image_key,
            version: method.version,
            signature: String::new(),
            derivation: None,
            proof: None,
        }
    }
}

impl From<ShownMethod> for PaymentMethod {
    fn from(ShownMethod { signed, derivation }: ShownMethod) -> Self {
        Self { derivation: derivation.map(Into::into), ..signed.into() }
    }
}

impl From<Derivation> for DerivationMessage {
    fn from(Derivation { key, path, index, per_deposit }: Derivation) -> Self {
        Self { key, path, index, per_deposit }
    }
}

impl From<SignedMethod> for PaymentMethod {
    fn from(SignedMethod { method, signature, proof }: SignedMethod) -> Self {
        Self { signature: signature.unwrap_or_default(), proof: proof.map(Into::into), ..method.into() }
    }
}

impl From<SignedProof> for ProofMessage {
    fn from(proof: SignedProof) -> Self {
        Self { day: proof.day().to_owned(), message: proof.message, signature: proof.signature }
    }
}

impl From<PlatformMethod> for PlatformMethodMessage {
    fn from(method: PlatformMethod) -> Self {
        let versions: Vec<PaymentMethod> = method.versions.into_iter().map(PaymentMethod::from).collect();
        Self { current: versions.first().cloned(), active: method.active, versions }
    }
}

impl From<Destination> for ResolveWithdrawalMethodResponse {
    fn from(destination: Destination) -> Self {
        Self {
            method_id: destination.method_id.to_string(),
            currency: destination.currency,
            network: destination.network,
            address: destination.address,
            memo: destination.memo,
        }
    }
}
