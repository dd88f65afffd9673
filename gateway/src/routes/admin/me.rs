//! The calling staff member: their account and second factor.

use proto::auth::v1::{self as auth, BeginTotpRequest, GetMeRequest, StepUpRequest};
use route_macros::{get, post, response};

use crate::extract::AnyStaff;
use crate::http::json::{Answer, Json, reply};
use crate::http::names::{Permission, Role};
use crate::peers::clients::ask;
use crate::routes::account::factors::{self, Code, NewTotp, RecoveryCodes, SteppedUp, TotpState};

/// The caller as the back office knows them.
#[response(from = auth::GetMeResponse)]
pub struct Me {
    user: StaffAccount,
    #[from(self)]
    totp: TotpState,
    /// Until when the last code counts as a fresh second factor. `null` if it no longer does.
    #[from(stepped_up_until)]
    #[nullable]
    step_up_until: Option<String>,
    /// When a new staff member may decide and propose. `null` if they already may.
    #[nullable]
    decides_from: Option<String>,
    /// The permissions of the role.
    #[schema(value_type = Vec<Permission>)]
    permissions: Vec<String>,
}

/// A staff account, as its owner sees it.
#[response(from = auth::User)]
pub struct StaffAccount {
    id: String,
    name: String,
    email: String,
    #[schema(value_type = Role)]
    role: String,
}

/// Get the caller
#[get("/admin/me", "Back office")]
pub async fn get(caller: AnyStaff) -> Answer<Me> {
    reply(ask!(caller.auth_staff.get_me(GetMeRequest {}))?)
}

/// Begin to enrol an authenticator
///
/// It counts once its first code is confirmed. While another one is in force, a fresh code of that is needed.
#[post("/admin/me/totp", "Back office")]
pub async fn begin_totp(caller: AnyStaff) -> Answer<NewTotp> {
    factors::begin(caller, BeginTotpRequest::default()).await
}

/// Confirm an authenticator
#[post("/admin/me/totp/confirm", "Back office")]
pub async fn confirm_totp(caller: AnyStaff, Json { value, .. }: Json<Code>) -> Answer<RecoveryCodes> {
    factors::confirm(caller, value.code.text("code")?).await
}

/// Give a code again
///
/// Every decision and every proposal needs one that is at most five minutes old.
#[post("/admin/me/step-up", "Back office")]
pub async fn step_up(caller: AnyStaff, Json { value, .. }: Json<Code>) -> Answer<SteppedUp> {
    factors::give(caller, StepUpRequest { code: value.code.text("code")?, ..Default::default() }).await
}
