//! The events of this service, as `solvane/trade/v1/events.proto` describes them.

use chassis::db::PgConnection;
use chassis::id::PlanId;
use chassis::money::Cents;
use chassis::outbox;
use proto::trade::v1::{Matured, PayoutDelayed, PlanChanged, TradeClaimed, TradeClosed, TradeFacts, TradeOpened};

use crate::domain::trade::{Ending, Settlement, Trade};
use crate::error::Error;

pub async fn trade_opened(conn: &mut PgConnection, trade: &Trade) -> Result<(), Error> {
    let message = TradeOpened { trade: Some(facts(trade, trade.amount, Cents::ZERO)) };
    outbox::enqueue(conn, "trade.v1.trade_opened", trade.id, &message).await?;
    Ok(())
}

/// A trade is open at its maturity: its value is frozen.
pub async fn matured(conn: &mut PgConnection, trade: &Trade) -> Result<(), Error> {
    let message = Matured { trade: Some(facts(trade, trade.current_value()?, Cents::ZERO)) };
    outbox::enqueue(conn, "trade.v1.matured", trade.id, &message).await?;
    Ok(())
}

/// A trade has ended, and its gain waits.
pub async fn payout_delayed(conn: &mut PgConnection, trade: &Trade, settlement: Settlement) -> Result<(), Error> {
    let message = PayoutDelayed { trade: Some(facts(trade, settlement.value, settlement.fee)) };
    outbox::enqueue(conn, "trade.v1.payout_delayed", trade.id, &message).await?;
    Ok(())
}

pub async fn trade_ended(conn: &mut PgConnection, trade: &Trade, settlement: Settlement) -> Result<(), Error> {
    let facts = Some(facts(trade, settlement.value, settlement.fee));
    match settlement.ending {
        Ending::Claim => {
            outbox::enqueue(conn, "trade.v1.trade_claimed", trade.id, &TradeClaimed { trade: facts }).await?;
        }
        Ending::Close => {
            outbox::enqueue(conn, "trade.v1.trade_closed", trade.id, &TradeClosed { trade: facts }).await?;
        }
    }
    Ok(())
}

/// A plan or its value is not what it was.
pub async fn plan_changed(conn: &mut PgConnection, plan_id: PlanId) -> Result<(), Error> {
    let message = PlanChanged { plan_id: plan_id.to_string() };
    outbox::enqueue(conn, "trade.v1.plan_changed", plan_id, &message).await?;
    Ok(())
}

fn facts(trade: &Trade, value: Cents, exit_fee: Cents) -> TradeFacts {
    TradeFacts {
        trade_id: trade.id.to_string(),
        user_id: trade.user_id.to_string(),
        plan_title: trade.plan_title.clone(),
        amount_cents: trade.amount.get(),
        value_cents: value.get(),
        exit_fee_cents: exit_fee.get(),
    }
}
