//! The statement of a period: as JSON, as a CSV file, and as a PDF to print.

mod pdf;

use std::io;

use axum::body::Body;
use axum::extract::Query;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chassis::clock::{self, Timestamp};
use chassis::grpc::Outgoing;
use chassis::money::{Cents, Units};
use futures::stream::{Stream, StreamExt, try_unfold};
use pdf::Line;
use proto::common::v1::PageRequest;
use proto::wallet::v1::{GetStatementRequest, GetStatementResponse, StatementLine as StatementLineMessage};
use route_macros::{get, response};
use serde::Deserialize;
use time::{Date, OffsetDateTime};

use crate::app::App;
use crate::extract::VerifiedMember;
use crate::http::convert::{from_proto, non_empty, rate};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{Dollars, Success, day, field, inert};
use crate::http::names::StatementFormat;
use crate::papers::documents::{self, DocumentKind};
use crate::peers::cache::profiles::Profile;
use crate::peers::clients::call_retrying;
use crate::routes::money::transactions::reference;

/// Lines of a PDF, which is made in memory.
const PDF_LINES: usize = 20_000;

/// The period and the format.
#[derive(Debug, Default, Deserialize)]
pub struct StatementQuery {
    from: Option<String>,
    to: Option<String>,
    format: Option<String>,
}

/// A change of the available balance.
#[response(from = StatementLineMessage)]
pub struct StatementLine {
    #[nullable]
    at: Option<String>,
    title: String,
    #[from(transaction_id, with = |id: String| non_empty(id).map(|id| reference(&id)))]
    reference: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Change of the balance, signed, in dollars.
    amount: Dollars,
    balance: Dollars,
    /// The fee that came out of a payout, in dollars.
    fee: Option<Dollars>,
    /// What was paid on a chain, in whole units, where it is known.
    #[from(self, with = |line: &StatementLineMessage| whole(&line.units, line.decimals))]
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(example = "0.0051")]
    units: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(example = "BTC")]
    asset: String,
    /// Dollars for a whole unit.
    #[from(rate_micros, with = |micros: i64| rate(micros).unwrap_or_default())]
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(example = "97312.45")]
    rate: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    network: String,
    /// Hash of the transaction on its network.
    #[serde(skip_serializing_if = "String::is_empty")]
    txid: String,
}

/// The changes of the available balance in a period.
#[response]
pub struct Statement {
    from: String,
    to: String,
    opening_balance: Dollars,
    closing_balance: Dollars,
    lines: Vec<StatementLine>,
}

impl Statement {
    /// Without lines yet.
    fn new(from: Date, to: Date, first: &GetStatementResponse) -> Result<Self, ApiError> {
        Ok(Self {
            from: from.to_string(),
            to: to.to_string(),
            opening_balance: from_proto(first.opening_balance_cents)?,
            closing_balance: from_proto(first.closing_balance_cents)?,
            lines: Vec::new(),
        })
    }
}

/// Get the statement of a period
///
/// Days are UTC and inclusive; at most a year. `format=csv` and `format=pdf` answer a file.
#[get("/transactions/statement", "Transactions",
    params(("from" = String, Query, example = "2026-01-01"), ("to" = String, Query, example = "2026-01-31"), ("format" = inline(Option<StatementFormat>), Query)),
    responses((status = 200, content((Statement = "application/json"), (String = "text/csv"), (String = "application/pdf"))), Errors))]
pub async fn statement(caller: VerifiedMember, Query(query): Query<StatementQuery>) -> Result<Response, ApiError> {
    let (from, to) = (day("from", query.from.as_deref())?, day("to", query.to.as_deref())?);
    let end = to.next_day().ok_or_else(|| field("to", "Enter a date like 2026-01-31"))?;
    let pages = Pages {
        app: caller.app.clone(),
        out: caller.out,
        from: clock::to_proto(from.midnight().assume_utc()),
        to: clock::to_proto(end.midnight().assume_utc()),
    };
    let form = match query.format.as_deref() {
        None | Some("json") => Form::Json,
        Some("csv") => Form::Csv,
        Some("pdf") => Form::Pdf,
        Some(_) => return Err(field("format", "Choose json, csv or pdf")),
    };
    if matches!(form, Form::Pdf) {
        caller.app.documents.admit(caller.session.user_id)?;
    }
    let name = |ending: &str| format!("solvane-statement-{from}-{to}.{ending}");
    let first = pages.read(String::new()).await?;
    let statement = Statement::new(from, to, &first)?;
    match form {
        Form::Json => {
            Ok(([(header::CONTENT_TYPE, "application/json")], json(&statement, pages, first)?).into_response())
        }
        Form::Csv => {
            let lines = pages.stream(first).map(|lines| csv(&lines?));
            let body = once(HEADER.into()).chain(lines);
            documents::download(&name("csv"), "text/csv; charset=utf-8", Body::from_stream(body))
        }
        Form::Pdf => {
            let holder = caller.app.profiles.get(caller.session.user_id).await?;
            let statement = Statement { lines: pages.all(first).await?, ..statement };
            let content = print(&caller.app, &holder, (from, to), &statement).await?;
            documents::download(&name("pdf"), "application/pdf", content)
        }
    }
}

