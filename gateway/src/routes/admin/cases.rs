//! The cases of members, for staff.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use proto::cases::v1 as cases;
use proto::cases::v1::{
    AnswerCaseRequest, ClaimCaseRequest, CloseStaffCaseRequest, GetStaffCaseRequest, ListStaffCasesRequest,
    RegisterComplaintRequest, ReleaseCaseRequest,
};
use proto::common::v1::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Reply, field, ok};
use crate::names::CaseFilter;
use crate::routes::cases::{CaseEntry, CaseMessage};

/// The list, the member and the page.
#[derive(Debug, Default, Deserialize)]
pub struct CaseQuery {
    filter: Option<String>,
    member: Option<String>,
    cursor: Option<String>,
}

/// A case as staff see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffCase {
    #[serde(flatten)]
    case: CaseEntry,
    member_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_name: Option<String>,
    /// The member of staff who took it. `null` for nobody.
    owner_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    owner_name: Option<String>,
}

/// A page of cases.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffCases {
    success: bool,
    cases: Vec<StaffCase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A message as staff see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffCaseMessage {
    #[serde(flatten)]
    message: CaseMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    author_name: Option<String>,
}

/// A case with its messages, in order.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffCaseThread {
    success: bool,
    case: StaffCase,
    messages: Vec<StaffCaseMessage>,
}

/// A case after a change.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffCaseReply {
    success: bool,
    /// A sentence to show to the person.
    message: &'static str,
    case: StaffCase,
}

/// The cases with the names of their people.
async fn named(app: &App, cases: Vec<cases::Case>) -> Result<Vec<StaffCase>, ApiError> {
    let people = cases.iter().flat_map(|case| [case.user_id.clone(), case.owner_id.clone()]);
    let people = app.profiles.look_up(people.filter(|id| !id.is_empty())).await?;
    let name = |id: &str| people.get(id).map(|one| one.name.clone());
    let named = |case: cases::Case| {
        let (member_name, owner_name) = (name(&case.user_id), name(&case.owner_id));
        let (member_id, owner_id) = (case.user_id.clone(), Some(case.owner_id.clone()).filter(|id| !id.is_empty()));
        Ok(StaffCase { case: case.try_into()?, member_id, member_name, owner_id, owner_name })
    };
    cases.into_iter().map(named).collect()
}

async fn one(app: &App, case: Option<cases::Case>) -> Result<StaffCase, ApiError> {
    let missing = || ApiError::internal("an answer without a case");
    named(app, vec![case.ok_or_else(missing)?]).await?.pop().ok_or_else(missing)
}

async fn changed(
    app: &App,
    message: &'static str,
    case: Option<cases::Case>,
) -> Result<Reply<StaffCaseReply>, ApiError> {
    Ok(ok(StaffCaseReply { success: true, message, case: one(app, case).await? }))
}

/// List cases
///
/// `open` (by default) waits for staff, the oldest first; `mine` and `unowned` are not closed, the oldest first; `due` is
/// overdue, the most overdue first; `complaints` is the register, closed ones included, the newest first; `member` is
/// everything of one member, the newest first.
#[utoipa::path(get, path = "/admin/cases",
    params(("filter" = inline(Option<CaseFilter>), Query), ("member" = Option<String>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = StaffCases), Errors), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(query): Query<CaseQuery>,
) -> Result<Reply<StaffCases>, ApiError> {
    let filter = match query.filter.as_deref() {
        None | Some("" | "open") => cases::CaseFilter::Unspecified,
        Some("mine") => cases::CaseFilter::Mine,
        Some("unowned") => cases::CaseFilter::Unowned,
        Some("complaints") => cases::CaseFilter::Complaints,
        Some("due") => cases::CaseFilter::Due,
        Some("member") => cases::CaseFilter::Member,
        Some(_) => return Err(field("filter", "Choose open, mine, unowned, complaints, due or member")),
    };
    let message = ListStaffCasesRequest {
        filter: filter.into(),
        member_id: query.member.unwrap_or_default(),
        page: Some(PageRequest { size: 0, cursor: query.cursor.unwrap_or_default() }),
    };
    let answer = call_retrying!(app.clients.cases_staff, list_staff_cases, caller.out, message)?.into_inner();
    Ok(ok(StaffCases {
        success: true,
        cases: named(&app, answer.cases).await?,
        next_cursor: Some(answer.next_cursor).filter(|cursor| !cursor.is_empty()),
    }))
}

