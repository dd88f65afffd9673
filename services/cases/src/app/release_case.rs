//! Staff give a case back.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::Db;
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::case::{Case, CaseId};
use crate::error::Error;
use crate::store::cases;

/// The case, without an owner if the caller was it.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`.
pub async fn release_case(db: &Db, call: &StaffCall, id: CaseId) -> Result<Case, Error> {
    let mut tx = db.begin().await?;
    let mut case = cases::lock(&mut tx, id).await?.ok_or(Error::CaseNotFound)?;
    case.check_open()?;
    let before = case.owner_id;
    if before == Some(call.staff.id) {
        case.owner_id = None;
        case.assigned_by = None;
        case.updated_at = clock::now(&mut tx).await?;
        cases::update(&mut tx, &case).await?;
        let act = Act {
            staff: &call.staff,
            action: "case.release",
            subject_id: case.id.to_string(),
            member_id: Some(case.user_id),
            before: Some(json!({ "owner": before })),
            after: Some(json!({ "owner": null })),
            address: &call.address,
        };
        audit::append(&mut tx, act).await?;
    }
    tx.commit().await?;
    Ok(case)
}
