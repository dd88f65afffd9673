//! The member's investments, and the risk page that is answered before the first.

use axum::extract::{Path, Query};
use proto::trade::v1 as trade;
use proto::trade::v1::{
    AnswerRiskRequest, ClaimTradeRequest, CloseTradeRequest, CreateTradeRequest, GetRiskAnswerRequest,
    ListTradesRequest,
};
use route_macros::{delete, get, post, put, request, response};
use serde::Deserialize;

use crate::extract::{ActiveMember, VerifiedMember};
use crate::http::convert::{FromProto, from_proto, percent, required};
use crate::http::error::ApiError;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Decimal, Dollars, Field, Form, Json, ToProto, field, ok, reply};
use crate::http::names::TradeFilter;
use crate::peers::clients::{ask, keyed};

/// What is said of a claim that waits.
const WAITING: &str = "Your claim is accepted. The plan's cash does not cover it yet: it is paid as soon as it does, before \
                       later claims.";

/// State of a trade.
#[response(from = trade::TradeStatus)]
pub enum TradeStatus {
    Opening,
    Open,
    Settling,
    Claimed,
    Closed,
    Failed,
}

/// The terms a trade was opened with.
#[response(from = trade::Trade)]
pub struct TradePlan {
    #[from(plan_id)]
    id: String,
    #[from(plan_title)]
    title: String,
    #[from(roi_basis_points, with = percent)]
    roi: Decimal,
    #[from(duration_days)]
    duration: i32,
}

/// What it costs to end an investment early. It stays in the plan.
#[response(from = trade::Trade)]
pub struct ExitFee {
    /// In percent of the value.
    #[from(exit_fee_basis_points, with = percent)]
    percent: Decimal,
    /// In dollars: what it would be now, or what was charged.
    #[from(exit_fee_cents)]
    amount: Dollars,
    /// From when on ending costs nothing.
    #[from(exit_fee_until)]
    #[nullable]
    until: Option<String>,
}

/// An investment of a member.
#[response]
pub struct Trade {
    id: String,
    /// Invested amount in dollars.
    amount: Dollars,
    /// Current value in dollars, or the payout of an ended trade.
    current_value: Dollars,
    /// `currentValue` minus `amount`, in dollars.
    profit: Dollars,
    /// `profit` in percent of `amount`, with two decimals.
    profit_percent: Decimal,
    status: TradeStatus,
    created_at: String,
    #[nullable]
    matures_at: Option<String>,
    closed_at: Option<String>,
    /// Since when the payout of a trade that is `settling` waits for the cash of its plan.
    waiting_since: Option<String>,
    /// Missing if ending now costs nothing, or cost nothing.
    exit_fee: Option<ExitFee>,
    plan: TradePlan,
}

impl FromProto<trade::Trade> for Trade {
    fn from_proto(trade: trade::Trade) -> Result<Self, ApiError> {
        let profit = trade.current_value_cents.saturating_sub(trade.amount_cents);
        let percent = i128::from(profit) * 10_000 / i128::from(trade.amount_cents.max(1));
        Ok(Self {
            id: trade.id.clone(),
            amount: from_proto(trade.amount_cents)?,
            current_value: from_proto(trade.current_value_cents)?,
            profit: from_proto(profit)?,
            profit_percent: Decimal::new(i64::try_from(percent).unwrap_or_default(), 2),
            status: from_proto(trade.status)?,
            created_at: from_proto(trade.created_at)?,
            matures_at: from_proto(trade.matures_at)?,
            closed_at: from_proto(trade.closed_at)?,
            waiting_since: from_proto(trade.waiting_since)?,
            exit_fee: from_proto(Some(trade.clone()).filter(|trade| trade.exit_fee_cents > 0))?,
            plan: from_proto(trade)?,
        })
    }
}

/// The trade after the change.
#[response]
pub struct TradeReply {
    message: String,
    trade: Trade,
}

impl TradeReply {
    fn new(trade: Option<trade::Trade>, message: &str) -> Result<Self, ApiError> {
        Ok(Self { message: message.to_owned(), trade: from_proto(required(trade, "a trade")?)? })
    }
}