/// The statement of a month, in the formats of a download.
pub struct MonthFiles {
    pub csv: Vec<u8>,
    /// Missing if the month has too many lines for a PDF.
    pub pdf: Option<Vec<u8>>,
}

/// The holder's statement of the month that begins on this day. `None` if the balance did not change in it.
pub async fn of_month(app: &App, out: &Outgoing, holder: &Profile, from: Date) -> Result<Option<MonthFiles>, ApiError> {
    let days = i64::from(from.month().length(from.year()));
    let end = from.saturating_add(time::Duration::days(days));
    let moment = |day: Date| clock::to_proto(day.midnight().assume_utc());
    let pages = Pages { app: app.clone(), out: out.clone(), from: moment(from), to: moment(end) };
    let first = pages.read(String::new()).await?;
    if first.lines.is_empty() {
        return Ok(None);
    }
    let to = end.previous_day().unwrap_or(end);
    let mut statement = Statement::new(from, to, &first)?;
    let mut lines = std::pin::pin!(pages.stream(first));
    let mut content = Vec::from(HEADER);
    let mut is_long = false;
    while let Some(page) = lines.next().await {
        let page = page.map_err(ApiError::internal)?;
        content.extend(csv(&page).map_err(ApiError::internal)?);
        is_long |= statement.lines.len() + page.len() > PDF_LINES;
        if !is_long {
            statement.lines.extend(page);
        }
    }
    let pdf = if is_long { None } else { Some(print(app, holder, (from, to), &statement).await?) };
    Ok(Some(MonthFiles { csv: content, pdf }))
}

/// Format of a statement.
enum Form {
    Json,
    Csv,
    Pdf,
}

/// The pages of a statement from wallet.
struct Pages {
    app: App,
    out: Outgoing,
    from: Timestamp,
    to: Timestamp,
}

impl Pages {
    async fn read(&self, cursor: String) -> Result<GetStatementResponse, ApiError> {
        let message = GetStatementRequest {
            from: Some(self.from),
            to: Some(self.to),
            page: Some(PageRequest { size: 0, cursor }),
        };
        Ok(call_retrying!(self.app.clients.wallet, get_statement, self.out, message)?.into_inner())
    }

    /// The lines of every page. The first page is read before the response begins, so that a refusal is still an error.
    /// If a later page cannot be read, the download fails.
    fn stream(
        self,
        first: GetStatementResponse,
    ) -> impl Stream<Item = io::Result<Vec<StatementLine>>> + Send + 'static {
        try_unfold((self, Some(first), String::new()), |(pages, page, cursor)| async move {
            let page = match page {
                Some(page) => page,
                None if cursor.is_empty() => return Ok(None),
                None => pages.read(cursor).await.map_err(|error| error.broken_off("a statement"))?,
            };
            let lines = from_proto(page.lines).map_err(|error| error.broken_off("a statement"))?;
            Ok(Some((lines, (pages, None, page.next_cursor))))
        })
    }

    /// Every line, up to the limit of a document that is made in memory.
    async fn all(self, first: GetStatementResponse) -> Result<Vec<StatementLine>, ApiError> {
        let (mut lines, mut page) = (Vec::new(), first);
        loop {
            lines.extend(from_proto::<_, Vec<StatementLine>>(page.lines)?);
            if lines.len() > PDF_LINES {
                let sentence = "This period has too many lines for a PDF. Choose a shorter one, or the CSV file.";
                return Err(field("format", sentence));
            }
            if page.next_cursor.is_empty() {
                return Ok(lines);
            }
            page = self.read(page.next_cursor).await?;
        }
    }
}

/// Units of an asset as people write them; empty for what are none.
pub(super) fn whole(units: &str, decimals: i32) -> String {
    let units = Units::parse(units).ok().zip(u8::try_from(decimals).ok());
    units.map(|(units, decimals)| units.whole(decimals)).unwrap_or_default()
}

/// A rate as people write prices.
pub(super) fn price(rate: &str) -> String {
    Cents::parse(rate).map_or_else(|_| format!("${rate}"), |price| price.to_string())
}

