//! The member's investments.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use proto::trade::v1 as trade;
use proto::trade::v1::{ClaimTradeRequest, CloseTradeRequest, CreateTradeRequest, ListTradesRequest, TradeStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{ActiveMember, VerifiedMember};
use crate::idempotency::{Key, marked};
use crate::json::{Field, Form, Json, Number, Reply, created, field, moment, ok};

/// The terms a trade was opened with.
#[derive(Debug, Serialize, ToSchema)]
pub struct TradePlan {
    id: String,
    title: String,
    #[schema(value_type = f64, example = 8.5)]
    roi: Number,
    duration: i32,
}

/// One investment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trade {
    id: String,
    /// Dollars.
    #[schema(value_type = f64, example = 500)]
    amount: Number,
    /// What it is worth now, or what it was paid out with.
    #[schema(value_type = f64, example = 521.4)]
    current_value: Number,
    /// currentValue - amount.
    #[schema(value_type = f64, example = 21.4)]
    profit: Number,
    /// profit / amount x 100, to two decimals.
    #[schema(value_type = f64, example = 4.28)]
    profit_percent: Number,
    /// opening, open, settling, claimed, closed or failed.
    status: &'static str,
    created_at: Option<String>,
    matures_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
    plan: TradePlan,
}

impl From<trade::Trade> for Trade {
    fn from(trade: trade::Trade) -> Self {
        let profit = trade.current_value_cents.saturating_sub(trade.amount_cents);
        let percent = i128::from(profit) * 10_000 / i128::from(trade.amount_cents.max(1));
        Self {
            status: status_name(trade.status()),
            amount: Number::dollars(trade.amount_cents),
            current_value: Number::dollars(trade.current_value_cents),
            profit: Number::dollars(profit),
            profit_percent: Number::decimal(i64::try_from(percent).unwrap_or_default(), 2),
            created_at: moment(trade.created_at.as_ref()),
            matures_at: moment(trade.matures_at.as_ref()),
            closed_at: moment(trade.closed_at.as_ref()),
            plan: TradePlan {
                id: trade.plan_id,
                title: trade.plan_title,
                roi: Number::decimal(trade.roi_basis_points.into(), 2),
                duration: trade.duration_days,
            },
            id: trade.id,
        }
    }
}

const fn status_name(status: TradeStatus) -> &'static str {
    match status {
        TradeStatus::Opening | TradeStatus::Unspecified => "opening",
        TradeStatus::Open => "open",
        TradeStatus::Settling => "settling",
        TradeStatus::Claimed => "claimed",
        TradeStatus::Closed => "closed",
        TradeStatus::Failed => "failed",
    }
}

/// A trade after a change.
#[derive(Debug, Serialize, ToSchema)]
pub struct TradeReply {
    success: bool,
    message: String,
    trade: Trade,
}

fn reply(trade: Option<trade::Trade>, message: &str) -> Result<TradeReply, ApiError> {
    let trade = trade.ok_or_else(|| ApiError::internal("an answer without trade"))?;
    Ok(TradeReply { success: true, message: message.to_owned(), trade: trade.into() })
}

/// An investment to make.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewTrade {
    #[schema(value_type = String)]
    plan_id: Field,
    /// Dollars, within the plan's range.
    #[schema(value_type = f64, example = 500)]
    amount: Field,
}

/// Invest in a plan
#[utoipa::path(post, path = "/trades/create", request_body = NewTrade,
    params(Key),
    responses((status = 201, body = TradeReply), Errors), tag = "Investments")]
pub async fn create(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    key: Key,
    Json { value, digest }: Json<NewTrade>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let plan_id = form.text("planId", &value.plan_id);
    if plan_id.is_empty() {
        form.wrong("planId", "Plan is required");
    }
    let amount_cents = form.amount("amount", &value.amount).get();
    form.finish()?;
    let claim = key.claim(&digest);
    let message = CreateTradeRequest { plan_id, amount_cents, idempotency: claim.clone() };
    let (metadata, answer, _) = call_keyed!(app.clients.trade, create_trade, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(reply(answer.trade, "Your investment has been opened.")?)))
}

/// Claim the profit of a trade
#[utoipa::path(put, path = "/trades/claim/{id}", params(("id" = String, Path), Key),
    responses((status = 200, body = TradeReply), Errors), tag = "Investments")]
pub async fn claim(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    Path(trade_id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = ClaimTradeRequest { trade_id, idempotency: claim.clone() };
    let (metadata, answer, _) = call_keyed!(app.clients.trade, claim_trade, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(reply(answer.trade, "Your profit has been paid to your balance.")?)))
}

/// Close a trade
#[utoipa::path(delete, path = "/trades/close/{id}", params(("id" = String, Path), Key),
    responses((status = 200, body = TradeReply), Errors), tag = "Investments")]
pub async fn close(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    Path(trade_id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = CloseTradeRequest { trade_id, idempotency: claim.clone() };
    let (metadata, answer, _) = call_keyed!(app.clients.trade, close_trade, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(reply(answer.trade, "Your trade has been closed and its value paid to your balance.")?)))
}

/// Which trades.
#[derive(Debug, Default, Deserialize)]
pub struct StatusQuery {
    status: Option<String>,
}

/// The member's trades.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trades {
    success: bool,
    trades: Vec<Trade>,
}

/// List the trades
///
/// The open ones (`status=open`); with `status=all` the ended ones too.
#[utoipa::path(get, path = "/trades", params(("status" = Option<String>, Query)),
    responses((status = 200, body = Trades), Errors), tag = "Investments")]
pub async fn list(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Query(query): Query<StatusQuery>,
) -> Result<Reply<Trades>, ApiError> {
    let include_ended = match query.status.as_deref() {
        None | Some("" | "open") => false,
        Some("all") => true,
        Some(_) => return Err(field("status", "Choose open or all")),
    };
    let answer =
        call_retrying!(app.clients.trade, list_trades, caller.out, ListTradesRequest { include_ended })?.into_inner();
    Ok(ok(Trades { success: true, trades: answer.trades.into_iter().map(Trade::from).collect() }))
}
