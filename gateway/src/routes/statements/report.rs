//! The report of a year, as the wallet sums it up.

use chassis::money::Cents;
use proto::wallet::v1::GetYearReportResponse;
use route_macros::response;

use crate::error::ApiError;
use crate::json::{Dollars, known_moment};

/// Movements of the balance with one title.
#[response]
pub struct YearSum {
    pub title: String,
    /// In dollars, as all amounts.
    pub r#in: Dollars,
    pub out: Dollars,
    pub count: i64,
}

/// The trades of one plan that ended in the year.
#[response]
pub struct PlanResult {
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
#[response]
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

impl YearReport {
    pub fn new(year: i32, answer: GetYearReportResponse) -> Result<Self, ApiError> {
        let dollars = Dollars::from_cents;
        let (sums, plans) = (&answer.sums, &answer.plans);
        Ok(Self {
            year,
            until: known_moment(answer.until.as_ref())?,
            opening_balance: dollars(answer.opening_balance_cents),
            money_in: total(sums.iter().map(|one| one.in_cents))?,
            money_out: total(sums.iter().map(|one| one.out_cents))?,
            closing_balance: dollars(answer.closing_balance_cents),
            withdrawal_fees: dollars(answer.withdrawal_fees_cents),
            separate_fees: dollars(answer.separate_fees_cents),
            gains: total(plans.iter().map(|one| one.gains_cents))?,
            losses: total(plans.iter().map(|one| one.losses_cents))?,
            sums: answer
                .sums
                .into_iter()
                .map(|one| YearSum {
                    title: one.title,
                    r#in: dollars(one.in_cents),
                    out: dollars(one.out_cents),
                    count: one.count,
                })
                .collect(),
            plans: answer
                .plans
                .into_iter()
                .map(|one| PlanResult {
                    plan: one.plan_title,
                    trades: one.trades,
                    invested: dollars(one.invested_cents),
                    paid: dollars(one.paid_cents),
                    gains: dollars(one.gains_cents),
                    losses: dollars(one.losses_cents),
                })
                .collect(),
            trades: answer
                .trades
                .into_iter()
                .map(|one| {
                    let result = Cents::new(one.paid_cents).minus(Cents::new(one.amount_cents));
                    Ok(TradeResult {
                        invested: dollars(one.amount_cents),
                        paid: dollars(one.paid_cents),
                        result: dollars(result.map_err(ApiError::internal)?.get()),
                        opened_at: known_moment(one.opened_at.as_ref())?,
                        ended_at: known_moment(one.ended_at.as_ref())?,
                        id: one.trade_id,
                        plan: one.plan_title,
                    })
                })
                .collect::<Result<_, ApiError>>()?,
            holdings: answer
                .balances
                .into_iter()
                .map(|one| YearHolding { account: one.account, amount: dollars(one.amount_cents) })
                .collect(),
        })
    }
}

fn total(mut cents: impl Iterator<Item = i64>) -> Result<Dollars, ApiError> {
    let sum = cents.try_fold(Cents::ZERO, |sum, one| sum.plus(Cents::new(one))).map_err(ApiError::internal)?;
    Ok(Dollars::from_cents(sum.get()))
}
