//! The security of a member's account, for staff.

use axum::extract::{Path, Query};
use proto::auth::v1::{EndMemberSessionsRequest, ListMemberActivityRequest};
use route_macros::{delete, get};

use crate::clients::{ask, keyed};
use crate::extract::StaffMember;
use crate::idempotency::Key;
use crate::json::{Answer, marked, ok};
use crate::routes::Done;
use crate::routes::activity::{Activity, From};

/// List what happened to a member's account
#[get("/admin/members/{id}/activity", "Back office", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: StaffMember, Path(user_id): Path<String>, Query(from): Query<From>) -> Answer<Activity> {
    let message = ListMemberActivityRequest { user_id, page: Some(from.page()) };
    let answer = ask!(caller.auth_staff.list_member_activity(message))?;
    Ok(ok(Activity::new(answer.events, answer.next_cursor)))
}

/// End every session of a member
#[delete("/admin/members/{id}/sessions", "Back office")]
pub async fn end_sessions(caller: StaffMember, Path(user_id): Path<String>, key: Key) -> Answer<Done> {
    let claim = key.bodyless();
    let message = EndMemberSessionsRequest { user_id, client: Some(caller.client), idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.auth_staff.end_member_sessions(message), claim)?;
    let sentence = match answer.ended {
        0 => "The member is not logged in anywhere.",
        _ => "The member has been logged out everywhere.",
    };
    Ok(marked(replayed, ok(Done::saying(sentence))))
}
