//! Staff close a case.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::case::{CaseId, State};
use crate::domain::message::Party;
use crate::error::Error;
use crate::events::published;
use crate::store::cases;

/// The id of the case, once a key.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`; `NotAnswered` if the member waits for an answer.
pub async fn close_staff_case(db: &Db, call: &StaffCall, id: CaseId) -> Result<Answer<CaseId>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| close(conn, call, id).await).await
}

async fn close(conn: &mut PgConnection, call: &StaffCall, id: CaseId) -> Result<CaseId, Error> {
    let mut case = cases::lock(conn, id).await?.ok_or(Error::CaseNotFound)?;
    case.check_open()?;
    if case.state != State::Waiting {
        return Err(Error::NotAnswered);
    }
    case.close(Party::Staff, clock::now(conn).await?);
    cases::update(conn, &case).await?;
    let act = Act {
        staff: &call.staff,
        action: "case.close",
        subject_id: case.id.to_string(),
        member_id: Some(case.user_id),
        before: None,
        after: Some(json!({ "number": case.number, "complaint": case.complaint_at.is_some() })),
        address: &call.address,
    };
    audit::append(conn, act).await?;
    published::closed(conn, &case).await?;
    Ok(case.id)
}
