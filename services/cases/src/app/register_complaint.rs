//! Staff put a case into the register of complaints.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::case::CaseId;
use crate::error::Error;
use crate::events::published;
use crate::store::cases;

/// The id of the case, once a key; one that is in the register stays as it is.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`.
pub async fn register_complaint(db: &Db, call: &StaffCall, id: CaseId) -> Result<Answer<CaseId>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| register(conn, call, id).await).await
}

async fn register(conn: &mut PgConnection, call: &StaffCall, id: CaseId) -> Result<CaseId, Error> {
    let mut case = cases::lock(conn, id).await?.ok_or(Error::CaseNotFound)?;
    case.check_open()?;
    if case.register_complaint(clock::now(conn).await?) {
        cases::update(conn, &case).await?;
        let act = Act {
            staff: &call.staff,
            action: "case.complaint",
            subject_id: case.id.to_string(),
            member_id: Some(case.user_id),
            before: None,
            after: Some(json!({ "number": case.number })),
            address: &call.address,
        };
        audit::append(conn, act).await?;
        published::complaint_registered(conn, &case).await?;
    }
    Ok(case.id)
}
