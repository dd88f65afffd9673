//! Extractors for staff.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chassis::permission::Permission;

use super::session::SignedIn;
use crate::app::App;
use crate::error::ApiError;

/// Staff of any role; the services check the permission.
#[derive(Debug, Clone)]
pub struct StaffMember(pub SignedIn);

impl FromRequestParts<App> for StaffMember {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().staff(Permission::See)?;
        Ok(Self(signed_in))
    }
}

/// Staff of any role, also without an authenticator, for calls about their own account.
#[derive(Debug, Clone)]
pub struct AnyStaff(pub SignedIn);

impl FromRequestParts<App> for AnyStaff {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().colleague()?;
        Ok(Self(signed_in))
    }
}
