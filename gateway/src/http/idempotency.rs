//! The Idempotency-Key header, bound to route and body for the service that stores it.

use axum::extract::{FromRequest, FromRequestParts, MatchedPath, Request};
use axum::http::request::Parts;
use proto::common::v1::Idempotency;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{ObjectBuilder, Required, Type};

use crate::http::error::ApiError;
use crate::http::json::{Json, field};

/// The key of a request, if it has one, not yet bound to its body.
#[derive(Debug, Clone)]
pub struct Key {
    key: Option<String>,
    route: String,
    path: String,
}

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let refuse = || field("idempotencyKey", "The Idempotency-Key must have 1 to 255 characters.");
        let key = match parts.headers.get("idempotency-key") {
            None => None,
            Some(value) => Some(value.to_str().map_err(|_| refuse())?.to_owned()),
        };
        if key.as_ref().is_some_and(|key| !(1..=255).contains(&key.chars().count())) {
            return Err(refuse());
        }
        let pattern = parts.extensions.get::<MatchedPath>().map_or(parts.uri.path(), MatchedPath::as_str);
        Ok(Self { key, route: format!("{} {pattern}", parts.method), path: parts.uri.path().to_owned() })
    }
}

impl IntoParams for Key {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255));
        let header = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("Names the request, so that it takes effect once however often it is sent."));
        vec![header.schema(Some(text)).build()]
    }
}

impl Key {
    /// The claim over this body (its digest); nothing if there is no key.
    #[must_use]
    pub fn claim(self, digest: &[u8; 32]) -> Option<Idempotency> {
        let mut hasher = Sha256::new();
        hasher.update(&self.path);
        hasher.update([0]);
        hasher.update(digest);
        let fingerprint = hasher.finalize().to_vec();
        self.key.map(|key| Idempotency { key, route: self.route, fingerprint })
    }

    /// The claim of a request without a body.
    #[must_use]
    pub fn bodyless(self) -> Option<Idempotency> {
        self.claim(&[0; 32])
    }
}

/// A JSON body with the claim of its request over it.
pub struct Keyed<T> {
    pub value: T,
    pub claim: Option<Idempotency>,
}

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Keyed<T> {
    type Rejection = ApiError;
    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let key = Key::from_request_parts(&mut parts, state).await?;
        let Json { value, digest } = Json::from_request(Request::from_parts(parts, body), state).await?;
        Ok(Self { value, claim: key.claim(&digest) })
    }
}
