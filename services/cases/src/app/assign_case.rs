//! Staff hand a case to a colleague.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::Db;
use chassis::id::StaffId;
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::case::{Case, CaseId};
use crate::error::Error;
use crate::store::cases;

/// The case with a colleague as its owner. The caller has checked that the colleague may answer it.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`.
pub async fn assign_case(db: &Db, call: &StaffCall, id: CaseId, owner_id: StaffId) -> Result<Case, Error> {
    set_owner(db, call, id, owner_id, "case.assign").await
}

/// Sets the owner and writes a row with this action to the audit log; neither if the case has this owner already.
pub(super) async fn set_owner(
    db: &Db,
    call: &StaffCall,
    id: CaseId,
    owner_id: StaffId,
    action: &str,
) -> Result<Case, Error> {
    let mut tx = db.begin().await?;
    let mut case = cases::lock(&mut tx, id).await?.ok_or(Error::CaseNotFound)?;
    case.check_open()?;
    let before = case.owner_id;
    if before != Some(owner_id) {
        case.owner_id = Some(owner_id);
        case.assigned_by = Some(call.staff.id).filter(|staff| *staff != owner_id);
        case.updated_at = clock::now(&mut tx).await?;
        cases::update(&mut tx, &case).await?;
        let act = Act {
            staff: &call.staff,
            action,
            subject_id: case.id.to_string(),
            member_id: Some(case.user_id),
            before: Some(json!({ "owner": before })),
            after: Some(json!({ "owner": case.owner_id })),
            address: &call.address,
        };
        audit::append(&mut tx, act).await?;
    }
    tx.commit().await?;
    Ok(case)
}
