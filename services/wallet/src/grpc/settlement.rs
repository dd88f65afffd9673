//! TradeSettlementService, for the service trade.

use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::money::Cents;
use chassis::validate;
use proto::wallet::v1::trade_settlement_service_server::TradeSettlementService;
use proto::wallet::v1::{FundTradeRequest, FundTradeResponse, SettleTradeRequest, SettleTradeResponse};
use tonic::{Request, Response};

use crate::app::trade::fund_trade::{FundTrade, fund_trade};
use crate::app::trade::settle_trade::{SettleTrade, settle_trade};
use crate::error::Error;
use crate::grpc::GrpcServer;

/// The only service that may call.
const ALLOWED: [&str; 1] = ["trade"];

#[tonic::async_trait]
impl TradeSettlementService for GrpcServer {
    async fn fund_trade(&self, request: Request<FundTradeRequest>) -> Reply<FundTradeResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let message = request.into_inner();
        let command = FundTrade {
            trade_id: validate::id("tradeId", &message.trade_id)?,
            user_id: validate::id("userId", &message.user_id)?,
            amount: at_least(1, message.amount_cents)?,
            plan_title: message.plan_title,
        };
        retrying(|| fund_trade(&self.ledger, &command)).await?;
        Ok(Response::new(FundTradeResponse {}))
    }

    async fn settle_trade(&self, request: Request<SettleTradeRequest>) -> Reply<SettleTradeResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let message = request.into_inner();
        let command = SettleTrade {
            trade_id: validate::id("tradeId", &message.trade_id)?,
            user_id: validate::id("userId", &message.user_id)?,
            amount: at_least(1, message.amount_cents)?,
            plan_id: validate::id("planId", &message.plan_id)?,
            value: at_least(0, message.value_cents)?,
            plan_title: message.plan_title,
        };
        retrying(|| settle_trade(&self.ledger, &command)).await?;
        Ok(Response::new(SettleTradeResponse {}))
    }
}

fn at_least(least: i64, cents: i64) -> Result<Cents, Error> {
    if cents < least {
        return Err(Refusal::field("amount", "The amount is too small.").into());
    }
    Ok(Cents::new(cents))
}
