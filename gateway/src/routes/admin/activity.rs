//! The security of a member's account, for staff.

use axum::extract::{Path, Query};
use proto::auth::v1::{EndMemberSessionsRequest, ListMemberActivityRequest};
use route_macros::{delete, get};

use crate::extract::StaffMember;
use crate::http::idempotency::Key;
use crate::http::json::{Answer, Done, reply};
use crate::peers::clients::{ask, keyed};
use crate::routes::account::activity::{Activity, Cursor};

/// List what happened to a member's account
#[get("/admin/members/{id}/activity", "Back office", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: StaffMember, Path(user_id): Path<String>, Query(from): Query<Cursor>) -> Answer<Activity> {
    let message = ListMemberActivityRequest { user_id, page: Some(from.page()) };
    reply(ask!(caller.auth_staff.list_member_activity(message))?)
}

/// End every session of a member
#[delete("/admin/members/{id}/sessions", "Back office")]
pub async fn end_sessions(caller: StaffMember, Path(user_id): Path<String>, key: Key) -> Answer<Done> {
    let message = EndMemberSessionsRequest { user_id, client: Some(caller.client), idempotency: key.bodyless() };
    let kept = keyed!(caller.auth_staff.end_member_sessions(message))?;
    let sentence = match kept.sent.ended {
        0 => "The member is not logged in anywhere.",
        _ => "The member has been logged out everywhere.",
    };
    kept.done(sentence)
}
