//! Client of wallet: the money side of a trade, idempotent by the trade's id.

use chassis::id::{PlanId, TradeId};
use std::collections::HashMap;
use std::time::Duration;

use chassis::call;
use chassis::clock::{from_proto, to_proto};
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use chassis::money::Cents;
use proto::wallet::v1::backing_service_client::BackingServiceClient;
use proto::wallet::v1::trade_settlement_service_client::TradeSettlementServiceClient;
use proto::wallet::v1::{
    CheckBackingRequest, FundTradeRequest, PlanValue, ReportGainsRequest, ReportPlansRequest, SettleTradeRequest,
    TradeGain,
};
use time::OffsetDateTime;

use crate::domain::trade::Trade;
use crate::store::open_trades::OpenTrades;

/// How long wallet may take: less than the lease of a saga's driver, and than what the member's client waits.
const DEADLINE: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Wallet {
    client: TradeSettlementServiceClient<Channel>,
    backing: BackingServiceClient<Channel>,
    credential: Credential,
}

impl Wallet {
    /// Asks wallet over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let backing = BackingServiceClient::new(channel.clone());
        Self { client: TradeSettlementServiceClient::new(channel), backing, credential }
    }

    /// Moves the amount from the member's balance to invested. A refusal stands: no repetition funds the trade later.
    ///
    /// # Errors
    /// What wallet says; Unavailable if it does not say anything.
    pub async fn fund(&self, trade: &Trade) -> Result<(), Refusal> {
        let request = self.outgoing().idempotent(FundTradeRequest {
            trade_id: trade.id.to_string(),
            user_id: trade.user_id.to_string(),
            amount_cents: trade.amount.get(),
            plan_title: trade.plan_title.clone(),
        });
        call!(self.client, fund_trade, request).await.map_err(|status| from_status(&status))?;
        Ok(())
    }

    /// Pays a trade out with this value.
    ///
    /// # Errors
    /// The same as those of [`Self::fund`].
    pub async fn settle(&self, trade: &Trade, value: Cents) -> Result<(), Refusal> {
        let request = self.outgoing().idempotent(SettleTradeRequest {
            trade_id: trade.id.to_string(),
            user_id: trade.user_id.to_string(),
            amount_cents: trade.amount.get(),
            value_cents: value.get(),
            plan_title: trade.plan_title.clone(),
            plan_id: trade.plan_id.to_string(),
        });
        call!(self.client, settle_trade, request).await.map_err(|status| from_status(&status))?;
        Ok(())
    }

    /// Whether cash and assets of a plan cover open trades of this cost and value.
    ///
    /// # Errors
    /// `NOT_BACKED` with what is missing; Unavailable if wallet does not say anything.
    pub async fn check_backing(&self, plan_id: PlanId, cost: Cents, value: Cents) -> Result<(), Refusal> {
        let request = self.outgoing().idempotent(CheckBackingRequest {
            plan_id: plan_id.to_string(),
            cost_cents: cost.get(),
            value_cents: value.get(),
        });
        call!(self.backing, check_backing, request).await.map_err(|status| from_status(&status))?;
        Ok(())
    }

    /// Reports what the open trades of plans cost and are worth. Returns up to which value of each plan wallet knows their gains.
    ///
    /// # Errors
    /// Unavailable if wallet does not say anything.
    pub async fn report_plans(
        &self,
        plans: Vec<OpenTrades>,
        read_at: OffsetDateTime,
    ) -> Result<HashMap<PlanId, OffsetDateTime>, Refusal> {
        let plans = plans.into_iter().map(|one| PlanValue {
            plan_id: one.plan_id.to_string(),
            title: one.title,
            cost_cents: one.cost.get(),
            value_cents: one.value.get(),
            value_at: one.value_at.map(to_proto),
        });
        let message = ReportPlansRequest { plans: plans.collect(), read_at: Some(to_proto(read_at)) };
        let request = self.outgoing().idempotent(message);
        let answer = call!(self.backing, report_plans, request).await.map_err(|status| from_status(&status))?;
        let known = answer.into_inner().gains.into_iter();
        Ok(known.filter_map(|one| Some((one.plan_id.parse().ok()?, from_proto(one.value_at.as_ref()?)?))).collect())
    }

    /// Reports a page of gains of a plan at its value of a moment.
    ///
    /// # Errors
    /// Unavailable if wallet does not say anything.
    pub async fn report_gains(
        &self,
        (plan_id, value_at): (PlanId, OffsetDateTime),
        gains: &[(TradeId, Cents)],
        is_last: bool,
    ) -> Result<(), Refusal> {
        let gain = |(trade, gain): &(TradeId, Cents)| TradeGain { trade_id: trade.to_string(), gain_cents: gain.get() };
        let request = self.outgoing().idempotent(ReportGainsRequest {
            plan_id: plan_id.to_string(),
            value_at: Some(to_proto(value_at)),
            gains: gains.iter().map(gain).collect(),
            is_last,
        });
        call!(self.backing, report_gains, request).await.map_err(|status| from_status(&status))?;
        Ok(())
    }

    fn outgoing(&self) -> Outgoing {
        Outgoing::service(&self.credential).deadline(DEADLINE)
    }
}
