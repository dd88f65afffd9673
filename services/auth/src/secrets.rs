//! The secrets of mails: derived from the id of their row by a key outside the database, so that neither a dump nor an
//! event holds one (D-E1).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::keys::SecretKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// Derives codes, link tokens, and what is kept of recovery codes and of requests.
pub struct Secrets(SecretKey);

impl Secrets {
    /// By this key.
    #[must_use]
    pub const fn new(key: SecretKey) -> Self {
        Self(key)
    }

    /// The six digits of a code.
    #[must_use]
    pub fn code(&self, id: Uuid) -> String {
        let mac = self.0.mac(&[b"code", id.as_bytes()]);
        let number = mac.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        format!("{:06}", number % 1_000_000)
    }

    /// Whether this is the code, in constant time.
    #[must_use]
    pub fn is_code(&self, id: Uuid, code: &str) -> bool {
        self.code(id).as_bytes().ct_eq(code.as_bytes()).into()
    }

    /// What is kept of a recovery code: by the key, since its 50 bits could be tried out against a plain hash.
    #[must_use]
    pub fn recovery_hash(&self, user_id: Uuid, code: &str) -> Vec<u8> {
        self.0.mac(&[b"recovery", user_id.as_bytes(), code.as_bytes()]).to_vec()
    }

    /// What is kept to know a request again: by the key, since its body holds a password that could be tried out against
    /// a plain hash.
    #[must_use]
    pub fn fingerprint(&self, digest: &[u8]) -> Vec<u8> {
        self.0.mac(&[b"fingerprint", digest]).to_vec()
    }

    /// The token of a link: 32 bytes in base64url.
    #[must_use]
    pub fn token(&self, id: Uuid) -> String {
        URL_SAFE_NO_PAD.encode(self.0.mac(&[b"reset", id.as_bytes()]))
    }
}

/// What is kept of a token, to find its row by.
#[must_use]
pub fn token_hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}
