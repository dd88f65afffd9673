//! For wallet: quotes.

use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::money::Cents;
use proto::common::v1::QuoteDirection;
use proto::payment_method::v1::quote_service_server::QuoteService;
use proto::payment_method::v1::{
    CreateQuoteRequest, CreateQuoteResponse, GetQuoteRequest, GetQuoteResponse, PricePayoutRequest, PricePayoutResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::create_quote::{CreateQuote, create_quote};
use crate::app::get_quote::get_quote;
use crate::app::price::price_payout;
use crate::domain::quote::{Amount, Direction, Quote};
use crate::error::Error;

const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl QuoteService for GrpcServer {
    async fn create_quote(&self, request: Request<CreateQuoteRequest>) -> Reply<CreateQuoteResponse> {
        Ok(self.make_quote(request).await?)
    }

    async fn get_quote(&self, request: Request<GetQuoteRequest>) -> Reply<GetQuoteResponse> {
        let quote = self.find_quote(request).await?;
        Ok(Response::new(GetQuoteResponse { quote: Some(quote.into()) }))
    }

    async fn price_payout(&self, request: Request<PricePayoutRequest>) -> Reply<PricePayoutResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let PricePayoutRequest { currency, network, net_amount_cents } = request.into_inner();
        let net = Cents::new(net_amount_cents);
        let price = price_payout(&self.db, (&currency, &network), net, self.spread_bps).await?;
        Ok(Response::new(PricePayoutResponse { price: price.map(Into::into) }))
    }
}

impl GrpcServer {
    async fn make_quote(&self, request: Request<CreateQuoteRequest>) -> Result<Response<CreateQuoteResponse>, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let user_id = convert::id(&message.user_id)?;
        let direction = match message.direction() {
            QuoteDirection::Deposit => Direction::Deposit,
            QuoteDirection::Withdrawal => Direction::Withdrawal,
            QuoteDirection::Unspecified => {
                return Err(Refusal::field("direction", "Choose a deposit or a withdrawal.").into());
            }
        };
        if !(1..=message.amount_cents).contains(&message.priced_cents) {
            return Err(Refusal::field("amount", "Enter an amount.").into());
        }
        let command = CreateQuote {
            user_id,
            amount: Amount {
                direction,
                requested: Cents::new(message.amount_cents),
                priced: Cents::new(message.priced_cents),
            },
            method: message.method,
            spread_bps: self.spread_bps,
            used: message.used_quote_ids.iter().map(|id| convert::id(id)).collect::<Result<_, _>>()?,
            claim: Claim::of(user_id, message.idempotency.as_ref(), &request_id)?,
        };
        let made = retrying(|| create_quote(&self.db, &command)).await?;
        Ok(answer(made.map(|quote| CreateQuoteResponse { quote: Some(quote.into()) })))
    }

    async fn find_quote(&self, request: Request<GetQuoteRequest>) -> Result<Quote, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let id = message.quote_id.parse().map_err(|_| Error::QuoteNotFound)?;
        get_quote(&self.db, convert::id(&message.user_id)?, id, message.may_have_ended).await
    }
}
