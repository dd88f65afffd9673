//! Proofs that a caller holds the key that their session is bound to (D-A10): DPoP, RFC 9449. A copied token is useless
//! without the key, which a browser does not hand out.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

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

use crate::http::error::ApiError;

/// How old a proof may be by the clock of its caller before the gateway asks for a nonce, in seconds.
const OLD: i64 = 60;
/// How far the clock of a caller may be ahead, in seconds.
const AHEAD: i64 = 5;
/// For how many seconds a nonce counts.
const NONCE_LIFE: i64 = 120;
/// For how many seconds used proofs are collected before those of the period before are forgotten.
const PERIOD: i64 = NONCE_LIFE;
/// Proofs that are remembered of one period, 17 bytes each. Beyond them it ends early.
const REMEMBERED: usize = 200_000;

/// Checks proofs. Each counts once: a browser that repeats a request by itself after a lost connection is asked for a new
/// one, as is one with a wrong clock.
pub struct Proofs {
    /// Of the nonces.
    key: SecretKey,
    used: Mutex<Used>,
}

/// The proofs that were used after a moment. Those made before do not count any more.
struct Used {
    since: i64,
    turned_at: i64,
    /// Those since `turned_at`, and those before.
    newer: HashSet<u128>,
    older: HashSet<u128>,
}

#[derive(Deserialize)]
struct Claims {
    jti: String,
    htm: String,
    htu: String,
    iat: i64,
    ath: String,
    nonce: Option<String>,
}

impl Proofs {
    /// With the key that all gateways share.
    #[must_use]
    pub fn new(key: SecretKey) -> Self {
        Self { key, used: Mutex::new(Used::since(OffsetDateTime::now_utc().unix_timestamp())) }
    }

    /// Whether the request proves that its sender holds the key with this thumbprint, for this token.
    ///
    /// # Errors
    /// 401 if not; with a `nonce` to prove it again with if only the time of the proof is wrong, or it was used before.
    pub fn check(&self, parts: &Parts, token: &str, thumbprint: &str) -> Result<(), ApiError> {
        let claims = proof(&parts.headers)
            .and_then(|proof| read(proof, thumbprint))
            .filter(|claims| is_about(claims, parts, token))
            .ok_or_else(unauthenticated)?;
        let now = OffsetDateTime::now_utc().unix_timestamp();
        if self.made_at(&claims, thumbprint, now).is_some_and(|at| self.use_up(&claims, thumbprint, (at, now))) {
            return Ok(());
        }
        let error = ApiError::from(unauthenticated());
        let nonce = Value::String(self.nonce(thumbprint, now));
        Err(error.with_fact("Please log in to continue.".to_owned(), "nonce", nonce))
    }

    /// A moment before the proof was made, by its nonce or the clock of its caller; `None` if it is too long ago.
    fn made_at(&self, claims: &Claims, thumbprint: &str, now: i64) -> Option<i64> {
        let by_nonce = claims.nonce.as_deref().and_then(|nonce| self.issued_at(nonce, thumbprint, now));
        let by_clock = (now - OLD..=now + AHEAD).contains(&claims.iat).then_some(claims.iat - AHEAD);
        by_nonce.max(by_clock)
    }

    fn use_up(&self, claims: &Claims, thumbprint: &str, (made_at, now): (i64, i64)) -> bool {
        let hash = digest(&SHA256, [thumbprint.as_bytes(), b" ", claims.jti.as_bytes()].concat().as_slice());
        let id = hash.as_ref().iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte));
        self.used.lock().unwrap_or_else(PoisonError::into_inner).take(id, (made_at, now))
    }

    fn nonce(&self, thumbprint: &str, at: i64) -> String {
        let mac = self.key.mac(&[b"dpop nonce", thumbprint.as_bytes(), &at.to_be_bytes()]);
        format!("{at}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    fn issued_at(&self, nonce: &str, thumbprint: &str, now: i64) -> Option<i64> {
        let at = nonce.split_once('.')?.0.parse().ok()?;
        ((now - NONCE_LIFE..=now).contains(&at) && nonce == self.nonce(thumbprint, at)).then_some(at)
    }
}

impl Used {
    /// None yet. What an earlier process has seen may have been made before.
    fn since(now: i64) -> Self {
        Self { since: now - AHEAD - 1, turned_at: now, newer: HashSet::new(), older: HashSet::new() }
    }

    /// Remembers a proof; `false` if it was used before, or may have been.
    fn take(&mut self, id: u128, (made_at, now): (i64, i64)) -> bool {
        if now - self.turned_at >= PERIOD || self.newer.len() >= REMEMBERED {
            self.older = std::mem::take(&mut self.newer);
            (self.since, self.turned_at) = (self.turned_at, now);
        }
        made_at > self.since && !self.older.contains(&id) && self.newer.insert(id)
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

#[cfg(test)]
mod tests {
    use super::{AHEAD, PERIOD, REMEMBERED, Used};

    /// [D-A10] A proof counts once for as long as it counts at all, however many are used meanwhile, and what is kept of
    /// them is bounded.
    #[test]
    fn a_used_proof_never_counts_again() {
        let mut used = Used::since(1_000);
        assert!(!used.take(1, (1_000 - AHEAD - 1, 1_000)), "an earlier process may have seen it");
        assert!(used.take(1, (1_000, 1_000)));
        for now in [1_000, 1_000 + PERIOD, 1_000 + 2 * PERIOD, 1_000 + 9 * PERIOD] {
            assert!(!used.take(1, (1_000, now)), "at {now}");
        }
        let now = 1_000 + 10 * PERIOD;
        assert!(used.take(2, (now, now)));
        for id in 0..3 * REMEMBERED as u128 {
            used.take(id + 10, (now + 2, now + 2));
            assert!(used.newer.len() <= REMEMBERED && used.older.len() <= REMEMBERED);
        }
        assert!(!used.take(2, (now, now + 2)), "it was forgotten, and so was everything as old");
        assert!(used.take(3, (now + 3, now + 3)), "a new one counts all the while");
    }
}
