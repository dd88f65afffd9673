//! A device whose key a session is bound to, and the proofs of its requests (DPoP, RFC 9449).

use anyhow::{Context, Result};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::identity::Confirmation;
use jsonwebtoken::jwk::{Jwk, ThumbprintHash};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::json;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

/// A device with its key.
pub struct Device {
    key: EncodingKey,
    jwk: Jwk,
}

impl Device {
    /// With a new key.
    pub fn new() -> Result<Self> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).ok().context("no key")?;
        let point = pair.public_key().as_ref().to_vec();
        let coordinate = |from: usize| URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
        let jwk =
            serde_json::from_value(json!({ "kty": "EC", "crv": "P-256", "x": coordinate(1), "y": coordinate(33) }))?;
        let pkcs8 = pair.to_pkcs8v1().ok().context("no key")?;
        Ok(Self { key: EncodingKey::from_ec_der(pkcs8.as_ref()), jwk })
    }

    /// The key as a token names it.
    pub fn confirmation(&self) -> Result<Confirmation> {
        Ok(Confirmation { jkt: self.jwk.thumbprint(ThumbprintHash::SHA256)? })
    }

    /// A GET as the member of a token, with its proof.
    pub fn get(&self, path: &str, token: &str) -> Result<Vec<u8>> {
        let claims = json!({
            "jti": Uuid::new_v4(),
            "htm": "GET",
            "htu": format!("http://bench{path}"),
            "iat": OffsetDateTime::now_utc().unix_timestamp(),
            "ath": URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes())),
        });
        let header =
            Header { typ: Some("dpop+jwt".to_owned()), jwk: Some(self.jwk.clone()), ..Header::new(Algorithm::ES256) };
        let proof = jsonwebtoken::encode(&header, &claims, &self.key)?;
        Ok(format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nDPoP: {proof}\r\n\r\n")
            .into_bytes())
    }
}
