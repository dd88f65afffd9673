//! Staff accounts and proposals to change them.

use axum::extract::Path;
use proto::auth::v1::propose_staff_change_request::Change;
use proto::auth::v1::{self as auth, ListStaffRequest, ProposeStaffChangeRequest, StaffInvitation, StaffRole};
use proto::common::v1::Idempotency;
use route_macros::{delete, get, post, put, request, response};

use crate::extract::StaffMember;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Field, ToProto, reply};
use crate::http::names::Role;
use crate::peers::clients::{Service, ask, keyed};
use crate::routes::account::users::User;
use crate::routes::admin::proposals::Proposed;

/// The staff accounts.
#[response(from = auth::ListStaffResponse)]
pub struct StaffList {
    staff: Vec<User>,
}

/// List the staff
#[get("/admin/staff", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<StaffList> {
    reply(ask!(caller.auth_staff.list_staff(ListStaffRequest {}))?)
}

/// A person to invite as staff.
#[request(to = StaffInvitation)]
pub struct Invitation {
    #[schema(example = "Grace Hopper")]
    name: Field<String>,
    #[schema(example = "grace@example.org")]
    email: Field<String>,
    role: Field<Role>,
}

async fn propose(caller: StaffMember, claim: Option<Idempotency>, change: Change) -> Created<Proposed> {
    let message = ProposeStaffChangeRequest { change: Some(change), client: Some(caller.client), idempotency: claim };
    keyed!(caller.auth_staff.propose_staff_change(message))?
        .reply(|answer| Proposed::new(Service::Auth, answer.proposal))
}

/// Propose to invite a person to the staff
///
/// Once another admin confirms, the person is mailed a link to set a password, and all staff are notified.
#[post("/admin/staff", "Back office")]
pub async fn invite(caller: StaffMember, Keyed { value, claim }: Keyed<Invitation>) -> Created<Proposed> {
    propose(caller, claim, Change::Invitation(value.to_proto()?)).await
}

/// Propose the end of a staff account
#[delete("/admin/staff/{id}", "Back office")]
pub async fn disable(caller: StaffMember, Path(user_id): Path<String>, key: Key) -> Created<Proposed> {
    propose(caller, key.bodyless(), Change::EndAccount(user_id)).await
}

/// The new role of a staff account.
#[request]
pub struct NewRole {
    role: Field<Role>,
}

/// Propose another role for a staff account
#[put("/admin/staff/{id}/role", "Back office")]
pub async fn change_role(caller: StaffMember, Path(user_id): Path<String>, body: Keyed<NewRole>) -> Created<Proposed> {
    let role = StaffRole { user_id, role: body.value.role.text("role")? };
    propose(caller, body.claim, Change::NewRole(role)).await
}
