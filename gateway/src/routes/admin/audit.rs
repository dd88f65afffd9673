//! The audit log of staff actions, page by page or whole as a CSV file.

use std::time::Duration;

use axum::extract::Query;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chassis::clock;
use chassis::grpc::Outgoing;
use proto::common::v1::{AuditFilter, AuditRow as AuditRowMessage, ListAuditRowsRequest, PageRequest};
use route_macros::{get, response};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{FromProto, from_proto, moment};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{day, field, inert, ok};
use crate::http::names::{ListFormat, Trail};
use crate::peers::clients::{Service, call_retrying};
use crate::routes::admin::csv_file::{CsvFile, PAGE, is_csv};

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

/// The service that is asked for; `None` for all.
fn service(name: Option<&str>) -> Result<Option<Service>, ApiError> {
    match name {
        Some("all") => Ok(None),
        None | Some("") => Ok(Some(Service::Wallet)),
        Some(name) => match Service::ALL.into_iter().find(|service| service.name() == name) {
            Some(service) => Ok(Some(service)),
            None => Err(field("service", "Choose all, wallet, auth, trade, course, cases, payment-method or mailer")),
        },
    }
}

/// A row and the log that it is in.
type Placed = (Service, AuditRowMessage);

/// A page of a log or of all of them, newest first.
struct Part {
    rows: Vec<Placed>,
    next_cursor: String,
    /// The services of all that did not answer, and why.
    missing: Vec<(Service, ApiError)>,
}

async fn read(
    app: &App,
    out: &Outgoing,
    service: Option<Service>,
    filter: &AuditFilter,
    page: PageRequest,
) -> Result<Part, ApiError> {
    let Some(service) = service else { return merged(app, out, filter, page).await };
    let (rows, next_cursor) = read_one(app, out, service, filter, page).await?;
    Ok(Part { rows: rows.into_iter().map(|row| (service, row)).collect(), next_cursor, missing: Vec::new() })
}

/// Rows of a page of all logs unless the caller wants another number.
const MERGED_PAGE: i32 = 100;
/// How long a service may take to answer with its part of the time line.
const PATIENCE: Duration = Duration::from_secs(3);

/// One time line out of the logs: a page of each, of which as many of the newest are taken as the page has. The cursor is the
/// place in each log; `-` for one that ended. A log that could not be read keeps its place, so that a later page has its rows.
async fn merged(app: &App, out: &Outgoing, filter: &AuditFilter, page: PageRequest) -> Result<Part, ApiError> {
    let size = if page.size == 0 { MERGED_PAGE } else { page.size };
    let mut places = places(&page.cursor)?;
    let pages = places.iter().zip(Service::ALL).map(|(place, service)| async move {
        if place == ENDED {
            return Ok((Vec::new(), String::new()));
        }
        let page = PageRequest { size, cursor: place.clone() };
        let late = |_| Err(ApiError::of_status(StatusCode::GATEWAY_TIMEOUT));
        timeout(PATIENCE, read_one(app, out, service, filter, page)).await.unwrap_or_else(late)
    });
    let pages = futures::future::join_all(pages).await;
    let asked = places.iter().filter(|place| *place != ENDED).count();
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let mut has_more = [false; Service::ALL.len()];
    for (number, page) in pages.into_iter().enumerate() {
        match page {
            Ok((found, next)) => {
                has_more[number] = !next.is_empty();
                rows.extend(found.into_iter().map(|row| (number, row)));
            }
            // What the caller may not see, or that their session ended, is an error; so is a time line without any log.
            Err(error) if error.status().is_client_error() || missing.len() + 1 == asked => return Err(error),
            Err(error) => {
                has_more[number] = true;
                missing.push((Service::ALL[number], error));
            }
        }
    }
    let moment = |row: &AuditRowMessage| row.at.as_ref().map(|at| (at.seconds, at.nanos));
    // Stable: rows of one log keep their order.
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(moment(row)));
    let left = rows.split_off(rows.len().min(usize::try_from(size).unwrap_or_default()));
    for (number, place) in places.iter_mut().enumerate() {
        if let Some((_, last)) = rows.iter().rev().find(|(of, _)| *of == number) {
            *place = last.id.to_string();
        }
        if !has_more[number] && !left.iter().any(|(of, _)| *of == number) {
            ENDED.clone_into(place);
        }
    }
    let next_cursor = if places.iter().all(|place| place == ENDED) { String::new() } else { places.join(SEPARATOR) };
    let rows = rows.into_iter().map(|(number, row)| (Service::ALL[number], row)).collect();
    Ok(Part { rows, next_cursor, missing })
}

