//! Client of wallet: the money side of a trade, idempotent by the trade's id.

use std::time::Duration;

use chassis::call;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use chassis::money::Cents;
use proto::wallet::v1::trade_settlement_service_client::TradeSettlementServiceClient;
use proto::wallet::v1::{FundTradeRequest, SettleTradeRequest};

use crate::domain::trade::Trade;

/// How long wallet may take: less than the lease of a saga's driver, and than what the member's client waits.
const DEADLINE: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Wallet {
    client: TradeSettlementServiceClient<Channel>,
    credential: Credential,
}

impl Wallet {
    /// Asks wallet over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: TradeSettlementServiceClient::new(channel), credential }
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
        });
        call!(self.client, settle_trade, request).await.map_err(|status| from_status(&status))?;
        Ok(())
    }

    fn outgoing(&self) -> Outgoing {
        Outgoing::service(&self.credential).deadline(DEADLINE)
    }
}
