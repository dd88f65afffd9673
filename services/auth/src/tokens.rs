//! Tokens (D-S4): they name a session, whose row is authoritative.

use chassis::id::SessionId;
use std::sync::Arc;

use chassis::identity::{Confirmation, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims};
use chassis::keys::{SigningKey, TrustedKeys, Use};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::session::Session;
use crate::error::Error;

/// Signs tokens, and reads its own again.
pub struct Tokens {
    key: SigningKey,
    trusted: Arc<TrustedKeys>,
}

impl Tokens {
    /// With this key, whose public half is trusted.
    #[must_use]
    pub const fn new(key: SigningKey, trusted: Arc<TrustedKeys>) -> Self {
        Self { key, trusted }
    }

    /// A token that lives as long as the session lives unused.
    ///
    /// # Errors
    /// If it cannot be signed.
    pub fn issue(&self, session: &Session, now: OffsetDateTime) -> Result<String, Error> {
        let claims = MemberClaims {
            iss: MEMBER_ISSUER.to_owned(),
            aud: MEMBER_AUDIENCE.to_owned(),
            sub: session.user_id,
            sid: session.id,
            exp: session.idle_until.unix_timestamp(),
            iat: now.unix_timestamp(),
            jti: Uuid::new_v4(),
            cnf: session.device_key.clone().map(|jkt| Confirmation { jkt }),
        };
        self.key.sign(&claims).map_err(|error| Error::Cryptography(error.to_string()))
    }

    /// Whether a token is one of this session and less than half of its life has passed.
    #[must_use]
    pub fn is_fresh(&self, token: &str, session_id: SessionId, now: OffsetDateTime) -> bool {
        let claims = self.trusted.verify::<MemberClaims>(token, Use::Member, MEMBER_AUDIENCE);
        claims
            .filter(|(claims, _)| claims.sid == session_id)
            .is_some_and(|(claims, _)| now.unix_timestamp() - claims.iat <= claims.exp - now.unix_timestamp())
    }
}
