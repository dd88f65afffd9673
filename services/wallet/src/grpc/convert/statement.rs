//! Statements and the report of a year.

use chassis::clock::{self, from_proto};
use chassis::error::Refusal;
use chassis::money::Cents;
use proto::wallet::v1 as message;
use time::{Duration, OffsetDateTime};

use super::ledger::balance;
use crate::app::transaction::get_year_report::YearReport;
use crate::domain::transaction::Kind;
use crate::error::Error;
use crate::store::entries::Movement;
use crate::store::trade_fundings::{PlanResult, TradeResult};

/// The longest period of a statement.
const LONGEST: Duration = Duration::days(366);

/// The period that a statement is asked for.
pub fn period(message: &message::GetStatementRequest) -> Result<(OffsetDateTime, OffsetDateTime), Refusal> {
    let moment = |at: &Option<clock::Timestamp>| at.as_ref().and_then(from_proto);
    match moment(&message.from).zip(moment(&message.to)) {
        Some((from, to)) if from < to && to - from <= LONGEST => Ok((from, to)),
        _ => Err(Refusal::field("from", "Please choose a period of at most 366 days.")),
    }
}

/// The title of a movement: that of its line, or what moved it.
fn movement_title(posting_kind: &str, transaction_kind: Option<&str>) -> String {
    let kind = transaction_kind.and_then(|kind| kind.parse::<Kind>().ok());
    match (kind, posting_kind) {
        (Some(kind), _) => kind.title().to_owned(),
        (None, "hold") => "On hold".to_owned(),
        (None, "hold_release") => "Hold released".to_owned(),
        (None, "bonus_given_up") => "Bonus given up".to_owned(),
        (None, other) => other.to_owned(),
    }
}

impl From<Movement> for message::StatementLine {
    fn from(movement: Movement) -> Self {
        Self {
            at: Some(clock::to_proto(movement.at)),
            title: movement_title(&movement.posting_kind, movement.transaction_kind.as_deref()),
            transaction_id: movement.transaction_id.map(|id| id.to_string()).unwrap_or_default(),
            amount_cents: movement.amount.get(),
            balance_cents: movement.balance.get(),
            description: movement.description.unwrap_or_default(),
            fee_cents: movement.fee.map(Cents::get),
            decimals: movement.decimals.unwrap_or_default().into(),
            asset: movement.units.as_ref().and(movement.asset).unwrap_or_default(),
            units: movement.units.unwrap_or_default(),
            rate_micros: movement.rate_micros.unwrap_or_default(),
            network: movement.network.unwrap_or_default(),
            txid: movement.txid.unwrap_or_default(),
        }
    }
}

impl TryFrom<YearReport> for message::GetYearReportResponse {
    type Error = Error;

    fn try_from(report: YearReport) -> Result<Self, Error> {
        let mut sums: Vec<message::YearSum> = Vec::new();
        for sum in report.sums {
            let title = movement_title(&sum.posting_kind, sum.transaction_kind.as_deref());
            let known = sums.iter().position(|known| known.title == title).unwrap_or_else(|| {
                sums.push(message::YearSum { title, ..Default::default() });
                sums.len() - 1
            });
            let known = &mut sums[known];
            known.in_cents = Cents::new(known.in_cents).plus(sum.into)?.get();
            known.out_cents = Cents::new(known.out_cents).plus(sum.out)?.get();
            known.count += sum.count;
        }
        Ok(Self {
            until: Some(clock::to_proto(report.until)),
            opening_balance_cents: report.opening.get(),
            closing_balance_cents: report.closing.get(),
            sums,
            withdrawal_fees_cents: report.fees.0.get(),
            separate_fees_cents: report.fees.1.get(),
            plans: report.plans.into_iter().map(Into::into).collect(),
            trades: report.trades.into_iter().map(Into::into).collect(),
            balances: report.balances.into_iter().map(balance).collect(),
        })
    }
}

impl From<PlanResult> for message::PlanResult {
    fn from(plan: PlanResult) -> Self {
        Self {
            plan_title: plan.plan_title,
            trades: plan.trades,
            invested_cents: plan.invested.get(),
            paid_cents: plan.paid.get(),
            gains_cents: plan.gains.get(),
            losses_cents: plan.losses.get(),
        }
    }
}

impl From<TradeResult> for message::TradeResult {
    fn from(trade: TradeResult) -> Self {
        Self {
            trade_id: trade.trade_id.to_string(),
            plan_title: trade.plan_title,
            amount_cents: trade.amount.get(),
            paid_cents: trade.paid.get(),
            opened_at: Some(clock::to_proto(trade.opened_at)),
            ended_at: Some(clock::to_proto(trade.ended_at)),
        }
    }
}
