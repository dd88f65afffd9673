//! What is derived from the secret of notices on devices: the key that push services know this deployment by (RFC 8292), and
//! the one under which subscriptions are kept. A new secret takes both: a subscription belongs to the key that it was made
//! with.

use chassis::id::SessionId;
use std::path::Path;

use anyhow::{Context, anyhow};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::keys::{SealingKey, SecretKey};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::domain::push::Subscription;

/// How long a signature is good for: push services take up to a day.
const LIFE: Duration = Duration::hours(12);

pub struct PushKeys {
    secret: SecretKey,
    sealing: SealingKey,
    signing: EcdsaKeyPair,
    public: String,
}

impl PushKeys {
    /// Those of the secret in a file.
    ///
    /// # Errors
    /// If it cannot be read or holds no secret.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let secret = SecretKey::read(path)?;
        let sealing = SealingKey::new(&secret.mac(&[b"subscriptions"]))?;
        // All but one of four thousand million numbers are private keys.
        let scalars = (0..=u8::MAX).map(|number| secret.mac(&[b"vapid", &[number]]));
        let mut pairs =
            scalars.filter_map(|scalar| Some((PrivateKey::from_private_key(&ECDH_P256, &scalar).ok()?, scalar)));
        let (private, scalar) = pairs.next().context("no private key")?;
        let public = private.compute_public_key().map_err(|_| anyhow!("no public key"))?;
        let signing =
            EcdsaKeyPair::from_private_key_and_public_key(&ECDSA_P256_SHA256_FIXED_SIGNING, &scalar, public.as_ref());
        let signing = signing.map_err(|error| anyhow!("no key pair: {error}"))?;
        Ok(Self { sealing, signing, public: URL_SAFE_NO_PAD.encode(public), secret })
    }

    /// What browsers subscribe with: an uncompressed point of P-256, base64url.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The header by which the push service at a host knows who sends (RFC 8292).
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn authorization(&self, host: &str, subject: &str, now: OffsetDateTime) -> anyhow::Result<String> {
        let claims = json!({ "aud": format!("https://{host}"), "exp": (now + LIFE).unix_timestamp(), "sub": subject });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "typ": "JWT", "alg": "ES256" })), part(&claims));
        let signature = self.signing.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.map_err(|_| anyhow!("no randomness"))?);
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public))
    }

    /// The keyed hash by which a subscription is found again. Its address alone does not give it.
    #[must_use]
    pub fn fingerprint(&self, subscription: &Subscription) -> [u8; 32] {
        self.secret.mac(&[b"fingerprint", &subscription.to_bytes()])
    }

    /// Seals a subscription for the row of a session.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn seal(&self, session_id: SessionId, subscription: &Subscription) -> anyhow::Result<Vec<u8>> {
        self.sealing.seal(session_id.get().as_bytes(), &subscription.to_bytes())
    }

    /// Opens the subscription of a session; `None` if it was sealed with another secret.
    #[must_use]
    pub fn open(&self, session_id: SessionId, sealed: &[u8]) -> Option<Subscription> {
        Subscription::from_bytes(&self.sealing.open(session_id.get().as_bytes(), sealed).ok()?)
    }
}