/// A new investment.
#[request(to = CreateTradeRequest)]
pub struct NewTrade {
    plan_id: Field<String>,
    /// Amount in dollars, within the plan's range.
    #[schema(example = 500)]
    amount: Field<f64>,
}

/// Invest in a plan
#[post("/trades/create", "Investments")]
pub async fn create(caller: ActiveMember, Keyed { value, claim }: Keyed<NewTrade>) -> Created<TradeReply> {
    let mut form = Form::new();
    let message: CreateTradeRequest = value.fill(&mut form);
    if message.plan_id.is_empty() {
        form.wrong("planId", "Plan is required");
    }
    form.finish()?;
    let message = CreateTradeRequest { idempotency: claim, ..message };
    keyed!(caller.trade.create_trade(message))?
        .reply(|answer| TradeReply::new(answer.trade, "Your investment has been opened."))
}

/// Claim the profit of a trade
///
/// A gain that the cash of the plan does not cover waits: the trade is `settling` with `waitingSince`, and is paid before later
/// claims.
#[put("/trades/claim/{id}", "Investments")]
pub async fn claim(caller: ActiveMember, Path(trade_id): Path<String>, key: Key) -> Answer<TradeReply> {
    let message = ClaimTradeRequest { trade_id, idempotency: key.bodyless() };
    keyed!(caller.trade.claim_trade(message))?.reply(|answer| {
        let waits = answer.trade.as_ref().is_some_and(|trade| trade.waiting_since.is_some());
        TradeReply::new(answer.trade, if waits { WAITING } else { "Your profit has been paid to your balance." })
    })
}

/// Close a trade
#[delete("/trades/close/{id}", "Investments")]
pub async fn close(caller: ActiveMember, Path(trade_id): Path<String>, key: Key) -> Answer<TradeReply> {
    let message = CloseTradeRequest { trade_id, idempotency: key.bodyless() };
    let sentence = "Your trade has been closed and its value paid to your balance.";
    keyed!(caller.trade.close_trade(message))?.reply(|answer| TradeReply::new(answer.trade, sentence))
}

/// The filter of the list.
#[derive(Debug, Default, Deserialize)]
pub struct StatusQuery {
    status: Option<String>,
}

/// The trades of the member.
#[response(from = trade::ListTradesResponse)]
pub struct Trades {
    trades: Vec<Trade>,
}

/// List the trades
///
/// The open ones (`status=open`); with `status=all` the ended ones too.
#[get("/trades", "Investments", params(("status" = inline(Option<TradeFilter>), Query)))]
pub async fn list(caller: VerifiedMember, Query(query): Query<StatusQuery>) -> Answer<Trades> {
    let include_ended = match query.status.as_deref() {
        None | Some("" | "open") => false,
        Some("all") => true,
        Some(_) => return Err(field("status", "Choose open or all")),
    };
    reply(ask!(caller.trade.list_trades(ListTradesRequest { include_ended }))?)
}

/// Which risk page holds, and whether the member has answered it.
#[response(from = trade::GetRiskAnswerResponse)]
pub struct RiskAnswer {
    /// Version of the page.
    version: i32,
    /// When the member answered this version. `null` if not yet.
    #[nullable]
    answered_at: Option<String>,
}

/// Read whether the risk page is answered
#[get("/trades/risk-answer", "Investments")]
pub async fn risk_answer(caller: VerifiedMember) -> Answer<RiskAnswer> {
    reply(ask!(caller.trade.get_risk_answer(GetRiskAnswerRequest {}))?)
}

/// The page that was read.
#[request(to = AnswerRiskRequest)]
pub struct RiskRead {
    #[schema(example = 1)]
    version: Field<i32>,
}

/// The answer that was kept.
#[response]
pub struct RiskAnswered {
    message: &'static str,
    /// When the member first answered this version.
    answered_at: String,
}

/// Answer the risk page
///
/// Keeps that the member has read and understood it, once.
#[put("/trades/risk-answer", "Investments")]
pub async fn answer_risk(caller: ActiveMember, Json { value, .. }: Json<RiskRead>) -> Answer<RiskAnswered> {
    let answer = ask!(caller.trade.answer_risk(value.to_proto()?))?;
    Ok(ok(RiskAnswered { message: "Your answer is saved.", answered_at: from_proto(answer.answered_at)? }))
}
