//! The report of a year: as JSON, as a CSV file, and as a PDF to print.

mod pdf;

mod report;

use std::io;

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use proto::wallet::v1::GetYearReportRequest;
use route_macros::get;
use serde::Deserialize;
use time::OffsetDateTime;

use self::report::{PlanResult, TradeResult, YearHolding, YearReport, YearSum};
use crate::extract::VerifiedMember;
use crate::http::error::{ApiError, Errors};
use crate::http::json::{field, inert, ok};
use crate::http::names::StatementFormat;
use crate::papers::documents::{self, DocumentKind};
use crate::peers::clients::ask;

/// The format.
#[derive(Debug, Default, Deserialize)]
pub struct FormatQuery {
    format: Option<String>,
}

/// Get the report of a year
///
/// What came in and went out by kind, fees, gains and losses by plan and trade, and what was there at the end; of the current
/// year up to now. `format=csv` and `format=pdf` answer a file.
#[get("/statements/{year}", "Transactions",
    params(("year" = i32, Path, example = 2026), ("format" = inline(Option<StatementFormat>), Query)),
    responses((status = 200, content((YearReport = "application/json"), (String = "text/csv"), (String = "application/pdf"))), Errors))]
pub async fn year(
    caller: VerifiedMember,
    Path(year): Path<String>,
    Query(query): Query<FormatQuery>,
) -> Result<Response, ApiError> {
    let year = year.parse().map_err(|_| field("year", "Enter a year like 2026"))?;
    let format = query.format.as_deref().unwrap_or("json");
    if !["json", "csv", "pdf"].contains(&format) {
        return Err(field("format", "Choose json, csv or pdf"));
    }
    if format == "pdf" {
        caller.app.documents.admit(caller.session.user_id)?;
    }
    let request = async { ask!(caller.wallet.get_year_report(GetYearReportRequest { year })) };
    let (answer, holder) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let report = YearReport::new(year, answer)?;
    let name = format!("solvane-year-{year}.{format}");
    match format {
        "csv" => documents::download(&name, "text/csv; charset=utf-8", csv(&report).map_err(ApiError::internal)?),
        "pdf" => {
            let made_at = OffsetDateTime::now_utc();
            let print = |number: &str| Ok(pdf::write(&report, &holder, made_at, caller.app.config.issuer(), number));
            let content = documents::issue(&caller.app.files, DocumentKind::YearReport, made_at, print).await?;
            documents::download(&name, "application/pdf", content)
        }
        _ => Ok(ok(report).into_response()),
    }
}

const HEADER: [&str; 9] = ["section", "title", "reference", "opened", "ended", "count", "in", "out", "amount"];

