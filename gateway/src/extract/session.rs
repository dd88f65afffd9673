//! Extractors for callers with or without a session.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use chassis::grpc::Outgoing;
use chassis::identity::{Named, Session, unauthenticated};
use ipnet::IpNet;
use proto::auth::v1::Client;

use super::client_address::client_address;
use super::request_id::RequestId;
use crate::app::App;
use crate::http::error::ApiError;

/// Any caller. A bearer token is ignored.
#[derive(Clone)]
pub struct Visitor {
    pub app: App,
    /// The client's address and device, for the audit log.
    pub client: Client,
    /// The session that the token names, which may have ended.
    pub session: Option<Named>,
    /// The metadata of calls to services on the caller's behalf.
    pub out: Outgoing,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let RequestId(id) = RequestId::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
        let client = client(parts, &app.config.trusted_proxies);
        Ok(Self { app: app.clone(), client, session: None, out: Outgoing::service(&app.credential).request_id(&id) })
    }
}

/// Any caller, for calls that also work without a session. A bearer token that is not ours, or has ended, counts as none.
#[derive(Clone)]
pub struct MaybeSignedIn {
    pub app: App,
    /// The client's address and device, for the audit log.
    pub client: Client,
    /// The session that the token names, which may have ended.
    pub session: Option<Named>,
    /// The metadata of calls to services on the caller's behalf.
    pub out: Outgoing,
}

impl FromRequestParts<App> for MaybeSignedIn {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Visitor { app, client, out, .. } = Visitor::from_request_parts(parts, app).await?;
        let token = bearer(&parts.headers).map(ToOwned::to_owned);
        let live = |token: String| app.verifier.named(&token).filter(|_| prove(&app, parts, &token).is_ok());
        let Some(named) = token.and_then(live) else { return Ok(Self { app, client, session: None, out }) };
        let RequestId(id) = RequestId::from_request_parts(parts, &app).await.unwrap_or_else(|never| match never {});
        let out = Outgoing::session(&app.credential, named).request_id(&id);
        Ok(Self { app, client, session: Some(named), out })
    }
}

/// Who may be the caller of a route.
pub trait Role: Send {
    /// Refuses a session that may not use the route.
    fn admit(session: Session) -> Result<(), ApiError>;
}

/// A caller with a live session and this role, with what a handler needs on their behalf.
pub struct Caller<R> {
    pub app: App,
    pub session: Session,
    /// The bearer token, for auth alone.
    pub token: String,
    /// The client's address and device, for the audit log.
    pub client: Client,
    /// The metadata of calls to services on the caller's behalf.
    pub out: Outgoing,
    role: PhantomData<fn() -> R>,
}

impl<R: Role> FromRequestParts<App> for Caller<R> {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let (token, out) = token_of(parts, app).await?;
        let session = app.verifier.session_of(&token).await?;
        R::admit(session.clone())?;
        let client = client(parts, &app.config.trusted_proxies);
        Ok(Self { app: app.clone(), session, token, client, out, role: PhantomData })
    }
}

/// The bearer token of a request whose sender holds its key, and calls on behalf of the session that it names. Whether that
/// lives is not asked. Responds with 401 if it names none.
pub(super) async fn token_of(parts: &mut Parts, app: &App) -> Result<(String, Outgoing), ApiError> {
    let token = bearer(&parts.headers).map(ToOwned::to_owned).ok_or_else(unauthenticated)?;
    prove(app, parts, &token)?;
    let RequestId(id) = RequestId::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
    let out = on_behalf(app, &token)?.request_id(&id);
    Ok((token, out))
}

/// A request whose proof was accepted: it counts once, and several extractors may ask for it.
#[derive(Clone)]
struct Proven;

/// Responds with 401 unless the sender holds the key that the token's session is bound to, if it is bound.
fn prove(app: &App, parts: &mut Parts, token: &str) -> Result<(), ApiError> {
    let Some(thumbprint) = app.verifier.device_key(token) else { return Ok(()) };
    if parts.extensions.get::<Proven>().is_none() {
        app.proofs.check(parts, token, &thumbprint)?;
        parts.extensions.insert(Proven);
    }
    Ok(())
}

/// Calls on behalf of the session that a token names. Responds with 401 if it names none.
pub fn on_behalf(app: &App, token: &str) -> Result<Outgoing, ApiError> {
    let named = app.verifier.named(token).ok_or_else(unauthenticated)?;
    Ok(Outgoing::session(&app.credential, named))
}

fn client(parts: &Parts, trusted: &[IpNet]) -> Client {
    let user_agent = parts
        .headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .map(|text| text.chars().take(300).collect())
        .unwrap_or_default();
    let address = client_address(parts, trusted).map(|ip| ip.to_string()).unwrap_or_default();
    Client { address, user_agent, device_key: String::new() }
}

/// The bearer token of a request.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}
