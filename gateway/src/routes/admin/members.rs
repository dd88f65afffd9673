//! Members as staff see them.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::auth::v1 as auth;
use proto::auth::v1::{
    AddMemberNoteRequest, FreezeMemberRequest, GetMemberRequest, ListMembersRequest, ProposeFactorResetRequest,
    UnfreezeMemberRequest,
};
use proto::common::v1::PageRequest;
use proto::wallet::v1::{
    CorrectionKind, GetMemberWalletRequest, LedgerEntry, ListMemberWalletsRequest, PlaceHoldRequest,
    ProposeCorrectionRequest, ProposeCourseRefundRequest, ReleaseHoldRequest, Wallet,
};
use route_macros::{get, post, request, response};
use serde::Deserialize;
use tokio::time::timeout;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{from_proto, moment};
use crate::http::error::{ApiError, Errors};
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Dollars, Done, Field, Form, ToProto, inert, ok};
use crate::http::names::{HoldReason, ListFormat};
use crate::peers::clients::{Service, ask, call_retrying, keyed};
use crate::routes::account::auth::Session;
use crate::routes::account::users::{Hold, User};
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv};
use crate::routes::admin::proposals::Proposed;
use crate::routes::money::transactions::model::Direction;

/// How long wallet may take over the balances of a page: the list is of use without them.
const PATIENCE: Duration = Duration::from_secs(2);

/// The search and the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    search: Option<String>,
    cursor: Option<String>,
    format: Option<String>,
}

/// A page of members.
#[response]
pub struct Members {
    members: Vec<User>,
    next_cursor: Option<String>,
}

/// Search members
///
/// Each with the balances, without holds; `wallet` is `null` if they are not available within two seconds. `format=csv` answers
/// those that match, without balances, as one file of at most 100,000.
#[get("/admin/members", "Back office",
    params(("search" = Option<String>, Query), ("cursor" = Option<String>, Query), ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((Members = "application/json"), (String = "text/csv"))), Errors))]
pub async fn list(caller: StaffMember, Query(filter): Query<Filter>) -> Result<Response, ApiError> {
    let (search, cursor) = (filter.search.unwrap_or_default(), filter.cursor.unwrap_or_default());
    if is_csv(filter.format.as_deref())? {
        return file(caller.app, caller.out, search, cursor).await;
    }
    let message = ListMembersRequest { search, page: Some(PageRequest { size: 0, cursor }) };
    let answer = ask!(caller.auth_staff.list_members(message))?;
    let wallets = wallets(&caller, &answer.members).await;
    let member = |user: auth::User| {
        let wallet = wallets.as_ref().map(|wallets| wallets.get(&user.id).cloned().unwrap_or_default());
        User::new(user, wallet)
    };
    let members = answer.members.into_iter().map(member).collect::<Result<_, _>>()?;
    Ok(ok(Members { members, next_cursor: from_proto(answer.next_cursor)? }).into_response())
}

