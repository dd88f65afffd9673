//! Members as staff see them.

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::auth::v1 as auth;
use proto::auth::v1::{
    AddMemberNoteRequest, FreezeMemberRequest, GetMemberRequest, ListMembersRequest, ProposeFactorResetRequest,
    UnfreezeMemberRequest,
};
use proto::common::v1::PageRequest;
use proto::wallet::v1::{
    CorrectionKind, GetMemberWalletRequest, LedgerEntry, PlaceHoldRequest, ProposeCorrectionRequest,
    ProposeCourseRefundRequest, ReleaseHoldRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{Service, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Dollars, Field, Form, Reply, created, inert, moment, ok};
use crate::names::{HoldReason, ListFormat};
use crate::routes::Done;
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv};
use crate::routes::admin::proposals::Proposed;
use crate::routes::auth::Session;
use crate::routes::transactions::model::Direction;
use crate::routes::users::{Hold, User};

/// The search and the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    search: Option<String>,
    cursor: Option<String>,
    format: Option<String>,
}

/// A page of members.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Members {
    success: bool,
    members: Vec<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Search members
///
/// `format=csv` answers those that match as one file of at most 100,000.
#[utoipa::path(get, path = "/admin/members", params(("search" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((Members = "application/json"), (String = "text/csv"))), Errors), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(filter): Query<Filter>,
) -> Result<Response, ApiError> {
    let (search, cursor) = (filter.search.unwrap_or_default(), filter.cursor.unwrap_or_default());
    if is_csv(filter.format.as_deref())? {
        return file(app, caller.out, search, cursor).await;
    }
    let message = ListMembersRequest { search, page: Some(PageRequest { size: 0, cursor }) };
    let answer = call_retrying!(app.clients.auth_staff, list_members, caller.out, message)?.into_inner();
    Ok(ok(Members {
        success: true,
        members: answer.members.into_iter().map(|user| User::new(user, None)).collect(),
        next_cursor: Some(answer.next_cursor).filter(|cursor| !cursor.is_empty()),
    })
    .into_response())
}

async fn file(app: App, out: Outgoing, search: String, cursor: String) -> Result<Response, ApiError> {
    let file = CsvFile { name: "solvane-members".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
    let read = move |cursor| {
        let (app, out, search) = (app.clone(), out.clone(), search.clone());
        async move {
            let message = ListMembersRequest { search, page: Some(PageRequest { size: PAGE, cursor }) };
            let answer = call_retrying!(app.clients.auth_staff, list_members, out, message)?.into_inner();
            Ok((answer.members.into_iter().map(columns).collect(), answer.next_cursor))
        }
    };
    file.respond(cursor, read).await
}

const COLUMNS: [&str; 9] =
    ["id", "name", "email", "phone", "country", "createdAt", "isVerified", "isFrozen", "closedAt"];

fn columns(user: auth::User) -> Vec<String> {
    let (created_at, closed_at) = (moment(user.created_at.as_ref()), moment(user.closed_at.as_ref()));
    vec![
        user.id,
        inert(user.name),
        inert(user.email),
        inert(user.phone),
        user.country,
        created_at.unwrap_or_default(),
        user.is_verified.to_string(),
        user.is_frozen.to_string(),
        closed_at.unwrap_or_default(),
    ]
}

/// A note that staff wrote about a member.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    author_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    author_name: Option<String>,
    at: Option<String>,
    text: String,
}

/// An entry of the ledger.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    posting_id: i64,
    account: String,
    amount: Dollars,
    balance: Dollars,
    kind: String,
    at: Option<String>,
}

impl From<LedgerEntry> for Entry {
    fn from(entry: LedgerEntry) -> Self {
        Self {
            posting_id: entry.posting_id,
            account: entry.account,
            amount: Dollars::from_cents(entry.amount_cents),
            balance: Dollars::from_cents(entry.balance_cents),
            kind: entry.kind,
            at: moment(entry.at.as_ref()),
        }
    }
}

/// A member with sessions, notes and the newest ledger entries.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    success: bool,
    member: User,
    sessions: Vec<Session>,
    notes: Vec<Note>,
    entries: Vec<Entry>,
    second_factor: SecondFactor,
}

/// State of a member's second factor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    enrolled: bool,
    /// When a lost second factor is removed, unless it is used before. `null` if it stays.
    removed_at: Option<String>,
}

