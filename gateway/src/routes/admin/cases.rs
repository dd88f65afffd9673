//! The cases of members, for staff.

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::cases::v1 as cases;
use proto::cases::v1::{
    AnswerCaseRequest, AssignCaseRequest, ClaimCaseRequest, CloseStaffCaseRequest, GetStaffCaseRequest,
    ListColleaguesRequest, ListStaffCasesRequest, RegisterComplaintRequest, ReleaseCaseRequest,
};
use proto::common::v1::PageRequest;
use route_macros::{delete, get, post, put, request, response};
use serde::Deserialize;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::error::{ApiError, Errors};
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Field, Json, Kept, ToProto, field, inert, marked, ok};
use crate::http::names::{CaseFilter, ListFormat};
use crate::peers::clients::{ask, call_retrying, keyed};
use crate::routes::account::cases::{CaseEntry, CaseMessage};
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv, word};

/// The list, the member and the page.
#[derive(Debug, Default, Deserialize)]
pub struct CaseQuery {
    filter: Option<String>,
    member: Option<String>,
    cursor: Option<String>,
    format: Option<String>,
}

/// A case as staff see it.
#[response(from = cases::Case)]
pub struct StaffCase {
    #[serde(flatten)]
    case: CaseEntry,
    #[from(user_id)]
    member_id: String,
    #[from(skip)]
    member_name: Option<String>,
    /// The member of staff who took it. `null` for nobody.
    #[nullable]
    owner_id: Option<String>,
    #[from(skip)]
    owner_name: Option<String>,
    /// The colleague who handed it to the owner. Missing where the owner took it.
    assigned_by: Option<String>,
    #[from(skip)]
    assigned_by_name: Option<String>,
}

/// A page of cases.
#[response]
pub struct StaffCases {
    cases: Vec<StaffCase>,
    next_cursor: Option<String>,
}

/// A message as staff see it.
#[response]
pub struct StaffCaseMessage {
    #[serde(flatten)]
    message: CaseMessage,
    author_name: Option<String>,
}

/// A case with its messages, in order.
#[response]
pub struct StaffCaseThread {
    case: StaffCase,
    messages: Vec<StaffCaseMessage>,
}

/// A case after a change.
#[response]
pub struct StaffCaseReply {
    /// A sentence to show to the person.
    message: &'static str,
    case: StaffCase,
}

/// The cases with the names of their people.
async fn named(app: &App, cases: Vec<cases::Case>) -> Result<Vec<StaffCase>, ApiError> {
    let people = cases.iter().flat_map(|case| [case.user_id.clone(), case.owner_id.clone(), case.assigned_by.clone()]);
    let people = app.profiles.look_up(people).await?;
    let named = |case: cases::Case| {
        Ok(StaffCase {
            member_name: people.name(&case.user_id),
            owner_name: people.name(&case.owner_id),
            assigned_by_name: people.name(&case.assigned_by),
            ..from_proto(case)?
        })
    };
    cases.into_iter().map(named).collect()
}

async fn one(app: &App, case: Option<cases::Case>) -> Result<StaffCase, ApiError> {
    let missing = || ApiError::internal("an answer without a case");
    named(app, vec![case.ok_or_else(missing)?]).await?.pop().ok_or_else(missing)
}

async fn changed(app: &App, message: &'static str, case: Option<cases::Case>) -> Answer<StaffCaseReply> {
    Ok(ok(StaffCaseReply { message, case: one(app, case).await? }))
}

/// List cases
///
/// `open` (by default) waits for staff, the oldest first; `mine` and `unowned` are not closed, the oldest first; `due` is
/// overdue, the most overdue first; `complaints` is the register, closed ones included, the newest first; `member` is
/// everything of one member, the newest first. `format=csv` answers them as one file of at most 100,000.
#[get("/admin/cases", "Back office",
    params(("filter" = inline(Option<CaseFilter>), Query), ("member" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((StaffCases = "application/json"), (String = "text/csv"))), Errors))]
