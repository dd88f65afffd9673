//! The report of a year, as the wallet sums it up.

use chassis::money::Cents;
use proto::wallet::v1::{self as wallet, GetYearReportResponse};
use route_macros::response;

use crate::http::convert::{FromProto, from_proto};
use crate::http::error::ApiError;
use crate::http::json::Dollars;

/// Movements of the balance with one title.
#[response(from = wallet::YearSum)]
pub struct YearSum {
    pub title: String,
    /// In dollars, as all amounts.
    pub r#in: Dollars,
    pub out: Dollars,
    pub count: i64,
}

/// The trades of one plan that ended in the year.
#[response(from = wallet::PlanResult)]
pub struct PlanResult {
    #[from(plan_title)]
    pub plan: String,
    pub trades: i64,
    pub invested: Dollars,
    pub paid: Dollars,
    pub gains: Dollars,
    pub losses: Dollars,
}

/// A trade that ended in the year.
#[response]
pub struct TradeResult {
    pub id: String,
    pub plan: String,
    pub invested: Dollars,
    pub paid: Dollars,
    /// What was paid less what was invested.
    pub result: Dollars,
    pub opened_at: String,
    pub ended_at: String,
}

/// What an account of the member held at the end.
#[response(from = wallet::AccountBalance)]
pub struct YearHolding {
    /// `available`, `held`, `bonus`, `invested`, `on_hold` or `owed`.
    pub account: String,
    pub amount: Dollars,
}

/// A calendar year (UTC) of the balance. What was there, plus what came in, less what went out, is what is there.
#[response]
pub struct YearReport {
    pub year: i32,
    /// It ends before this moment.
    pub until: String,
    pub opening_balance: Dollars,
    pub money_in: Dollars,
    pub money_out: Dollars,
    pub closing_balance: Dollars,
    pub sums: Vec<YearSum>,
    /// What payouts of the year cost: part of what went out.
    pub withdrawal_fees: Dollars,
    /// Fees that were paid from outside.
    pub separate_fees: Dollars,
    pub gains: Dollars,
    pub losses: Dollars,
    /// All trades that ended, by plan.
    pub plans: Vec<PlanResult>,
    /// The newest 1,000 of them, oldest first.
    pub trades: Vec<TradeResult>,
    pub holdings: Vec<YearHolding>,
}

impl FromProto<wallet::TradeResult> for TradeResult {
    fn from_proto(trade: wallet::TradeResult) -> Result<Self, ApiError> {
        let result = Cents::new(trade.paid_cents).minus(Cents::new(trade.amount_cents)).map_err(ApiError::internal)?;
        Ok(Self {
            id: trade.trade_id,
            plan: trade.plan_title,
            invested: from_proto(trade.amount_cents)?,
            paid: from_proto(trade.paid_cents)?,
            result: from_proto(result.get())?,
            opened_at: from_proto(trade.opened_at)?,
            ended_at: from_proto(trade.ended_at)?,
        })
    }
}

impl YearReport {
    pub fn new(year: i32, answer: GetYearReportResponse) -> Result<Self, ApiError> {
        let (sums, plans) = (&answer.sums, &answer.plans);
        Ok(Self {
            year,
            until: from_proto(answer.until)?,
            opening_balance: from_proto(answer.opening_balance_cents)?,
            money_in: total(sums.iter().map(|one| one.in_cents))?,
            money_out: total(sums.iter().map(|one| one.out_cents))?,
            closing_balance: from_proto(answer.closing_balance_cents)?,
            withdrawal_fees: from_proto(answer.withdrawal_fees_cents)?,
            separate_fees: from_proto(answer.separate_fees_cents)?,
            gains: total(plans.iter().map(|one| one.gains_cents))?,
            losses: total(plans.iter().map(|one| one.losses_cents))?,
            sums: from_proto(answer.sums)?,
            plans: from_proto(answer.plans)?,
            trades: from_proto(answer.trades)?,
            holdings: from_proto(answer.balances)?,
        })
    }
}

fn total(mut cents: impl Iterator<Item = i64>) -> Result<Dollars, ApiError> {
    let sum = cents.try_fold(Cents::ZERO, |sum, one| sum.plus(Cents::new(one))).map_err(ApiError::internal)?;
    Ok(Dollars::from_cents(sum.get()))
}