fn csv(report: &YearReport) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(HEADER)?;
    let balances = [("Opening balance", &report.opening_balance), ("Closing balance", &report.closing_balance)];
    for (title, amount) in balances {
        writer.write_record(["balance", title, "", "", "", "", "", "", &amount.to_string()])?;
    }
    for YearSum { title, r#in, out, count } in &report.sums {
        let (count, into, out) = (count.to_string(), r#in.to_string(), out.to_string());
        writer.write_record(["movements", &inert(title.clone()), "", "", "", &count, &into, &out, ""])?;
    }
    let fees = [("Out of payouts", &report.withdrawal_fees), ("Paid separately", &report.separate_fees)];
    for (title, amount) in fees {
        writer.write_record(["fees", title, "", "", "", "", "", "", &amount.to_string()])?;
    }
    for PlanResult { plan, trades, gains, losses, .. } in &report.plans {
        let (count, gains, losses) = (trades.to_string(), gains.to_string(), losses.to_string());
        writer.write_record(["gains and losses", &inert(plan.clone()), "", "", "", &count, &gains, &losses, ""])?;
    }
    for TradeResult { id, plan, invested, paid, result, opened_at, ended_at } in &report.trades {
        let (paid, invested, result) = (paid.to_string(), invested.to_string(), result.to_string());
        writer.write_record(["trade", &inert(plan.clone()), id, opened_at, ended_at, "", &paid, &invested, &result])?;
    }
    for YearHolding { account, amount } in &report.holdings {
        writer.write_record(["holdings", account, "", "", "", "", "", "", &amount.to_string()])?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

#[cfg(test)]
mod tests {
    use chassis::clock::Timestamp;
    use proto::wallet::v1::{self as wallet, GetYearReportResponse};
    use time::macros::datetime;

    use super::{YearReport, csv, pdf};
    use crate::operator::{Issuer, Operator};
    use crate::peers::cache::profiles::Profile;

    fn sample() -> YearReport {
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        let sum = |title: &str, in_cents, out_cents, count| wallet::YearSum {
            title: title.to_owned(),
            in_cents,
            out_cents,
            count,
        };
        let answer = GetYearReportResponse {
            until: at(1_767_225_600),
            opening_balance_cents: 10_000,
            closing_balance_cents: 61_050,
            sums: vec![sum("Deposit", 50_000, 0, 1), sum("Trade", 20_000, 20_000, 2), sum("Profit", 1_050, 0, 1)],
            withdrawal_fees_cents: 250,
            separate_fees_cents: 0,
            plans: vec![wallet::PlanResult {
                plan_title: "=Starter".to_owned(),
                trades: 1,
                invested_cents: 20_000,
                paid_cents: 21_050,
                gains_cents: 1_050,
                losses_cents: 0,
            }],
            trades: vec![wallet::TradeResult {
                trade_id: "1a2b".to_owned(),
                plan_title: "=Starter".to_owned(),
                amount_cents: 20_000,
                paid_cents: 21_050,
                opened_at: at(1_750_000_000),
                ended_at: at(1_760_000_000),
            }],
            balances: vec![wallet::AccountBalance { account: "on_hold".to_owned(), amount_cents: 500 }],
        };
        YearReport::new(2025, answer).unwrap()
    }

    /// [D-M9] [D-G1] The year as a file for a spreadsheet: exact, and nothing that it takes for a formula.
    #[test]
    fn csv_is_exact() {
        let text = String::from_utf8(csv(&sample()).unwrap()).unwrap();
        let expected = "section,title,reference,opened,ended,count,in,out,amount\r\n\
            balance,Opening balance,,,,,,,100\r\n\
            balance,Closing balance,,,,,,,610.50\r\n\
            movements,Deposit,,,,1,500,0,\r\n\
            movements,Trade,,,,2,200,200,\r\n\
            movements,Profit,,,,1,10.50,0,\r\n\
            fees,Out of payouts,,,,,,,2.50\r\n\
            fees,Paid separately,,,,,,,0\r\n\
            gains and losses,'=Starter,,,,1,10.50,0,\r\n\
            trade,'=Starter,1a2b,2025-06-15T15:06:40Z,2025-10-09T08:53:20Z,,210.50,200,10.50\r\n\
            holdings,on_hold,,,,,,,5\r\n";
        assert_eq!(text, expected);
    }

    /// [D-M9] [MSG-04] The year to print: sums, gains and losses by plan and trade, and what was there, in dollars for people.
    #[test]
    fn the_year_is_printed() {
        let holder = Profile { name: "Amara Okafor".to_owned(), ..Profile::default() };
        let made_at = datetime!(2026-02-01 14:05 UTC);
        let issuer = Issuer { operator: Operator::example(), address: "https://solvane.test" };
        let content = pdf::write(&sample(), &holder, made_at, issuer, "SD-1");
        let text: String = content.into_iter().map(char::from).collect();
        let parts = [
            "(Year report)",
            "(January 1, 2025 to December 31, 2025)",
            "(Amara Okafor)",
            "($710.50)",
            "($200.00)",
            "($610.50)",
            "($2.50)",
            "(=Starter)",
            "October 9, 2025)",
            "(On hold)",
            "(SD-1)",
        ];
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
    }
}