pub async fn list(caller: StaffMember, Query(query): Query<CaseQuery>) -> Result<Response, ApiError> {
    let filter = match query.filter.as_deref() {
        None | Some("" | "open") => cases::CaseFilter::Unspecified,
        Some("mine") => cases::CaseFilter::Mine,
        Some("unowned") => cases::CaseFilter::Unowned,
        Some("complaints") => cases::CaseFilter::Complaints,
        Some("due") => cases::CaseFilter::Due,
        Some("member") => cases::CaseFilter::Member,
        Some(_) => return Err(field("filter", "Choose open, mine, unowned, complaints, due or member")),
    };
    let (member_id, cursor) = (query.member.unwrap_or_default(), query.cursor.unwrap_or_default());
    let page = |size, cursor| Some(PageRequest { size, cursor });
    if is_csv(query.format.as_deref())? {
        let (app, out) = (caller.app, caller.out);
        let file = CsvFile { name: "solvane-cases".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
        let read = move |cursor| {
            let (app, out) = (app.clone(), out.clone());
            let message =
                ListStaffCasesRequest { filter: filter.into(), member_id: member_id.clone(), page: page(PAGE, cursor) };
            async move {
                let (cases, next) = read(&app, &out, message).await?;
                Ok((cases.into_iter().map(columns).collect(), next))
            }
        };
        return file.respond(cursor, read).await;
    }
    let message = ListStaffCasesRequest { filter: filter.into(), member_id, page: page(0, cursor) };
    let (cases, next_cursor) = read(&caller.app, &caller.out, message).await?;
    Ok(ok(StaffCases { cases, next_cursor: from_proto(next_cursor)? }).into_response())
}

/// A page of them, and the cursor of the next.
async fn read(app: &App, out: &Outgoing, message: ListStaffCasesRequest) -> Result<(Vec<StaffCase>, String), ApiError> {
    let answer = call_retrying!(app.clients.cases_staff, list_staff_cases, out, message)?.into_inner();
    Ok((named(app, answer.cases).await?, answer.next_cursor))
}

const COLUMNS: [&str; 15] = [
    "number",
    "topic",
    "state",
    "memberId",
    "member",
    "ownerId",
    "owner",
    "subject",
    "createdAt",
    "answerDueAt",
    "firstAnsweredAt",
    "complaintAt",
    "complaintDueAt",
    "closedAt",
    "messages",
];

fn columns(one: StaffCase) -> Vec<String> {
    let case = one.case;
    let subject = case.subject.map(|subject| inert(subject.reference)).unwrap_or_default();
    vec![
        case.number.to_string(),
        word(case.topic),
        word(case.state),
        one.member_id,
        inert(one.member_name.unwrap_or_default()),
        one.owner_id.unwrap_or_default(),
        inert(one.owner_name.unwrap_or_default()),
        subject,
        case.created_at,
        case.answer_due_at.unwrap_or_default(),
        case.first_answered_at.unwrap_or_default(),
        case.complaint_at.unwrap_or_default(),
        case.complaint_due_at.unwrap_or_default(),
        case.closed_at.unwrap_or_default(),
        case.messages.to_string(),
    ]
}

/// Get a case with its messages
#[get("/admin/cases/{id}", "Back office")]
pub async fn get(caller: StaffMember, Path(id): Path<String>) -> Answer<StaffCaseThread> {
    let message = GetStaffCaseRequest { id };
    let answer = ask!(caller.cases_staff.get_staff_case(message))?;
    let authors = caller.app.profiles.look_up(answer.messages.iter().map(|message| message.author_id.clone())).await?;
    let member_id = answer.case.as_ref().map(|case| case.user_id.clone()).unwrap_or_default();
    let mut messages = Vec::new();
    for message in answer.messages {
        let author_name = authors.name(&message.author_id);
        let message = CaseMessage::new(&caller.app.files, &member_id, message)?;
        messages.push(StaffCaseMessage { message, author_name });
    }
    Ok(ok(StaffCaseThread { case: one(&caller.app, answer.case).await?, messages }))
}

/// Take a case
///
/// Also in place of a colleague.
#[put("/admin/cases/{id}/claim", "Back office")]
pub async fn claim(caller: StaffMember, Path(id): Path<String>) -> Answer<StaffCaseReply> {
    let message = ClaimCaseRequest { id, client_address: caller.client.address };
    let answer = ask!(caller.cases_staff.claim_case(message))?;
    changed(&caller.app, "The case is yours.", answer.case).await
}

/// A colleague who may answer cases.
#[response]
pub struct Colleague {
    id: String,
    name: Option<String>,
}

/// Those whom a case can be handed to.
#[response]
pub struct Colleagues {
    colleagues: Vec<Colleague>,
}

/// List the others who may answer cases
#[get("/admin/cases/colleagues", "Back office")]
pub async fn colleagues(caller: StaffMember) -> Answer<Colleagues> {
    let ids = ask!(caller.cases_staff.list_colleagues(ListColleaguesRequest {}))?.user_ids;
    let people = caller.app.profiles.look_up(ids.iter().cloned()).await?;
    let colleague = |id: String| Colleague { name: people.name(&id), id };
    Ok(ok(Colleagues { colleagues: ids.into_iter().map(colleague).collect() }))
}

/// A colleague as the owner of a case.
#[request]
pub struct CaseOwner {
    owner_id: Field<String>,
}

/// Hand a case to a colleague
///
/// It has to be somebody who may answer cases, too.
#[put("/admin/cases/{id}/owner", "Back office")]
pub async fn assign(caller: StaffMember, Path(id): Path<String>, body: Json<CaseOwner>) -> Answer<StaffCaseReply> {
    let owner_id = body.value.owner_id.text("ownerId")?;
    let message = AssignCaseRequest { id, owner_id, client_address: caller.client.address };
    let answer = ask!(caller.cases_staff.assign_case(message))?;
    changed(&caller.app, "The case is your colleague's.", answer.case).await
}

/// Give a case back
#[delete("/admin/cases/{id}/claim", "Back office")]
pub async fn release(caller: StaffMember, Path(id): Path<String>) -> Answer<StaffCaseReply> {
    let message = ReleaseCaseRequest { id, client_address: caller.client.address };
    let answer = ask!(caller.cases_staff.release_case(message))?;
    changed(&caller.app, "The case is for whoever takes it next.", answer.case).await
}

/// An answer to a member.
#[request(to = AnswerCaseRequest)]
pub struct CaseAnswer {
    /// Up to 4,000 characters.
    text: Field<String>,
    /// How many messages the case had when it was read.
    seen: Field<i32>,
}

/// Answer a member
///
/// Refused with `STALE_REVISION` if the member has written since the case was read.
#[post("/admin/cases/{id}/answer", "Back office")]
pub async fn answer(caller: StaffMember, Path(id): Path<String>, body: Keyed<CaseAnswer>) -> Answer<StaffCaseReply> {
    let client_address = caller.client.address;
    let message = AnswerCaseRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    let Kept { sent, is_replay } = keyed!(caller.cases_staff.answer_case(message))?;
    Ok(marked(is_replay, changed(&caller.app, "The answer is sent.", sent.case).await?))
}

/// Close an answered case
#[post("/admin/cases/{id}/close", "Back office")]
pub async fn close(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<StaffCaseReply> {
    let message = CloseStaffCaseRequest { id, client_address: caller.client.address, idempotency: key.bodyless() };
    let Kept { sent, is_replay } = keyed!(caller.cases_staff.close_staff_case(message))?;
    Ok(marked(is_replay, changed(&caller.app, "The case is closed.", sent.case).await?))
}

/// Register a complaint
///
/// It stays in the register, and has to be settled within ten working days.
#[post("/admin/cases/{id}/complaint", "Back office")]
pub async fn complaint(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<StaffCaseReply> {
    let message = RegisterComplaintRequest { id, client_address: caller.client.address, idempotency: key.bodyless() };
    let Kept { sent, is_replay } = keyed!(caller.cases_staff.register_complaint(message))?;
    Ok(marked(is_replay, changed(&caller.app, "The complaint is registered.", sent.case).await?))
}
