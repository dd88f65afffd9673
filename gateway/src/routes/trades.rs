//! The member's investments, and the risk page that is answered before the first.

use axum::extract::{Path, Query};
use proto::trade::v1 as trade;
use proto::trade::v1::{
    AnswerRiskRequest, ClaimTradeRequest, CloseTradeRequest, CreateTradeRequest, GetRiskAnswerRequest,
    ListTradesRequest,
};
use route_macros::{delete, get, post, put, request, response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clients::{ask, keyed};
use crate::error::ApiError;
use crate::extract::{ActiveMember, VerifiedMember};
use crate::idempotency::{Key, Keyed};
use crate::json::{
    Answer, Created, Decimal, Dollars, Field, Form, Json, created, field, known_moment, marked, moment, ok,
};
use crate::names::TradeFilter;

/// What is said of a claim that waits.
const WAITING: &str = "Your claim is accepted. The plan's cash does not cover it yet: it is paid as soon as it does, before \
                       later claims.";

/// State of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TradeStatus {
    Opening,
    Open,
    Settling,
    Claimed,
    Closed,
    Failed,
}

/// The terms a trade was opened with.
#[response]
pub struct TradePlan {
    id: String,
    title: String,
    roi: Decimal,
    duration: i32,
}

/// What it costs to end an investment early. It stays in the plan.
#[response]
pub struct ExitFee {
    /// In percent of the value.
    percent: Decimal,
    /// In dollars: what it would be now, or what was charged.
    amount: Dollars,
    /// From when on ending costs nothing.
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

impl TryFrom<trade::Trade> for Trade {
    type Error = ApiError;

    fn try_from(trade: trade::Trade) -> Result<Self, ApiError> {
        let profit = trade.current_value_cents.saturating_sub(trade.amount_cents);
        let percent = i128::from(profit) * 10_000 / i128::from(trade.amount_cents.max(1));
        Ok(Self {
            status: trade.status().try_into()?,
            amount: Dollars::from_cents(trade.amount_cents),
            current_value: Dollars::from_cents(trade.current_value_cents),
            profit: Dollars::from_cents(profit),
            profit_percent: Decimal::new(i64::try_from(percent).unwrap_or_default(), 2),
            created_at: known_moment(trade.created_at.as_ref())?,
            matures_at: moment(trade.matures_at.as_ref()),
            closed_at: moment(trade.closed_at.as_ref()),
            waiting_since: moment(trade.waiting_since.as_ref()),
            exit_fee: (trade.exit_fee_cents > 0).then(|| ExitFee {
                percent: Decimal::new(trade.exit_fee_basis_points.into(), 2),
                amount: Dollars::from_cents(trade.exit_fee_cents),
                until: moment(trade.exit_fee_until.as_ref()),
            }),
            plan: TradePlan {
                id: trade.plan_id,
                title: trade.plan_title,
                roi: Decimal::new(trade.roi_basis_points.into(), 2),
                duration: trade.duration_days,
            },
            id: trade.id,
        })
    }
}

impl TryFrom<trade::TradeStatus> for TradeStatus {
    type Error = ApiError;

    /// An unknown status is an error, so that a trade is never shown in a wrong state.
    fn try_from(status: trade::TradeStatus) -> Result<Self, ApiError> {
        Ok(match status {
            trade::TradeStatus::Opening => Self::Opening,
            trade::TradeStatus::Open => Self::Open,
            trade::TradeStatus::Settling => Self::Settling,
            trade::TradeStatus::Claimed => Self::Claimed,
            trade::TradeStatus::Closed => Self::Closed,
            trade::TradeStatus::Failed => Self::Failed,
            trade::TradeStatus::Unspecified => return Err(ApiError::internal("an unknown status of a trade")),
        })
    }
}

/// The trade after the change.
#[response]
pub struct TradeReply {
    message: String,
    trade: Trade,
}

fn reply(trade: Option<trade::Trade>, message: &str) -> Result<TradeReply, ApiError> {
    let trade = trade.ok_or_else(|| ApiError::internal("an answer without trade"))?;
    Ok(TradeReply { message: message.to_owned(), trade: trade.try_into()? })
}

/// A new investment.
#[request]
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
    let plan_id = form.text("planId", &value.plan_id);
    if plan_id.is_empty() {
        form.wrong("planId", "Plan is required");
    }
    let amount_cents = form.amount("amount", &value.amount).get();
    form.finish()?;
    let message = CreateTradeRequest { plan_id, amount_cents, idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.trade.create_trade(message), claim)?;
    Ok(marked(replayed, created(reply(answer.trade, "Your investment has been opened.")?)))
}