/// The place of a log without further rows.
const ENDED: &str = "-";
/// Between the places of a cursor.
const SEPARATOR: &str = "_";

/// The place in each log: the beginning without a cursor.
fn places(cursor: &str) -> Result<Vec<String>, ApiError> {
    if cursor.is_empty() {
        return Ok(vec![String::new(); Service::ALL.len()]);
    }
    let places: Vec<_> = cursor.split(SEPARATOR).map(str::to_owned).collect();
    let is_known = |place: &String| place.is_empty() || place == ENDED || place.parse::<i64>().is_ok();
    if places.len() == Service::ALL.len() && places.iter().all(is_known) {
        Ok(places)
    } else {
        Err(field("cursor", "This page link is not valid."))
    }
}

/// A page of a log, and the cursor of the next.
async fn read_one(
    app: &App,
    out: &Outgoing,
    service: Service,
    filter: &AuditFilter,
    page: PageRequest,
) -> Result<(Vec<AuditRowMessage>, String), ApiError> {
    let message = ListAuditRowsRequest { page: Some(page), filter: Some(filter.clone()) };
    let client = &app.clients.of(service)?.audit;
    let answer = call_retrying!(client, list_audit_rows, out, message)?.into_inner();
    Ok((answer.rows, answer.next_cursor))
}

/// A staff action in the audit log.
#[response]
pub struct AuditRow {
    id: i64,
    /// The service whose log it is in.
    #[schema(value_type = String, example = "wallet")]
    service: Service,
    #[nullable]
    at: Option<String>,
    actor_id: String,
    actor_role: String,
    action: String,
    subject_id: String,
    member_id: Option<String>,
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    #[nullable]
    before: Option<Box<RawValue>>,
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    #[nullable]
    after: Option<Box<RawValue>>,
    address: String,
    hash: String,
}

impl FromProto<Placed> for AuditRow {
    fn from_proto((service, row): Placed) -> Result<Self, ApiError> {
        Ok(Self {
            id: row.id,
            service,
            at: from_proto(row.at)?,
            actor_id: row.actor_id,
            actor_role: row.actor_role,
            action: row.action,
            subject_id: row.subject_id,
            member_id: from_proto(row.member_id)?,
            before: RawValue::from_string(row.before_json).ok(),
            after: RawValue::from_string(row.after_json).ok(),
            address: row.address,
            hash: row.hash,
        })
    }
}

/// The audit log of one service or of all, newest first.
#[response]
pub struct AuditTrail {
    rows: Vec<AuditRow>,
    next_cursor: Option<String>,
    /// Of all: the services that did not answer. Their rows are not in here.
    #[schema(value_type = Option<Vec<String>>)]
    missing: Option<Vec<Service>>,
}

/// Read the trail of staff actions
///
/// `format=csv` answers every row that matches as one file. Days are UTC and inclusive. Of all services, those that do not answer
/// within three seconds are `missing`, and the rest is answered; a file is complete or breaks off.
#[get("/admin/audit", "Back office",
    params(("service" = inline(Option<Trail>), Query), ("actor" = Option<String>, Query, description = "The id of a staff account"), ("action" = Option<String>, Query, description = "An action or its beginning, e.g. deposit."), ("member" = Option<String>, Query, description = "A member's id"), ("from" = Option<String>, Query, example = "2026-01-01"), ("to" = Option<String>, Query, example = "2026-01-31"), ("format" = inline(Option<ListFormat>), Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, content((AuditTrail = "application/json"), (String = "text/csv"))), Errors))]