/// The wallets of members by their ids; `None` if wallet does not answer in time. A member without accounts has none yet.
async fn wallets(caller: &StaffMember, members: &[auth::User]) -> Option<HashMap<String, Wallet>> {
    if members.is_empty() {
        return Some(HashMap::new());
    }
    let message = ListMemberWalletsRequest { user_ids: members.iter().map(|user| user.id.clone()).collect() };
    match timeout(PATIENCE, async { ask!(caller.wallet_staff.list_member_wallets(message)) }).await {
        Ok(Ok(answer)) => Some(answer.wallets.into_iter().map(|one| (one.user_id.clone(), one)).collect()),
        failed => {
            tracing::warn!(?failed, "members are listed without balances");
            None
        }
    }
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
#[response(from = auth::MemberNote)]
pub struct Note {
    author_id: String,
    #[from(skip)]
    author_name: Option<String>,
    #[nullable]
    at: Option<String>,
    text: String,
}

/// An entry of the ledger.
#[response(from = LedgerEntry)]
pub struct Entry {
    posting_id: i64,
    account: String,
    amount: Dollars,
    balance: Dollars,
    kind: String,
    #[nullable]
    at: Option<String>,
}

/// A member with sessions, notes and the newest ledger entries.
#[response]
pub struct Member {
    member: User,
    sessions: Vec<Session>,
    notes: Vec<Note>,
    entries: Vec<Entry>,
    second_factor: SecondFactor,
}

/// State of a member's second factor.
#[response(from = auth::GetMemberResponse)]
pub struct SecondFactor {
    #[from(has_second_factor)]
    enrolled: bool,
    /// When a lost second factor is removed, unless it is used before. `null` if it stays.
    #[from(factor_reset_at)]
    #[nullable]
    removed_at: Option<String>,
}

/// Get a member
#[get("/admin/members/{id}", "Back office")]
pub async fn get(caller: StaffMember, Path(user_id): Path<String>) -> Answer<Member> {
    let request = GetMemberRequest { user_id: user_id.clone() };
    let mut member = ask!(caller.auth_staff.get_member(request))?;
    let user = member.member.take().ok_or_else(ApiError::not_found)?;
    let request = GetMemberWalletRequest { user_id };
    let books = ask!(caller.wallet_staff.get_member_wallet(request))?;
    let mut user = User::new(user, books.wallet)?;
    let authors = member.notes.iter().map(|note| note.author_id.clone());
    let staff =
        caller.app.profiles.look_up(authors.chain(user.holds().filter_map(|hold| hold.placed_by.clone()))).await?;
    for hold in user.holds() {
        hold.placed_by_name = hold.placed_by.as_deref().and_then(|id| staff.name(id));
    }
    let mut notes: Vec<Note> = from_proto(std::mem::take(&mut member.notes))?;
    for note in &mut notes {
        note.author_name = staff.name(&note.author_id);
    }
    Ok(ok(Member {
        member: user,
        sessions: from_proto(std::mem::take(&mut member.sessions))?,
        notes,
        entries: from_proto(books.entries)?,
        second_factor: from_proto(member)?,
    }))
}

/// The reason for the action.
#[request]
pub struct NoteRequest {
    #[schema(example = "Asked for by the member by phone.")]
    note: Field<String>,
}

impl NoteRequest {
    pub(super) fn text(&self) -> Result<String, ApiError> {
        self.note.text("note")
    }
}

/// Freeze a member
#[post("/admin/members/{id}/freeze", "Back office")]
pub async fn freeze(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<NoteRequest>) -> Answer<Done> {
    let message =
        FreezeMemberRequest { user_id, note: body.value.text()?, client: Some(caller.client), idempotency: body.claim };
    keyed!(caller.auth_staff.freeze_member(message))?.done("The account has been frozen.")
}

/// Unfreeze a member
#[post("/admin/members/{id}/unfreeze", "Back office")]
pub async fn unfreeze(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<NoteRequest>) -> Answer<Done> {
    let message = UnfreezeMemberRequest {
        user_id,
        note: body.value.text()?,
        client: Some(caller.client),
        idempotency: body.claim,
    };
    keyed!(caller.auth_staff.unfreeze_member(message))?.done("The account is active again.")
}

/// Write a note about a member
#[post("/admin/members/{id}/notes", "Back office")]
pub async fn add_note(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<NoteRequest>) -> Answer<Done> {
    let message = AddMemberNoteRequest {
        user_id,
        text: body.value.text()?,
        client: Some(caller.client),
        idempotency: body.claim,
    };
    keyed!(caller.auth_staff.add_member_note(message))?.done("The note has been saved.")
}

/// A correction of a member's balances.
#[request]
pub struct Correction {
    /// Amount in dollars, e.g. `25.00`.
    #[schema(example = 25)]
    amount: Field<f64>,
    /// `credit` or `debit`, only for adjustments; `credit` by default.
    r#type: Field<Option<Direction>>,
    #[schema(example = "Welcome bonus")]
    note: Field<String>,
}

async fn propose(
    caller: StaffMember,
    user_id: String,
    kind: CorrectionKind,
    Keyed { value, claim }: Keyed<Correction>,
) -> Created<Proposed> {
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
        idempotency: claim,
    };
    form.finish()?;
    keyed!(caller.wallet_staff.propose_correction(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}

/// The reason to remove a member's second factors.
#[request]
pub struct FactorReset {
    /// How the identity was checked.
    #[schema(example = "Video call, passport seen")]
    note: Field<String>,
}

/// Propose to remove lost second factors
///
/// 72 hours after another reviewer confirmed, unless the member uses one before.
#[post("/admin/members/{id}/factor-reset", "Back office")]
pub async fn reset_factors(
    caller: StaffMember,
    Path(user_id): Path<String>,
    body: Keyed<FactorReset>,
) -> Created<Proposed> {
    let note = body.value.note.text("note")?;
    let message = ProposeFactorResetRequest { user_id, note, client: Some(caller.client), idempotency: body.claim };
    keyed!(caller.auth_staff.propose_factor_reset(message))?
        .reply(|answer| Proposed::new(Service::Auth, answer.proposal))
}

/// Propose a bonus
#[post("/admin/members/{id}/bonus", "Back office")]
pub async fn bonus(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<Correction>) -> Created<Proposed> {
    propose(caller, user_id, CorrectionKind::Bonus, body).await
}

/// Propose to release bonus into the balance
#[post("/admin/members/{id}/release", "Back office")]
pub async fn release(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<Correction>) -> Created<Proposed> {
    propose(caller, user_id, CorrectionKind::Release, body).await
}

/// Propose an adjustment of the balance
#[post("/admin/members/{id}/adjustment", "Back office")]
pub async fn adjustment(
    caller: StaffMember,
    Path(user_id): Path<String>,
    body: Keyed<Correction>,
) -> Created<Proposed> {
    propose(caller, user_id, CorrectionKind::AdjustmentCredit, body).await
}

/// Propose to refund the course
///
/// The price goes back to the balance, whichever way it was paid, and access ends. A treasurer other than the proposer
/// confirms. The note, of 1 to 500 characters, is for the audit log.
#[post("/admin/members/{id}/course/refund", "Back office")]
pub async fn refund_course(
    caller: StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Created<Proposed> {
    let message = ProposeCourseRefundRequest {
        user_id,
        note: value.text()?,
        client_address: caller.client.address,
        idempotency: claim,
    };
    keyed!(caller.wallet_staff.propose_course_refund(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}

/// A hold on a part of a balance.
#[request(to = PlaceHoldRequest)]
pub struct NewHold {
    /// Amount in dollars, at most the available balance.
    #[schema(example = 25)]
    amount: Field<f64>,
    reason_code: Field<HoldReason>,
}

/// A hold that was placed or released.
#[response]
pub struct HoldMade {
    message: &'static str,
    hold: Hold,
}

impl HoldMade {
    fn new(hold: Option<proto::wallet::v1::Hold>, message: &'static str) -> Result<Self, ApiError> {
        Ok(Self { message, hold: from_proto(hold)? })
    }
}

/// Hold a part of a member's balance
#[post("/admin/members/{id}/holds", "Back office")]
pub async fn place_hold(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<NewHold>) -> Created<HoldMade> {
    let client_address = caller.client.address;
    let message = PlaceHoldRequest { user_id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    keyed!(caller.wallet_staff.place_hold(message))?
        .reply(|answer| HoldMade::new(answer.hold, "The amount is on hold."))
}

/// Release a hold
///
/// Somebody other than who placed it.
#[post("/admin/members/{id}/holds/{holdId}/release", "Back office")]
pub async fn release_hold(
    caller: StaffMember,
    Path((user_id, hold_id)): Path<(String, String)>,
    key: Key,
) -> Answer<HoldMade> {
    let client_address = caller.client.address;
    let message = ReleaseHoldRequest { user_id, hold_id, client_address, idempotency: key.bodyless() };
    keyed!(caller.wallet_staff.release_hold(message))?
        .reply(|answer| HoldMade::new(answer.hold, "The hold has been released."))
}