impl<'a> From<&'a StatementLine> for Line<'a> {
    fn from(line: &'a StatementLine) -> Self {
        let fee = line.fee.as_ref().map_or(Cents::ZERO, |fee| fee.cents());
        // What a title leaves open: of which plan, or why.
        let says_more = matches!(line.title.as_str(), "Trade" | "Profit" | "Adjustment" | "Bonus");
        let facts = [
            says_more.then(|| line.description.clone()),
            non_empty(&line.units).map(|units| format!("{units} {}", line.asset)),
            non_empty(&line.rate).map(|rate| format!("at {}", price(rate))),
            non_empty(line.network.clone()),
            (fee > Cents::ZERO).then(|| format!("fee {fee}")),
        ];
        let facts = facts.into_iter().flatten().filter_map(non_empty).collect::<Vec<_>>().join(" · ");
        let hash = non_empty(&line.txid).map(|txid| format!("Hash {txid}"));
        Self {
            at: line.at.as_deref().unwrap_or_default(),
            title: &line.title,
            reference: line.reference.as_deref().unwrap_or_default(),
            amount: line.amount.cents(),
            balance: line.balance.cents(),
            fee,
            details: [non_empty(facts), hash].into_iter().flatten().collect(),
        }
    }
}

fn once(bytes: Vec<u8>) -> impl StreamExt<Item = io::Result<Vec<u8>>> + Send + 'static {
    futures::stream::iter([Ok(bytes)])
}

/// The statement as JSON, which is written while its pages are read.
fn json(statement: &Statement, pages: Pages, first: GetStatementResponse) -> Result<Body, ApiError> {
    let mut head = serde_json::to_vec(&Success::with(statement)).map_err(ApiError::internal)?;
    // The list of lines is the last field, and is closed behind the last line.
    let end = b"]}";
    head.truncate(head.len() - end.len());
    let mut comma = false;
    let lines = pages.stream(first).map(move |lines| {
        let mut text = Vec::new();
        for line in lines? {
            if std::mem::replace(&mut comma, true) {
                text.push(b',');
            }
            serde_json::to_writer(&mut text, &line)?;
        }
        Ok(text)
    });
    Ok(Body::from_stream(once(head).chain(lines).chain(once(end.to_vec()))))
}

async fn print(app: &App, holder: &Profile, period: (Date, Date), statement: &Statement) -> Result<Vec<u8>, ApiError> {
    let made_at = OffsetDateTime::now_utc();
    let written = |number: &str| {
        let statement = pdf::Statement {
            holder,
            period,
            made_at,
            issuer: app.config.issuer(),
            number,
            opening: statement.opening_balance.cents(),
            closing: statement.closing_balance.cents(),
            lines: statement.lines.iter().map(Line::from).collect(),
        };
        statement.write()
    };
    documents::issue(&app.files, DocumentKind::Statement, made_at, written).await
}

const HEADER: &str = "at,title,description,reference,amount,fee,balance,units,asset,rate,network,hash\r\n";

/// Rows below the header.
fn csv(lines: &[StatementLine]) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for line in lines {
        let fee = line.fee.as_ref().map(ToString::to_string).unwrap_or_default();
        let (amount, balance) = (line.amount.to_string(), line.balance.to_string());
        let (at, reference) = (line.at.as_deref().unwrap_or_default(), line.reference.as_deref().unwrap_or_default());
        let inert = |text: &str| inert(text.to_owned());
        let (title, description) = (inert(&line.title), inert(&line.description));
        let (asset, network, txid) = (inert(&line.asset), inert(&line.network), inert(&line.txid));
        writer.write_record([
            at,
            &title,
            &description,
            reference,
            &amount,
            &fee,
            &balance,
            &line.units,
            &asset,
            &line.rate,
            &network,
            &txid,
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

#[cfg(test)]
mod tests {
    use super::{Statement, StatementLine, csv};
    use crate::http::json::Dollars;

    fn sample(lines: usize) -> Statement {
        let line = |_| StatementLine {
            at: Some("2026-01-02T03:04:05.006Z".to_owned()),
            title: "Deposit".to_owned(),
            reference: Some("TNX-1a2b3c".to_owned()),
            description: "=HYPERLINK(\"x\")".to_owned(),
            amount: Dollars::from_cents(12_345),
            balance: Dollars::from_cents(-5),
            fee: Some(Dollars::from_cents(309)),
            units: "0.0051".to_owned(),
            asset: "BTC".to_owned(),
            rate: "97312.45".to_owned(),
            network: "Bitcoin".to_owned(),
            txid: "ab".repeat(32),
        };
        Statement {
            from: "2026-01-01".to_owned(),
            to: "2026-01-31".to_owned(),
            opening_balance: Dollars::from_cents(0),
            closing_balance: Dollars::from_cents(12_345),
            lines: (0..lines).map(line).collect(),
        }
    }

    /// [D-G1] [D-M9] A statement shows amounts exactly, with units, rate, fee and hash, and nothing that a spreadsheet takes for a
    /// formula.
    #[test]
    fn csv_is_exact() {
        let line = String::from_utf8(csv(&sample(1).lines).unwrap()).unwrap();
        let expected = format!(
            "2026-01-02T03:04:05.006Z,Deposit,\"'=HYPERLINK(\"\"x\"\")\",TNX-1a2b3c,123.45,3.09,-0.05,0.0051,BTC,97312.45,\
             Bitcoin,{}\r\n",
            "ab".repeat(32)
        );
        assert_eq!(line, expected);
    }
}
