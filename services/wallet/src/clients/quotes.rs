//! Quotes, which payment-method makes.

use chassis::call;
use chassis::clock::from_proto;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::id::{MemberId, MethodId, QuoteId};
use chassis::identity::Credential;
use chassis::money::{Cents, Conversion, Rate, Units};
use proto::common::v1 as common;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::quote_service_client::QuoteServiceClient;
use proto::payment_method::v1::{CreateQuoteRequest, CreateQuoteResponse, GetQuoteRequest, PricePayoutRequest};
use tonic::Response;

use crate::domain::transaction::{MethodCopy, PayoutPrice, QuoteCopy, QuoteDirection, Withdrawal};

/// Quotes, which payment-method makes.
#[derive(Clone)]
pub struct Quotes {
    client: QuoteServiceClient<Channel>,
    credential: Credential,
}

/// A quote as a transaction keeps it, and what it is for.
#[derive(Debug, Clone)]
pub struct Quoted {
    pub quote: QuoteCopy,
    pub direction: QuoteDirection,
    /// As requested; gross.
    pub amount: Cents,
    pub method_id: MethodId,
    /// Deposits: the version of the method whose address was quoted.
    pub method_version: i32,
    pub network: String,
    /// Deposits: where to pay, which may be an address of this quote alone.
    pub address: String,
}

impl Quotes {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: QuoteServiceClient::new(channel), credential }
    }

    /// A new quote, once a key.
    ///
    /// # Errors
    /// Invalid for an unknown method, Conflict for too many open quotes, Unavailable without a rate.
    pub async fn create(&self, message: CreateQuoteRequest) -> Result<Response<CreateQuoteResponse>, Refusal> {
        let out = Outgoing::service(&self.credential);
        let request = if message.idempotency.is_some() { out.idempotent(message) } else { out.once(message) };
        call!(self.client, create_quote, request).await.map_err(|status| from_status(&status))
    }

    /// A member's open quote.
    ///
    /// # Errors
    /// NotFound, Conflict if it expired, Unavailable if it cannot be asked.
    pub async fn get(&self, user_id: MemberId, quote_id: QuoteId, may_have_ended: bool) -> Result<Quoted, Refusal> {
        let (user_id, quote_id) = (user_id.to_string(), quote_id.to_string());
        let message = GetQuoteRequest { user_id, quote_id, may_have_ended };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_quote, request).await.map_err(|status| from_status(&status))?;
        let found = answer.into_inner().quote.ok_or_else(Refusal::unavailable)?;
        quoted(&found).ok_or_else(Refusal::unavailable)
    }
}

impl Quotes {
    /// What a withdrawal pays at the rate of now; `None` for an asset that is never quoted.
    ///
    /// # Errors
    /// Unavailable without a rate, or if it cannot be asked.
    pub async fn price(&self, one: &Withdrawal) -> Result<Option<PayoutPrice>, Refusal> {
        let MethodCopy { currency, network, .. } = one.method.clone();
        let message = PricePayoutRequest { currency, network, net_amount_cents: one.net_amount.get() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, price_payout, request).await.map_err(|status| from_status(&status))?;
        let Some(found) = answer.into_inner().price else { return Ok(None) };
        price(found, &one.method.currency).ok_or_else(Refusal::unavailable).map(Some)
    }
}

/// `None` if it lacks a part.
fn price(found: payment_method::PayoutPrice, asset: &str) -> Option<PayoutPrice> {
    Some(PayoutPrice {
        asset: asset.to_owned(),
        contract: found.contract,
        conversion: conversion(found.rate_micros, found.decimals, found.spread_bps)?,
        units: Units::parse(&found.units).ok()?,
        at: from_proto(found.at.as_ref()?)?,
    })
}

/// `None` if it lacks a part.
fn quoted(found: &common::Quote) -> Option<Quoted> {
    Some(Quoted {
        direction: match found.direction() {
            common::QuoteDirection::Deposit => QuoteDirection::Deposit,
            common::QuoteDirection::Withdrawal => QuoteDirection::Withdrawal,
            common::QuoteDirection::Unspecified => return None,
        },
        amount: Cents::new(found.amount_cents),
        method_id: found.method_id.parse().ok()?,
        method_version: found.method_version,
        network: found.network.clone(),
        address: found.address.clone(),
        quote: QuoteCopy {
            id: found.id.parse().ok()?,
            asset: found.currency.clone(),
            conversion: conversion(found.rate_micros, found.decimals, found.spread_bps)?,
            units: Units::parse(&found.units).ok()?,
            at: from_proto(found.at.as_ref()?)?,
            expires_at: from_proto(found.expires_at.as_ref()?)?,
        },
    })
}

fn conversion(rate_micros: i64, decimals: i32, spread_bps: i32) -> Option<Conversion> {
    Some(Conversion {
        rate: Rate::new(rate_micros).ok()?,
        decimals: decimals.try_into().ok()?,
        spread_bps: spread_bps.try_into().ok()?,
    })
}