pub async fn audit(caller: StaffMember, Query(mut query): Query<TrailQuery>) -> Result<Response, ApiError> {
    let service = service(query.service.as_deref())?;
    let filter = query.filter()?;
    let cursor = query.cursor.unwrap_or_default();
    if is_csv(query.format.as_deref())? {
        return file(caller.app, caller.out, service, filter, cursor).await;
    }
    let Part { rows, next_cursor, missing } =
        read(&caller.app, &caller.out, service, &filter, PageRequest { size: 0, cursor }).await?;
    let missing: Vec<_> = missing.into_iter().map(|(service, _)| service).collect();
    let missing = Some(missing).filter(|missing| !missing.is_empty());
    Ok(ok(AuditTrail { rows: from_proto(rows)?, next_cursor: from_proto(next_cursor)?, missing }).into_response())
}

/// All rows as a file; those of all services end with the name of theirs.
async fn file(
    app: App,
    out: Outgoing,
    service: Option<Service>,
    filter: AuditFilter,
    cursor: String,
) -> Result<Response, ApiError> {
    let of_all = service.is_none().then_some("service");
    let file = CsvFile {
        name: format!("solvane-audit-{}", service.map_or("all", Service::name)),
        columns: HEADER.into_iter().chain(of_all).collect(),
        most: usize::MAX,
    };
    let read = move |cursor| {
        let (app, out, filter) = (app.clone(), out.clone(), filter.clone());
        async move {
            let Part { rows, next_cursor, missing } =
                read(&app, &out, service, &filter, PageRequest { size: PAGE, cursor }).await?;
            // Nothing in the file would say that rows are missing.
            if let Some((_, error)) = missing.into_iter().next() {
                return Err(error);
            }
            Ok((rows.into_iter().map(|row| columns(service, row)).collect(), next_cursor))
        }
    };
    file.respond(cursor, read).await
}

const HEADER: [&str; 11] =
    ["id", "at", "actorId", "actorRole", "action", "subjectId", "memberId", "before", "after", "address", "hash"];

fn columns(of: Option<Service>, (service, row): Placed) -> Vec<String> {
    let of_service = of.is_none().then(|| service.name().to_owned());
    let fields = [
        row.id.to_string(),
        moment(row.at.as_ref()).unwrap_or_default(),
        row.actor_id,
        row.actor_role,
        row.action,
        inert(row.subject_id),
        row.member_id,
        row.before_json,
        row.after_json,
        row.address,
        row.hash,
    ];
    fields.into_iter().chain(of_service).collect()
}

#[cfg(test)]
mod tests {
    use proto::common::v1::AuditRow;

    use super::{HEADER, columns, places};
    use crate::peers::clients::Service;

    /// [D-O3] A row of the file is inert in a spreadsheet, and names its service where the file has several.
    #[test]
    fn a_row_has_a_value_for_each_column() {
        let row = AuditRow { id: 7, subject_id: "=1+1".to_owned(), hash: "ab".to_owned(), ..Default::default() };
        let of = |service| columns(service, (Service::Wallet, row.clone()));
        let one = of(Some(Service::Wallet));
        assert_eq!((one.len(), &*one[5]), (HEADER.len(), "'=1+1"));
        assert_eq!(of(None)[HEADER.len() - 1..], ["ab", "wallet"]);
    }

    /// [D-O3] A cursor of the time line over all services names a place in each, and nothing else.
    #[test]
    fn a_cursor_names_a_place_in_each_log() {
        assert_eq!(places("").unwrap(), vec![""; 7]);
        assert_eq!(places("7__-_3_1_-_9").unwrap(), ["7", "", "-", "3", "1", "-", "9"]);
        for text in ["7", "7_7_7_7_7_7", "7_7_7_7_7_7_x", "7_7_7_7_7_7_7_7"] {
            assert!(places(text).is_err(), "{text}");
        }
    }
}
