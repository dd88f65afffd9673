//! The secrets in emails: derived from the id of their row with a key outside the database, so that neither a dump nor
//! an event contains one (D-E1).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::id::UserId;
use chassis::keys::SecretKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::{CodeId, Handle};
use crate::domain::passkey::Ceremony;
use crate::domain::security_link::LinkId;

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
    pub fn code(&self, id: CodeId) -> String {
        let mac = self.0.mac(&[b"code", id.get().as_bytes()]);
        let number = mac.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        format!("{:06}", number % 1_000_000)
    }

    /// Whether this is the code, in constant time.
    #[must_use]
    pub fn is_code(&self, id: CodeId, code: &str) -> bool {
        self.code(id).as_bytes().ct_eq(code.as_bytes()).into()
    }

    /// What is kept of a recovery code: by the key, since its 50 bits could be tried out against a plain hash.
    #[must_use]
    pub fn recovery_hash(&self, user_id: UserId, code: &str) -> Vec<u8> {
        self.0.mac(&[b"recovery", user_id.get().as_bytes(), code.as_bytes()]).to_vec()
    }

    /// What is kept to know a request again: by the key, since its body holds a password that could be tried out against
    /// a plain hash.
    #[must_use]
    pub fn fingerprint(&self, digest: &[u8]) -> Vec<u8> {
        self.0.mac(&[b"fingerprint", digest]).to_vec()
    }

    /// A handle as its holder keeps it: what it stands for, signed.
    #[must_use]
    pub fn handle(&self, handle: Handle) -> String {
        let (kind, id) = match handle {
            Handle::Account(id) => (b"a", id.get()),
            Handle::Request(id) => (b"r", id),
        };
        let mac = self.0.mac(&[b"handle", kind, id.as_bytes()]);
        URL_SAFE_NO_PAD.encode([kind.as_slice(), id.as_bytes(), mac.get(..16).unwrap_or_default()].concat())
    }

    /// What a handle stands for; `None` if it is not ours.
    #[must_use]
    pub fn read_handle(&self, text: &str) -> Option<Handle> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let id = Uuid::from_slice(bytes.get(1..17)?).ok()?;
        let handle = match bytes.first()? {
            b'a' => Handle::Account(id.into()),
            b'r' => Handle::Request(id),
            _ => return None,
        };
        bool::from(self.handle(handle).as_bytes().ct_eq(text.as_bytes())).then_some(handle)
    }

    /// The token of a security mail's link: the id of its row, signed.
    #[must_use]
    pub fn security_token(&self, id: LinkId) -> String {
        let id = id.get();
        let mac = self.0.mac(&[b"security", id.as_bytes()]);
        URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), mac.as_slice()].concat())
    }

    /// The id in such a token; `None` if it is not ours.
    #[must_use]
    pub fn read_security_token(&self, token: &str) -> Option<LinkId> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let id = Uuid::from_slice(bytes.get(..16)?).ok()?;
        bool::from(self.security_token(id.into()).as_bytes().ct_eq(token.as_bytes())).then_some(id.into())
    }

    /// A challenge for a passkey: its id and the moment, signed for what it may be answered for, and the digest of a
    /// decision. So nothing has to be kept of it until it is answered.
    #[must_use]
    pub fn challenge(&self, id: Uuid, ceremony: Ceremony, now: OffsetDateTime) -> Vec<u8> {
        let (name, session_id) = ceremony.subject();
        let at = now.unix_timestamp().to_be_bytes();
        let digest = ceremony.digest();
        let mac = self.0.mac(&[b"challenge", name, session_id.as_bytes(), id.as_bytes(), &at, digest]);
        [id.as_bytes().as_slice(), &at, mac.as_slice(), digest].concat()
    }

    /// The id of a challenge and when it was made; `None` if it is not ours for this.
    #[must_use]
    pub fn read_challenge(&self, bytes: &[u8], ceremony: Ceremony) -> Option<(Uuid, OffsetDateTime)> {
        let id = Uuid::from_slice(bytes.get(..16)?).ok()?;
        let at = i64::from_be_bytes(bytes.get(16..24)?.try_into().ok()?);
        let at = OffsetDateTime::from_unix_timestamp(at).ok()?;
        bool::from(self.challenge(id, ceremony, at).ct_eq(bytes)).then_some((id, at))
    }

    /// The digest at the end of a challenge; `None` if it is for no decision. Whether it is ours, [`Self::read_challenge`]
    /// says.
    #[must_use]
    pub fn digest_of(challenge: &[u8]) -> Option<[u8; 32]> {
        challenge.get(56..)?.try_into().ok()
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
