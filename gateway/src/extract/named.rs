//! The extractor for a member whose session the called service checks.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chassis::grpc::Outgoing;
use chassis::identity::Session;

use super::session::token_of;
use crate::app::App;
use crate::http::error::ApiError;

/// The holder of a member's token, for a call whose service asks auth for the session at that moment, as
/// [`ActiveMember`](super::ActiveMember) would: one question is enough. What the gateway refuses by itself it refuses by
/// [`Self::refusal`], so that a member hears about the session first.
#[derive(Clone)]
pub struct NamedMember {
    pub app: App,
    token: String,
    /// The metadata of calls to services on the member's behalf.
    pub out: Outgoing,
}

impl FromRequestParts<App> for NamedMember {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let (token, out) = token_of(parts, app).await?;
        Ok(Self { app: app.clone(), token, out })
    }
}

impl NamedMember {
    /// That the session does not permit this, or else this refusal.
    pub async fn refusal(&self, refusal: ApiError) -> ApiError {
        match self.app.verifier.session_of(&self.token).await.and_then(Session::actor) {
            Ok(_) => refusal,
            Err(of_session) => of_session.into(),
        }
    }
}
