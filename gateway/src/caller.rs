//! Who sends a request: what the handlers take to be signed in, verified, active or staff. The services check again.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use chassis::caller::{Session, unauthenticated};
use chassis::grpc::Outgoing;
use chassis::permission::Permission;
use ipnet::IpNet;
use proto::auth::v1::Client;

use crate::error::ApiError;
use crate::router::App;

/// The id of the request, made by the gateway.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for RequestId {
    type Rejection = Infallible;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(|| Self(String::new())))
    }
}

/// Anybody: a bearer token, if there is one, is ignored.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Where the request comes from.
    pub client: Client,
    /// What a call on their behalf carries.
    pub out: Outgoing,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let RequestId(id) = RequestId::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
        Ok(Self { client: client(parts, &app.config.trusted_proxies), out: Outgoing::anonymous().request_id(&id) })
    }
}

/// Anybody, with the bearer token they sent, if any: for what works without a session, too. Whether it lives is the
/// service's question.
#[derive(Debug, Clone)]
pub struct MaybeSignedIn(pub Visitor);

impl FromRequestParts<App> for MaybeSignedIn {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        let Some(token) = bearer(&parts.headers).map(ToOwned::to_owned) else { return Ok(Self(visitor)) };
        let RequestId(id) = RequestId::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
        Ok(Self(Visitor { out: Outgoing::bearer(&token).request_id(&id), ..visitor }))
    }
}

/// Somebody signed in, verified or not.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who.
    pub session: Session,
    /// Where the request comes from.
    pub client: Client,
    /// What a call on their behalf carries.
    pub out: Outgoing,
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let token = bearer(&parts.headers).map(ToOwned::to_owned).ok_or_else(unauthenticated)?;
        let session = app.verifier.session_of(&token).await?;
        let RequestId(id) = RequestId::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
        let client = client(parts, &app.config.trusted_proxies);
        Ok(Self { session, client, out: Outgoing::bearer(&token).request_id(&id) })
    }
}

/// A member with a confirmed email.
#[derive(Debug, Clone)]
pub struct Reader(pub SignedIn);

impl FromRequestParts<App> for Reader {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().reader()?;
        Ok(Self(signed_in))
    }
}

/// A member who may move money and change things.
#[derive(Debug, Clone)]
pub struct Actor(pub SignedIn);

impl FromRequestParts<App> for Actor {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().actor()?;
        Ok(Self(signed_in))
    }
}

/// Staff of any role; which role may do what is the services' answer.
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

/// Staff of any role, with or without authenticator: for what they do about their own account.
#[derive(Debug, Clone)]
pub struct Colleague(pub SignedIn);

impl FromRequestParts<App> for Colleague {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        signed_in.session.clone().colleague()?;
        Ok(Self(signed_in))
    }
}

fn client(parts: &Parts, trusted: &[IpNet]) -> Client {
    let user_agent = parts
        .headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .map(|text| text.chars().take(300).collect())
        .unwrap_or_default();
    Client { address: address(parts, trusted).map(|ip| ip.to_string()).unwrap_or_default(), user_agent }
}

/// The bearer token of a request.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The client's address: the peer's, or, behind trusted proxies, the last one they did not make themselves.
#[must_use]
pub fn address(parts: &Parts, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())?;
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    if !is_trusted(&peer) {
        return Some(peer);
    }
    // From the last hop back: each trusted proxy vouches for the one before it, and what stands further left is anybody's.
    let hops = parts.headers.get_all("x-forwarded-for").iter().rev();
    for part in hops.flat_map(|value| value.to_str().unwrap_or_default().rsplit(',')) {
        match part.trim().parse::<IpAddr>().map(|ip| ip.to_canonical()) {
            Ok(ip) if is_trusted(&ip) => {}
            Ok(ip) => return Some(ip),
            Err(_) => break,
        }
    }
    Some(peer)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::extract::ConnectInfo;
    use axum::http::Request;

    use super::address;

    /// [D-S8] Only configured proxies may say where a request comes from.
    #[test]
    fn a_forwarded_address_counts_only_from_a_trusted_proxy() {
        let seen = |peer: &str, forwarded: &str, trusted: &[&str]| {
            let peer: SocketAddr = peer.parse().unwrap();
            let request =
                Request::builder().header("x-forwarded-for", forwarded).extension(ConnectInfo(peer)).body(()).unwrap();
            let trusted: Vec<_> = trusted.iter().map(|net| net.parse().unwrap()).collect();
            address(&request.into_parts().0, &trusted).unwrap().to_string()
        };
        assert_eq!(seen("198.51.100.7:1", "203.0.113.9", &[]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1:1", "203.0.113.9", &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1:1", "1.1.1.1, 203.0.113.9, 10.0.0.2", &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1:1", "nonsense", &["10.0.0.0/8"]), "10.0.0.1");
    }
}