/// Get a member
#[utoipa::path(get, path = "/admin/members/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Member), Errors), tag = "Back office")]
pub async fn get(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
) -> Result<Reply<Member>, ApiError> {
    let request = GetMemberRequest { user_id: user_id.clone() };
    let member = call_retrying!(app.clients.auth_staff, get_member, caller.out, request)?.into_inner();
    let user = member.member.ok_or_else(ApiError::not_found)?;
    let request = GetMemberWalletRequest { user_id };
    let books = call_retrying!(app.clients.wallet_staff, get_member_wallet, caller.out, request)?.into_inner();
    let mut user = User::new(user, books.wallet.as_ref());
    let authors = member.notes.iter().map(|note| note.author_id.clone());
    let staff = app.profiles.look_up(authors.chain(user.holds().filter_map(|hold| hold.placed_by.clone()))).await?;
    let name = |id: &str| staff.get(id).map(|one| one.name.clone());
    for hold in user.holds() {
        hold.placed_by_name = hold.placed_by.as_deref().and_then(name);
    }
    let note = |note: auth::MemberNote| Note {
        author_name: name(&note.author_id),
        author_id: note.author_id,
        at: moment(note.at.as_ref()),
        text: note.text,
    };
    Ok(ok(Member {
        success: true,
        member: user,
        sessions: member.sessions.into_iter().map(Session::try_from).collect::<Result<_, _>>()?,
        notes: member.notes.into_iter().map(note).collect(),
        entries: books.entries.into_iter().map(Entry::from).collect(),
        second_factor: SecondFactor {
            enrolled: member.has_second_factor,
            removed_at: moment(member.factor_reset_at.as_ref()),
        },
    }))
}

/// The reason for the action.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NoteRequest {
    #[schema(value_type = String, example = "Asked for by the member by phone.")]
    note: Field,
}

pub(super) fn note(value: &NoteRequest) -> Result<String, ApiError> {
    let mut form = Form::new();
    let text = form.text("note", &value.note);
    form.finish()?;
    Ok(text)
}

/// Freeze a member
#[utoipa::path(post, path = "/admin/members/{id}/freeze", request_body = NoteRequest,
    params(("id" = String, Path), Key),
    responses((status = 200, body = Done), Errors), tag = "Back office")]
pub async fn freeze(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Result<Response, ApiError> {
    let message =
        FreezeMemberRequest { user_id, note: note(&value)?, client: Some(caller.client), idempotency: claim.clone() };
    let answer = call_keyed!(app.clients.auth_staff, freeze_member, caller.out, claim, message)?;
    Ok(marked(answer.metadata(), ok(Done::saying("The account has been frozen."))))
}

/// Unfreeze a member
#[utoipa::path(post, path = "/admin/members/{id}/unfreeze", request_body = NoteRequest,
    params(("id" = String, Path), Key),
    responses((status = 200, body = Done), Errors), tag = "Back office")]
pub async fn unfreeze(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Result<Response, ApiError> {
    let message =
        UnfreezeMemberRequest { user_id, note: note(&value)?, client: Some(caller.client), idempotency: claim.clone() };
    let answer = call_keyed!(app.clients.auth_staff, unfreeze_member, caller.out, claim, message)?;
    Ok(marked(answer.metadata(), ok(Done::saying("The account is active again."))))
}

/// Write a note about a member
#[utoipa::path(post, path = "/admin/members/{id}/notes", request_body = NoteRequest,
    params(("id" = String, Path), Key),
    responses((status = 200, body = Done), Errors), tag = "Back office")]
pub async fn add_note(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Result<Response, ApiError> {
    let message =
        AddMemberNoteRequest { user_id, text: note(&value)?, client: Some(caller.client), idempotency: claim.clone() };
    let answer = call_keyed!(app.clients.auth_staff, add_member_note, caller.out, claim, message)?;
    Ok(marked(answer.metadata(), ok(Done::saying("The note has been saved."))))
}

/// A correction of a member's balances.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Correction {
    /// Amount in dollars, e.g. `25.00`.
    #[schema(value_type = f64, example = 25)]
    amount: Field,
    /// `credit` or `debit`, only for adjustments; `credit` by default.
    #[schema(value_type = Option<Direction>)]
    r#type: Field,
    #[schema(value_type = String, example = "Welcome bonus")]
    note: Field,
}

