//! Staff take a case.

use chassis::db::Db;
use chassis::staff_call::StaffCall;

use super::assign_case::set_owner;
use crate::domain::case::{Case, CaseId};
use crate::error::Error;

/// The case, whose owner is the caller now, also in place of a colleague.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`.
pub async fn claim_case(db: &Db, call: &StaffCall, id: CaseId) -> Result<Case, Error> {
    set_owner(db, call, id, call.staff.id, "case.claim").await
}