/// Claim the profit of a trade
///
/// A gain that the cash of the plan does not cover waits: the trade is `settling` with `waitingSince`, and is paid before later
/// claims.
#[put("/trades/claim/{id}", "Investments")]
pub async fn claim(caller: ActiveMember, Path(trade_id): Path<String>, key: Key) -> Answer<TradeReply> {
    let claim = key.bodyless();
    let message = ClaimTradeRequest { trade_id, idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.trade.claim_trade(message), claim)?;
    let waits = answer.trade.as_ref().is_some_and(|trade| trade.waiting_since.is_some());
    let message = if waits { WAITING } else { "Your profit has been paid to your balance." };
    Ok(marked(replayed, ok(reply(answer.trade, message)?)))
}

/// Close a trade
#[delete("/trades/close/{id}", "Investments")]
pub async fn close(caller: ActiveMember, Path(trade_id): Path<String>, key: Key) -> Answer<TradeReply> {
    let claim = key.bodyless();
    let message = CloseTradeRequest { trade_id, idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.trade.close_trade(message), claim)?;
    Ok(marked(replayed, ok(reply(answer.trade, "Your trade has been closed and its value paid to your balance.")?)))
}

/// The filter of the list.
#[derive(Debug, Default, Deserialize)]
pub struct StatusQuery {
    status: Option<String>,
}

/// The trades of the member.
#[response]
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
    let answer = ask!(caller.trade.list_trades(ListTradesRequest { include_ended }))?;
    let trades = answer.trades.into_iter().map(Trade::try_from).collect::<Result<_, _>>()?;
    Ok(ok(Trades { trades }))
}

/// Which risk page holds, and whether the member has answered it.
#[response]
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
    let answer = ask!(caller.trade.get_risk_answer(GetRiskAnswerRequest {}))?;
    let answered_at = moment(answer.answered_at.as_ref());
    Ok(ok(RiskAnswer { version: answer.version, answered_at }))
}

/// The page that was read.
#[request]
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
    let mut form = Form::new();
    let version = form.integer("version", &value.version);
    form.finish()?;
    let answer = ask!(caller.trade.answer_risk(AnswerRiskRequest { version }))?;
    let answered_at = known_moment(answer.answered_at.as_ref())?;
    Ok(ok(RiskAnswered { message: "Your answer is saved.", answered_at }))
}

#[cfg(test)]
mod tests {
    use proto::trade::v1 as trade;

    use super::TradeStatus;

    /// [API-16] Statuses have the names of the gRPC contract; an unknown one is an error.
    #[test]
    fn names_are_those_of_the_contract_and_the_unknown_is_an_error() {
        let known: Vec<_> = (1..100).filter_map(|number| trade::TradeStatus::try_from(number).ok()).collect();
        assert_eq!(known.len(), 6);
        for status in known {
            let name = status.as_str_name().strip_prefix("TRADE_STATUS_").unwrap().to_lowercase();
            let told = serde_json::to_string(&TradeStatus::try_from(status).unwrap()).unwrap();
            assert_eq!(told, format!("\"{name}\""));
        }
        assert!(TradeStatus::try_from(trade::TradeStatus::Unspecified).is_err());
    }
}
