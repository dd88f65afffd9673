//! Staff accounts and proposals to change them.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::auth::v1::propose_staff_change_request::Change;
use proto::auth::v1::{ListStaffRequest, ProposeStaffChangeRequest, StaffInvitation, StaffRole};
use proto::common::v1::Idempotency;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{Service, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Reply, created, ok};
use crate::names::Role;
use crate::routes::admin::proposals::Proposed;
use crate::routes::users::User;

/// The staff accounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffList {
    success: bool,
    staff: Vec<User>,
}

/// List the staff
#[utoipa::path(get, path = "/admin/staff", responses((status = 200, body = StaffList), Errors), tag = "Back office")]
pub async fn list(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<StaffList>, ApiError> {
    let answer = call_retrying!(app.clients.auth_staff, list_staff, caller.out, ListStaffRequest {})?.into_inner();
    Ok(ok(StaffList { success: true, staff: answer.staff.into_iter().map(|user| User::new(user, None)).collect() }))
}

/// A person to invite as staff.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Invitation {
    #[schema(value_type = String, example = "Grace Hopper")]
    name: Field,
    #[schema(value_type = String, example = "grace@example.org")]
    email: Field,
    #[schema(value_type = Role)]
    role: Field,
}

async fn propose(
    app: &App,
    caller: SignedIn,
    claim: Option<Idempotency>,
    change: Change,
) -> Result<Response, ApiError> {
    let message =
        ProposeStaffChangeRequest { change: Some(change), client: Some(caller.client), idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.auth_staff, propose_staff_change, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Auth, answer.proposal)?)))
}

/// Propose to invite a person to the staff
///
/// Once another admin confirms, the person is mailed a link to set a password, and all staff are notified.
#[utoipa::path(post, path = "/admin/staff", request_body = Invitation,
    params(Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn invite(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Keyed { value, claim }: Keyed<Invitation>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let invitation = StaffInvitation {
        name: form.text("name", &value.name),
        email: form.text("email", &value.email),
        role: form.text("role", &value.role),
    };
    form.finish()?;
    propose(&app, caller, claim, Change::Invitation(invitation)).await
}

/// Propose the end of a staff account
#[utoipa::path(delete, path = "/admin/staff/{id}",
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn disable(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    propose(&app, caller, key.bodyless(), Change::EndAccount(user_id)).await
}

/// The new role of a staff account.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewRole {
    #[schema(value_type = Role)]
    role: Field,
}

/// Propose another role for a staff account
#[utoipa::path(put, path = "/admin/staff/{id}/role", request_body = NewRole,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn change_role(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Keyed { value, claim }: Keyed<NewRole>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let role = StaffRole { user_id, role: form.text("role", &value.role) };
    form.finish()?;
    propose(&app, caller, claim, Change::NewRole(role)).await
}
