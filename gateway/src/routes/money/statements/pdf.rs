//! The report of a year as pages of A4.

use chassis::clock;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::report::YearReport;
use crate::http::convert::day_to_text;
use crate::http::json::Dollars;
use crate::operator::Issuer;
use crate::papers::paper::{Column, LEFT, Paper, RIGHT, Row, written};
use crate::peers::cache::profiles::Profile;

const COLUMNS: [Column; 4] = [
    Column::left("", LEFT, 2460),
    Column::right("In", 3700, 700),
    Column::right("Out", 4560, 740),
    Column::right("Result", RIGHT, 840),
];

/// The report as the bytes of a PDF file.
pub fn write(
    report: &YearReport,
    holder: &Profile,
    made_at: OffsetDateTime,
    issuer: Issuer<'_>,
    number: &str,
) -> Vec<u8> {
    let paper = Paper {
        title: "Year report",
        subject: &period(report),
        holder,
        made_at,
        issuer,
        number,
        note: "Computed from the ledger. Dates and times are UTC. Investments are listed when they ended.",
        sums: vec![
            ("Opening balance", amount(&report.opening_balance)),
            ("Money in", amount(&report.money_in)),
            ("Money out", amount(&report.money_out)),
            ("Closing balance", amount(&report.closing_balance)),
        ],
        columns: &COLUMNS,
        rows: rows(report),
    };
    paper.write()
}

/// The first and the last day.
fn period(report: &YearReport) -> String {
    let last = OffsetDateTime::parse(&report.until, &Rfc3339).map(|until| until - Duration::MICROSECOND);
    let last = last.map(|last| clock::day_to_text(last.date())).unwrap_or_default();
    format!("January 1, {} to {last}", report.year)
}

fn rows(report: &YearReport) -> Vec<Row> {
    let none = String::new;
    let mut rows = vec![Row::heading("Movements of the balance")];
    for sum in &report.sums {
        rows.push(Row::new([format!("{} ({})", sum.title, sum.count), amount(&sum.r#in), amount(&sum.out), none()]));
    }
    rows.push(Row::heading("Fees"));
    rows.push(Row::new(["Out of payouts".to_owned(), none(), amount(&report.withdrawal_fees), none()]));
    rows.push(Row::new(["Paid separately, from outside".to_owned(), none(), amount(&report.separate_fees), none()]));
    rows.push(Row::heading("Gains and losses of investments that ended"));
    for plan in &report.plans {
        let label = format!("{} ({})", plan.plan, plan.trades);
        rows.push(Row::new([label, amount(&plan.gains), amount(&plan.losses), none()]));
    }
    let sums = [String::from("All plans"), amount(&report.gains), amount(&report.losses), none()];
    rows.push(Row { is_strong: true, ..Row::new(sums) });
    rows.push(Row::heading("Each of them: paid, invested, result"));
    for trade in &report.trades {
        let dates = format!("{} to {}", day_to_text(&trade.opened_at), day_to_text(&trade.ended_at));
        let cells = [trade.plan.clone(), amount(&trade.paid), amount(&trade.invested), amount(&trade.result)];
        rows.push(Row { details: vec![dates], ..Row::new(cells) });
    }
    rows.push(Row::heading("Holdings at the end"));
    for holding in &report.holdings {
        rows.push(Row::new([account(&holding.account), none(), none(), amount(&holding.amount)]));
    }
    rows
}

fn amount(dollars: &Dollars) -> String {
    written(dollars.cents())
}

/// `on_hold` is `On hold`.
fn account(kind: &str) -> String {
    let text = match kind {
        "invested" => "invested (what was put in)".to_owned(),
        "held" => "held for a withdrawal".to_owned(),
        other => other.replace('_', " "),
    };
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