/// Get a case with its messages
#[utoipa::path(get, path = "/admin/cases/{id}", params(("id" = String, Path)),
    responses((status = 200, body = StaffCaseThread), Errors), tag = "Back office")]
pub async fn get(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<StaffCaseThread>, ApiError> {
    let message = GetStaffCaseRequest { id };
    let answer = call_retrying!(app.clients.cases_staff, get_staff_case, caller.out, message)?.into_inner();
    let authors = app.profiles.look_up(answer.messages.iter().map(|message| message.author_id.clone())).await?;
    let mut messages = Vec::new();
    for message in answer.messages {
        let author_name = authors.get(&message.author_id).map(|one| one.name.clone());
        messages.push(StaffCaseMessage { message: message.try_into()?, author_name });
    }
    Ok(ok(StaffCaseThread { success: true, case: one(&app, answer.case).await?, messages }))
}

/// Take a case
///
/// Also in place of a colleague.
#[utoipa::path(put, path = "/admin/cases/{id}/claim", params(("id" = String, Path)),
    responses((status = 200, body = StaffCaseReply), Errors), tag = "Back office")]
pub async fn claim(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<StaffCaseReply>, ApiError> {
    let message = ClaimCaseRequest { id, client_address: caller.client.address };
    let answer = call_retrying!(app.clients.cases_staff, claim_case, caller.out, message)?.into_inner();
    changed(&app, "The case is yours.", answer.case).await
}

/// Give a case back
#[utoipa::path(delete, path = "/admin/cases/{id}/claim", params(("id" = String, Path)),
    responses((status = 200, body = StaffCaseReply), Errors), tag = "Back office")]
pub async fn release(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<StaffCaseReply>, ApiError> {
    let message = ReleaseCaseRequest { id, client_address: caller.client.address };
    let answer = call_retrying!(app.clients.cases_staff, release_case, caller.out, message)?.into_inner();
    changed(&app, "The case is for whoever takes it next.", answer.case).await
}

/// An answer to a member.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct CaseAnswer {
    /// Up to 4,000 characters.
    #[schema(value_type = String)]
    text: Field,
    /// How many messages the case had when it was read.
    #[schema(value_type = i32)]
    seen: Field,
}

/// Answer a member
///
/// Refused with `STALE_REVISION` if the member has written since the case was read.
#[utoipa::path(post, path = "/admin/cases/{id}/answer", request_body = CaseAnswer,
    params(("id" = String, Path), Key),
    responses((status = 200, body = StaffCaseReply), Errors), tag = "Back office")]
pub async fn answer(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    Keyed { value, claim }: Keyed<CaseAnswer>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let (text, seen) = (form.text("text", &value.text), form.integer("seen", &value.seen));
    form.finish()?;
    let client_address = caller.client.address;
    let message = AnswerCaseRequest { id, text, seen, client_address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.cases_staff, answer_case, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, changed(&app, "The answer is sent.", answer.case).await?))
}

/// Close an answered case
#[utoipa::path(post, path = "/admin/cases/{id}/close", params(("id" = String, Path), Key),
    responses((status = 200, body = StaffCaseReply), Errors), tag = "Back office")]
pub async fn close(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = CloseStaffCaseRequest { id, client_address: caller.client.address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.cases_staff, close_staff_case, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, changed(&app, "The case is closed.", answer.case).await?))
}

/// Register a complaint
///
/// It stays in the register, and has to be settled within ten working days.
#[utoipa::path(post, path = "/admin/cases/{id}/complaint", params(("id" = String, Path), Key),
    responses((status = 200, body = StaffCaseReply), Errors), tag = "Back office")]
pub async fn complaint(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = RegisterComplaintRequest { id, client_address: caller.client.address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.cases_staff, register_complaint, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, changed(&app, "The complaint is registered.", answer.case).await?))
}
