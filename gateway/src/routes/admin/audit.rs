//! The audit log of staff actions, page by page or whole as a CSV file.

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chassis::clock;
use chassis::grpc::Outgoing;
use futures::stream::try_unfold;
use proto::common::v1::{AuditFilter, AuditRow as AuditRowMessage, PageRequest};
use proto::{
    auth::v1 as auth, course::v1 as course, mailer::v1 as mailer, payment_method::v1 as payment_method,
    trade::v1 as trade, wallet::v1 as wallet,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::json::{field, moment, ok};
use crate::names::AuditFormat;
use crate::routes::transactions::statement::day;

/// Rows per call while a file is written.
const FILE_PAGE: i32 = 500;

/// The service, the filter, the format and the page.
#[derive(Debug, Default, Deserialize)]
pub struct TrailQuery {
    service: Option<String>,
    actor: Option<String>,
    action: Option<String>,
    member: Option<String>,
    from: Option<String>,
    to: Option<String>,
    format: Option<String>,
    cursor: Option<String>,
}

impl TrailQuery {
    fn filter(&mut self) -> Result<AuditFilter, ApiError> {
        let bound = |name: &str, text: Option<&str>| match text {
            None | Some("") => Ok(None),
            text => day(name, text).map(Some),
        };
        let until = match bound("to", self.to.as_deref())? {
            None => None,
            Some(day) => Some(day.next_day().ok_or_else(|| field("to", "Enter a date like 2026-01-31"))?),
        };
        Ok(AuditFilter {
            actor_id: self.actor.take().unwrap_or_default(),
            action: self.action.take().unwrap_or_default(),
            member_id: self.member.take().unwrap_or_default(),
            since: bound("from", self.from.as_deref())?.map(|day| clock::to_proto(day.midnight().assume_utc())),
            until: until.map(|day| clock::to_proto(day.midnight().assume_utc())),
        })
    }
}

/// The service whose log is read, by default the wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Trail {
    Wallet,
    Auth,
    Trade,
    Course,
    PaymentMethod,
    Mailer,
}

impl Trail {
    fn parse(name: Option<&str>) -> Result<Self, ApiError> {
        match name {
            None | Some("" | "wallet") => Ok(Self::Wallet),
            Some("auth") => Ok(Self::Auth),
            Some("trade") => Ok(Self::Trade),
            Some("course") => Ok(Self::Course),
            Some("payment-method") => Ok(Self::PaymentMethod),
            Some("mailer") => Ok(Self::Mailer),
            Some(_) => Err(field("service", "Choose wallet, auth, trade, course, payment-method or mailer")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Wallet => "wallet",
            Self::Auth => "auth",
            Self::Trade => "trade",
            Self::Course => "course",
            Self::PaymentMethod => "payment-method",
            Self::Mailer => "mailer",
        }
    }
}

/// A page of a log, and the cursor of the next.
async fn read(
    app: &App,
    out: &Outgoing,
    trail: Trail,
    filter: &AuditFilter,
    page: PageRequest,
) -> Result<(Vec<AuditRowMessage>, String), ApiError> {
    let (page, filter, clients) = (Some(page), Some(filter.clone()), &app.clients);
    /// Asks one service. Their messages differ only in the package.
    macro_rules! ask {
        ($client:ident, $package:ident) => {{
            let message = $package::ListAuditRowsRequest { page, filter };
            let answer = call_retrying!(clients.$client, list_audit_rows, out, message)?.into_inner();
            (answer.rows, answer.next_cursor)
        }};
    }
    Ok(match trail {
        Trail::Wallet => ask!(wallet_staff, wallet),
        Trail::Auth => ask!(auth_staff, auth),
        Trail::Trade => ask!(trade_staff, trade),
        Trail::Course => ask!(course_staff, course),
        Trail::PaymentMethod => ask!(payment_method_staff, payment_method),
        Trail::Mailer => ask!(mailer_staff, mailer),
    })
}

/// A staff action in the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    id: i64,
    at: Option<String>,
    actor_id: String,
    actor_role: String,
    action: String,
    subject_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_id: Option<String>,
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    before: Option<Box<RawValue>>,
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    after: Option<Box<RawValue>>,
    address: String,
    hash: String,
}

impl From<AuditRowMessage> for AuditRow {
    fn from(row: AuditRowMessage) -> Self {
        Self {
            id: row.id,
            at: moment(row.at.as_ref()),
            actor_id: row.actor_id,
            actor_role: row.actor_role,
            action: row.action,
            subject_id: row.subject_id,
            member_id: Some(row.member_id).filter(|id| !id.is_empty()),
            before: RawValue::from_string(row.before_json).ok(),
            after: RawValue::from_string(row.after_json).ok(),
            address: row.address,
            hash: row.hash,
        }
    }
}

