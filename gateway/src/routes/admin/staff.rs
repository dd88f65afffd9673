//! Staff accounts.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::auth::v1::{DisableStaffRequest, InviteStaffRequest, ListStaffRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::caller::StaffMember;
use crate::clients::{fetch, mutate, send};
use crate::error::{ApiError, Errors};
use crate::idempotency::{Key, marked};
use crate::json::{Field, Form, Json, Reply, created, ok};
use crate::router::App;
use crate::routes::Done;
use crate::routes::users::User;

/// The staff accounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffList {
    success: bool,
    staff: Vec<User>,
}

/// List the staff
#[utoipa::path(get, path = "/admin/staff", responses((status = 200, body = StaffList), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn list(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<StaffList>, ApiError> {
    let answer = fetch!(app.clients.auth_staff, list_staff, caller.out, ListStaffRequest {})?.into_inner();
    Ok(ok(StaffList { success: true, staff: answer.staff.into_iter().map(|user| User::new(user, None)).collect() }))
}

/// Who is invited.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Invitation {
    #[schema(value_type = String, example = "Grace Hopper")]
    name: Field,
    #[schema(value_type = String, example = "grace@example.org")]
    email: Field,
    /// reviewer, treasurer, manager, auditor or admin.
    #[schema(value_type = String, example = "reviewer")]
    role: Field,
}

/// Invite somebody to the staff
#[utoipa::path(post, path = "/admin/staff", request_body = Invitation,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = Done), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn invite(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    key: Key,
    Json { value, digest }: Json<Invitation>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let claim = key.claim(&digest);
    let message = InviteStaffRequest {
        name: form.text("name", &value.name),
        email: form.text("email", &value.email),
        role: form.text("role", &value.role),
        client: Some(caller.client),
        idempotency: claim.clone(),
    };
    form.finish()?;
    let answer = mutate!(app.clients.auth_staff, invite_staff, caller.out, claim, message)?;
    Ok(marked(answer.metadata(), created(Done::saying("The invitation is on its way."))))
}

/// Disable a staff account
#[utoipa::path(delete, path = "/admin/staff/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Done), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn disable(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
) -> Result<Reply<Done>, ApiError> {
    let message = DisableStaffRequest { user_id, client: Some(caller.client) };
    send!(app.clients.auth_staff, disable_staff, caller.out, message)?;
    Ok(ok(Done::saying("The account has been disabled.")))
}
