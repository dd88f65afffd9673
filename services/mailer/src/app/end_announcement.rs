//! Ends an announcement before its time: what is wrong or over is taken down by one person.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::error::{Kind, Refusal};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use proto::common::v1::ErrorReason;
use serde_json::json;

use crate::domain::announcement::AnnouncementId;
use crate::error::Error;
use crate::store::announcements;

/// Ends it, once a key.
///
/// # Errors
/// `Refused` (not found) also for one that has ended.
pub async fn end_announcement(db: &Db, call: &StaffCall, id: AnnouncementId) -> Result<Answer<()>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| end(conn, call, id).await).await
}

async fn end(conn: &mut PgConnection, call: &StaffCall, id: AnnouncementId) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    let text = announcements::end(conn, id, now).await?.ok_or_else(not_found)?;
    let act = Act {
        staff: &call.staff,
        action: "announcement.end",
        subject_id: id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "text": text })),
        address: &call.address,
    };
    Ok(audit::append(conn, act).await?)
}

/// There is none in force with this id.
#[must_use]
pub fn not_found() -> Refusal {
    Refusal::new(Kind::NotFound, ErrorReason::NotFound, "This announcement is not shown any more.")
}
