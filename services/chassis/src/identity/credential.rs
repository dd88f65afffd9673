//! The credential of a service for calls on its own behalf.

use std::sync::{Arc, Mutex, PoisonError};

use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::error::{Kind, Refusal};
use crate::keys::SigningKey;

/// The audience of service credentials.
pub const SERVICE_AUDIENCE: &str = "solvane-services";
/// Life of a service credential.
const CREDENTIAL_SECONDS: i64 = 60;

#[derive(Serialize, Deserialize)]
pub(super) struct ServiceClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: String,
    pub(super) exp: i64,
    pub(super) iat: i64,
}

/// What a service shows when it calls on its own behalf.
#[derive(Clone)]
pub struct Credential {
    name: String,
    key: Arc<SigningKey>,
    last: Arc<Mutex<Option<Issued>>>,
}

/// A token as it was signed last.
struct Issued {
    token: String,
    exp: i64,
}

impl Credential {
    /// The credential of the service with this name and key.
    #[must_use]
    pub fn new(name: &str, key: SigningKey) -> Self {
        Self { name: name.to_owned(), key: Arc::new(key), last: Arc::default() }
    }

    /// A token that lives for a minute when it is signed, and for at least half of one more.
    ///
    /// # Errors
    /// Internal if it cannot be signed.
    pub fn token(&self) -> Result<String, Refusal> {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(issued) = last.as_ref().filter(|issued| issued.exp - now > CREDENTIAL_SECONDS / 2) {
            return Ok(issued.token.clone());
        }
        let claims = ServiceClaims {
            iss: self.name.clone(),
            aud: SERVICE_AUDIENCE.to_owned(),
            sub: self.name.clone(),
            exp: now + CREDENTIAL_SECONDS,
            iat: now,
        };
        let token = self.key.sign(&claims).map_err(|error| {
            tracing::error!(%error, "cannot sign a credential");
            Refusal::new(Kind::Internal, ErrorReason::Internal, "Something went wrong on our side. Please try again.")
        })?;
        *last = Some(Issued { token: token.clone(), exp: claims.exp });
        Ok(token)
    }
}
