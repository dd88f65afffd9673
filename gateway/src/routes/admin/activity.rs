//! The security of a member's account, for staff.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use proto::auth::v1::{EndMemberSessionsRequest, ListMemberActivityRequest};

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::idempotency::{Key, marked};
use crate::json::{Reply, ok};
use crate::routes::Done;
use crate::routes::activity::{Activity, From};

/// List what happened to a member's account
#[utoipa::path(get, path = "/admin/members/{id}/activity",
    params(("id" = String, Path), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = Activity), Errors), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    Query(from): Query<From>,
) -> Result<Reply<Activity>, ApiError> {
    let message = ListMemberActivityRequest { user_id, page: Some(from.page()) };
    let answer = call_retrying!(app.clients.auth_staff, list_member_activity, caller.out, message)?.into_inner();
    Ok(ok(Activity::new(answer.events, answer.next_cursor)))
}

/// End every session of a member
#[utoipa::path(delete, path = "/admin/members/{id}/sessions",
    params(("id" = String, Path), Key),
    responses((status = 200, body = Done), Errors), tag = "Back office")]
pub async fn end_sessions(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(user_id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = EndMemberSessionsRequest { user_id, client: Some(caller.client), idempotency: claim.clone() };
    let answer = call_keyed!(app.clients.auth_staff, end_member_sessions, caller.out, claim, message)?;
    let sentence = match answer.get_ref().ended {
        0 => "The member is not logged in anywhere.",
        _ => "The member has been logged out everywhere.",
    };
    Ok(marked(answer.metadata(), ok(Done::saying(sentence))))
}
