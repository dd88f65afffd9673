//! Who may be the caller of a route.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chassis::identity::Session;
use chassis::permission::Permission;

use super::session::{Caller, Role};
use crate::app::App;
use crate::http::error::ApiError;

macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $role:ident as $caller:ident = $admit:expr;)+) => {$(
        $(#[doc = $doc])+
        pub enum $role {}

        impl Role for $role {
            fn admit(session: Session) -> Result<(), ApiError> {
                let admit: fn(Session) -> Result<(), ApiError> = $admit;
                admit(session)
            }
        }

        $(#[doc = $doc])+
        pub type $caller = Caller<$role>;
    )+};
}

roles! {
    /// A member or staff with a live session.
    Anybody as SignedIn = |_| Ok(());
    /// A member with a confirmed email.
    Verified as VerifiedMember = |session| Ok(session.reader().map(drop)?);
    /// A member whose account is neither unverified nor frozen, so that they may move money and change things.
    Active as ActiveMember = |session| Ok(session.actor().map(drop)?);
    /// Staff of any role; the services check the permission.
    Staff as StaffMember = |session| Ok(session.staff(Permission::See).map(drop)?);
    /// Staff of any role, also without an authenticator, for calls about their own account.
    Colleague as AnyStaff = |session| Ok(session.colleague().map(drop)?);
}

/// A verified member, or the error that says why the caller is not one.
pub struct MaybeVerifiedMember(pub Result<VerifiedMember, ApiError>);

impl FromRequestParts<App> for MaybeVerifiedMember {
    type Rejection = Infallible;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        Ok(Self(VerifiedMember::from_request_parts(parts, app).await))
    }
}
