//! Extractors for members.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::session::SignedIn;
use crate::app::App;
use crate::error::ApiError;

/// A member with a confirmed email.
#[derive(Debug, Clone)]
pub struct VerifiedMember(pub SignedIn);

impl FromRequestParts<App> for VerifiedMember {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().reader()?;
        Ok(Self(signed_in))
    }
}

/// A member whose account is neither unverified nor frozen, so that they may move money and change things.
#[derive(Debug, Clone)]
pub struct ActiveMember(pub SignedIn);

impl FromRequestParts<App> for ActiveMember {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().actor()?;
        Ok(Self(signed_in))
    }
}

/// A verified member, or the error that says why the caller is not one.
pub struct MaybeVerifiedMember(pub Result<VerifiedMember, ApiError>);

impl FromRequestParts<App> for MaybeVerifiedMember {
    type Rejection = Infallible;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        Ok(Self(VerifiedMember::from_request_parts(parts, app).await))
    }
}