async fn propose(
    app: &App,
    caller: SignedIn,
    user_id: String,
    kind: CorrectionKind,
    Keyed { value, claim }: Keyed<Correction>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let direction = if value.r#type.is_given() { form.text("type", &value.r#type) } else { "credit".to_owned() };
    let kind = match (kind, direction.as_str()) {
        (CorrectionKind::AdjustmentCredit, "debit") => CorrectionKind::AdjustmentDebit,
        (kind, "credit") => kind,
        (kind, _) => {
            form.wrong("type", "Choose credit or debit");
            kind
        }
    };
    let message = ProposeCorrectionRequest {
        user_id,
        kind: kind.into(),
        amount_cents: form.amount("amount", &value.amount).get(),
        note: form.text("note", &value.note),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, propose_correction, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Wallet, answer.proposal)?)))
}

/// The reason to remove a member's second factors.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Reset {
    /// How the identity was checked.
    #[schema(value_type = String, example = "Video call, passport seen")]
    note: Field,
}

/// Propose to remove lost second factors
///
/// 72 hours after another reviewer confirmed, unless the member uses one before.
#[utoipa::path(post, path = "/admin/members/{id}/factor-reset", request_body = Reset,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn reset_factors(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<Reset>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let note = form.text("note", &value.note);
    form.finish()?;
    let message = ProposeFactorResetRequest { user_id, note, client: Some(caller.client), idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.auth_staff, propose_factor_reset, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Auth, answer.proposal)?)))
}

/// Propose a bonus
#[utoipa::path(post, path = "/admin/members/{id}/bonus", request_body = Correction,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn bonus(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    body: Keyed<Correction>,
) -> Result<Response, ApiError> {
    propose(&app, caller, user_id, CorrectionKind::Bonus, body).await
}

/// Propose to release bonus into the balance
#[utoipa::path(post, path = "/admin/members/{id}/release", request_body = Correction,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn release(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    body: Keyed<Correction>,
) -> Result<Response, ApiError> {
    propose(&app, caller, user_id, CorrectionKind::Release, body).await
}

/// Propose an adjustment of the balance
#[utoipa::path(post, path = "/admin/members/{id}/adjustment", request_body = Correction,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn adjustment(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    body: Keyed<Correction>,
) -> Result<Response, ApiError> {
    propose(&app, caller, user_id, CorrectionKind::AdjustmentCredit, body).await
}

/// Propose to refund the course
///
/// The price goes back to the balance, whichever way it was paid, and access ends. A treasurer other than the proposer
/// confirms. The note, of 1 to 500 characters, is for the audit log.
#[utoipa::path(post, path = "/admin/members/{id}/course/refund", request_body = NoteRequest,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn refund_course(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Result<Response, ApiError> {
    let message = ProposeCourseRefundRequest {
        user_id,
        note: note(&value)?,
        client_address: caller.client.address,
        idempotency: claim.clone(),
        ..Default::default()
    };
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, propose_course_refund, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Wallet, answer.proposal)?)))
}

/// A hold on a part of a balance.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewHold {
    /// Amount in dollars, at most the available balance.
    #[schema(value_type = f64, example = 25)]
    amount: Field,
    #[schema(value_type = HoldReason)]
    reason_code: Field,
}

/// A hold that was placed or released.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoldMade {
    success: bool,
    message: &'static str,
    hold: Hold,
}

impl HoldMade {
    fn new(hold: Option<proto::wallet::v1::Hold>, message: &'static str) -> Result<Self, ApiError> {
        let hold = hold.ok_or_else(|| ApiError::internal("an answer without hold"))?;
        Ok(Self { success: true, message, hold: hold.into() })
    }
}

/// Hold a part of a member's balance
#[utoipa::path(post, path = "/admin/members/{id}/holds", request_body = NewHold,
    params(("id" = String, Path), Key),
    responses((status = 201, body = HoldMade), Errors), tag = "Back office")]
pub async fn place_hold(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NewHold>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let message = PlaceHoldRequest {
        user_id,
        amount_cents: form.amount("amount", &value.amount).get(),
        reason_code: form.text("reasonCode", &value.reason_code),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, place_hold, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(HoldMade::new(answer.hold, "The amount is on hold.")?)))
}

/// Release a hold
///
/// Somebody other than who placed it.
#[utoipa::path(post, path = "/admin/members/{id}/holds/{holdId}/release",
    params(("id" = String, Path), ("holdId" = String, Path), Key),
    responses((status = 200, body = HoldMade), Errors), tag = "Back office")]
pub async fn release_hold(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path((user_id, hold_id)): Path<(String, String)>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message =
        ReleaseHoldRequest { user_id, hold_id, client_address: caller.client.address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, release_hold, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(HoldMade::new(answer.hold, "The hold has been released.")?)))
}