/// The audit log of one service, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditTrail {
    success: bool,
    rows: Vec<AuditRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Read the trail of staff actions
///
/// `format=csv` answers every row that matches as one file. Days are UTC and inclusive.
#[utoipa::path(get, path = "/admin/audit",
    params(("service" = inline(Option<Trail>), Query),
        ("actor" = Option<String>, Query, description = "The id of a staff account"),
        ("action" = Option<String>, Query, description = "An action or its beginning, e.g. deposit."),
        ("member" = Option<String>, Query, description = "A member's id"),
        ("from" = Option<String>, Query, example = "2026-01-01"), ("to" = Option<String>, Query, example = "2026-01-31"),
        ("format" = inline(Option<AuditFormat>), Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, content((AuditTrail = "application/json"), (String = "text/csv"))), Errors), tag = "Back office")]
pub async fn audit(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(mut query): Query<TrailQuery>,
) -> Result<Response, ApiError> {
    let trail = Trail::parse(query.service.as_deref())?;
    let filter = query.filter()?;
    let cursor = query.cursor.unwrap_or_default();
    match query.format.as_deref() {
        None | Some("" | "json") => {
            let (rows, next_cursor) = read(&app, &caller.out, trail, &filter, PageRequest { size: 0, cursor }).await?;
            Ok(ok(AuditTrail {
                success: true,
                rows: rows.into_iter().map(AuditRow::from).collect(),
                next_cursor: Some(next_cursor).filter(|cursor| !cursor.is_empty()),
            })
            .into_response())
        }
        Some("csv") => file(app, caller.out, trail, filter, cursor).await,
        Some(_) => Err(field("format", "Choose json or csv")),
    }
}

/// All rows as a file, which is written while they are read. The first page is read before the response begins, so that
/// a refusal is still an error. If a later page cannot be read, the download fails.
async fn file(
    app: App,
    out: Outgoing,
    trail: Trail,
    filter: AuditFilter,
    cursor: String,
) -> Result<Response, ApiError> {
    let (rows, next) = read(&app, &out, trail, &filter, PageRequest { size: FILE_PAGE, cursor }).await?;
    let first = csv(Some(HEADER), rows).map_err(ApiError::internal)?;
    let more = try_unfold(next, move |cursor| {
        let (app, out, filter) = (app.clone(), out.clone(), filter.clone());
        async move {
            if cursor.is_empty() {
                return Ok(None);
            }
            let page = PageRequest { size: FILE_PAGE, cursor };
            let (rows, next) = read(&app, &out, trail, &filter, page).await.map_err(|error| {
                tracing::warn!(?error, "a trail broke off");
                std::io::Error::other("the trail broke off")
            })?;
            Ok(Some((csv(None, rows)?, next)))
        }
    });
    let body = futures::StreamExt::chain(futures::stream::iter([Ok::<_, std::io::Error>(first)]), more);
    let name = format!("attachment; filename=\"solvane-audit-{}.csv\"", trail.name());
    let headers = [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(body)).into_response())
}

const HEADER: [&str; 11] =
    ["id", "at", "actorId", "actorRole", "action", "subjectId", "memberId", "before", "after", "address", "hash"];

fn csv(header: Option<[&str; 11]>, rows: Vec<AuditRowMessage>) -> std::io::Result<Bytes> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    if let Some(header) = header {
        writer.write_record(header)?;
    }
    for row in rows {
        let (id, at) = (row.id.to_string(), moment(row.at.as_ref()).unwrap_or_default());
        writer.write_record([
            id,
            at,
            row.actor_id,
            row.actor_role,
            row.action,
            inert(row.subject_id),
            row.member_id,
            row.before_json,
            row.after_json,
            row.address,
            row.hash,
        ])?;
    }
    writer.into_inner().map(Bytes::from).map_err(|error| error.into_error())
}

/// The text, changed if a spreadsheet would take it for a formula.
fn inert(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use proto::common::v1::AuditRow;

    use super::{HEADER, csv};

    /// [D-O3] The trail as a file: quoted where it must be, and inert in a spreadsheet.
    #[test]
    fn a_row_is_one_line() {
        let row = AuditRow {
            id: 7,
            action: "deposit.approve".to_owned(),
            subject_id: "=1+1".to_owned(),
            after_json: r#"{"note":"a, b"}"#.to_owned(),
            ..Default::default()
        };
        let text = String::from_utf8(csv(Some(HEADER), vec![row]).unwrap().to_vec()).unwrap();
        assert_eq!(
            text,
            "id,at,actorId,actorRole,action,subjectId,memberId,before,after,address,hash\r\n\
             7,,,,deposit.approve,'=1+1,,,\"{\"\"note\"\":\"\"a, b\"\"}\",,\r\n"
        );
    }
}
