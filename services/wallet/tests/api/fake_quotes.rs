//! The quotes of payment-method, as far as the wallet asks for them: USDT at a dollar with a spread of half a percent.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use chassis::clock::Timestamp;
use chassis::error::{Kind, Refusal, refusal_to_status};
use chassis::money::{Cents, Conversion, Rate};
use proto::common::v1::{ErrorReason, Quote, QuoteDirection};
use proto::payment_method::v1::quote_service_server::QuoteService;
use proto::payment_method::v1::{
    CreateQuoteRequest, CreateQuoteResponse, GetQuoteRequest, GetQuoteResponse, PayoutPrice, PricePayoutRequest,
    PricePayoutResponse,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::fixture::EARLIER_ADDRESS;

#[derive(Clone)]
pub struct FakeQuotes {
    pub verifier: chassis::identity::Verifier,
    pub asked: Arc<Mutex<Vec<CreateQuoteRequest>>>,
    pub expired: Arc<AtomicBool>,
    /// Of payouts; 0 while there is none, and less for an asset that is never quoted.
    pub rate_micros: Arc<AtomicI64>,
    made: Arc<Mutex<Vec<Quote>>>,
}

impl FakeQuotes {
    pub fn new(verifier: chassis::identity::Verifier) -> Self {
        let rate_micros = Arc::new(AtomicI64::new(1_000_000));
        Self { verifier, asked: Arc::default(), expired: Arc::default(), rate_micros, made: Arc::default() }
    }

    /// As if the method of the quote had been another one when it was made.
    pub fn made_for(&self, id: &str, currency: &str, network: &str) {
        let mut made = self.made.lock().unwrap();
        let quote = made.iter_mut().find(|quote| quote.id == id).unwrap();
        (quote.currency, quote.network) = (currency.to_owned(), network.to_owned());
    }
}

fn refused<T>(kind: Kind, reason: ErrorReason, sentence: &str) -> Result<T, Status> {
    Err(refusal_to_status(&Refusal::new(kind, reason, sentence)))
}

#[tonic::async_trait]
impl QuoteService for FakeQuotes {
    async fn create_quote(
        &self,
        request: Request<CreateQuoteRequest>,
    ) -> Result<Response<CreateQuoteResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let conversion = Conversion { rate: Rate::new(1_000_000).unwrap(), decimals: 6, spread_bps: 50 };
        let priced = Cents::new(asked.priced_cents);
        let units = match asked.direction() {
            QuoteDirection::Withdrawal => conversion.units_paid(priced),
            _ => conversion.units_due(priced),
        };
        let quote = Quote {
            id: Uuid::now_v7().to_string(),
            direction: asked.direction,
            amount_cents: asked.amount_cents,
            priced_cents: asked.priced_cents,
            method_id: asked.method.clone(),
            method_version: 2,
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address: EARLIER_ADDRESS.to_owned(),
            decimals: 6,
            units: units.unwrap().to_string(),
            rate_micros: 1_000_000,
            spread_bps: 50,
            at: Some(Timestamp { seconds: 1_800_000_000, nanos: 0 }),
            expires_at: Some(Timestamp { seconds: 1_800_000_900, nanos: 0 }),
            ..Default::default()
        };
        self.asked.lock().unwrap().push(asked);
        self.made.lock().unwrap().push(quote.clone());
        Ok(Response::new(CreateQuoteResponse { quote: Some(quote) }))
    }

    /// Anyone who asks.
    async fn get_quote(&self, request: Request<GetQuoteRequest>) -> Result<Response<GetQuoteResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let found = self.made.lock().unwrap().iter().find(|quote| quote.id == request.get_ref().quote_id).cloned();
        match found {
            None => refused(Kind::NotFound, ErrorReason::NotFound, "We can't find that quote."),
            Some(_) if self.expired.load(Ordering::Relaxed) && !request.get_ref().may_have_ended => {
                refused(Kind::Conflict, ErrorReason::QuoteExpired, "This quote has expired.")
            }
            quote => Ok(Response::new(GetQuoteResponse { quote })),
        }
    }

    async fn price_payout(
        &self,
        request: Request<PricePayoutRequest>,
    ) -> Result<Response<PricePayoutResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let micros = self.rate_micros.load(Ordering::Relaxed);
        if micros < 0 {
            return Ok(Response::new(PricePayoutResponse::default()));
        }
        let Ok(rate) = Rate::new(micros) else {
            return refused(Kind::Unavailable, ErrorReason::RateUnavailable, "There is no rate.");
        };
        let conversion = Conversion { rate, decimals: 6, spread_bps: 50 };
        let price = PayoutPrice {
            contract: "contract".to_owned(),
            decimals: 6,
            units: conversion.units_paid(Cents::new(asked.net_amount_cents)).unwrap().to_string(),
            rate_micros: rate.micros(),
            spread_bps: 50,
            at: Some(Timestamp { seconds: 1_800_000_000, nanos: 0 }),
        };
        Ok(Response::new(PricePayoutResponse { price: Some(price) }))
    }
}
