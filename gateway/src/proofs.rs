//! Proofs that a caller holds the key that their session is bound to (D-A10): DPoP, RFC 9449. A copied token is useless
//! without the key, which a browser does not hand out.

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::OriginalUri;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::identity::unauthenticated;
use chassis::keys::SecretKey;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::error::ApiError;

/// How far the clock of a caller may be off before the gateway asks for a nonce, in seconds.
const CLOCK: i64 = 60;
/// For how many minutes a nonce counts.
const NONCE_LIFE: i64 = 5;

/// Checks proofs. There is no list of used ones: browsers repeat a request by themselves after a lost connection, and what
/// changes something has an idempotency key.
pub struct Proofs {
    /// Of the nonces.
    key: SecretKey,
}

#[derive(Deserialize)]
struct Claims {
    htm: String,
    htu: String,
    iat: i64,
    ath: String,
    nonce: Option<String>,
}

impl Proofs {
    /// With the key that all gateways share.
    #[must_use]
    pub const fn new(key: SecretKey) -> Self {
        Self { key }
    }

    /// Whether the request proves that its sender holds the key with this thumbprint, for this token.
    ///
    /// # Errors
    /// 401 if not; with a `nonce` to prove it again with if only the time of the proof is wrong.
    pub fn check(&self, parts: &Parts, token: &str, thumbprint: &str) -> Result<(), ApiError> {
        let claims = proof(&parts.headers)
            .and_then(|proof| read(proof, thumbprint))
            .filter(|claims| is_about(claims, parts, token))
            .ok_or_else(unauthenticated)?;
        let now = OffsetDateTime::now_utc().unix_timestamp();
        if (claims.iat - now).abs() <= CLOCK || claims.nonce.is_some_and(|nonce| self.is_fresh(&nonce, thumbprint, now))
        {
            return Ok(());
        }
        let error = ApiError::from(unauthenticated());
        Err(error.with_fact(
            "Please log in to continue.".to_owned(),
            "nonce",
            Value::String(self.nonce(thumbprint, now / 60)),
        ))
    }

    fn nonce(&self, thumbprint: &str, minute: i64) -> String {
        let mac = self.key.mac(&[b"dpop nonce", thumbprint.as_bytes(), &minute.to_be_bytes()]);
        format!("{minute}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    fn is_fresh(&self, nonce: &str, thumbprint: &str, now: i64) -> bool {
        let minute = nonce.split_once('.').and_then(|(minute, _)| minute.parse().ok());
        let recent = minute.filter(|minute| (now / 60 - NONCE_LIFE..=now / 60).contains(minute));
        recent.is_some_and(|minute| nonce == self.nonce(thumbprint, minute))
    }
}

/// The thumbprint of a public key as a browser exports it; `None` unless it is of P-256.
#[must_use]
pub fn thumbprint(jwk: &str) -> Option<String> {
    of_p256(&serde_json::from_str(jwk).ok()?)
}

fn of_p256(jwk: &Jwk) -> Option<String> {
    let AlgorithmParameters::EllipticCurve(curve) = &jwk.algorithm else { return None };
    // An impossible point is found when the first proof is checked.
    (curve.curve == EllipticCurve::P256).then(|| jwk.thumbprint(ThumbprintHash::SHA256).ok()).flatten()
}

fn proof(headers: &HeaderMap) -> Option<&str> {
    headers.get("dpop")?.to_str().ok()
}

/// The claims of a proof that the key with this thumbprint signed.
fn read(proof: &str, thumbprint: &str) -> Option<Claims> {
    let header = decode_header(proof).ok()?;
    let jwk = header.jwk.filter(|_| header.typ.as_deref() == Some("dpop+jwt"))?;
    if of_p256(&jwk)? != thumbprint {
        return None;
    }
    let mut validation = Validation::new(Algorithm::ES256);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    Some(decode::<Claims>(proof, &DecodingKey::from_jwk(&jwk).ok()?, &validation).ok()?.claims)
}

/// Whether a proof was made for this request and token. Of the address only the path counts: proxies change the origin, and
/// the token is of no use elsewhere.
fn is_about(claims: &Claims, parts: &Parts, token: &str) -> bool {
    let path = parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.path(), |uri| uri.path());
    let asked = claims.htu.parse::<Uri>().is_ok_and(|uri| uri.path() == path);
    let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes()));
    claims.htm == parts.method.as_str() && asked && claims.ath == hash
}
