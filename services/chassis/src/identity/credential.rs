//! What a process shows when it calls a service: its own credential or, in the gateway, an assertion of whom it calls for.
//! Each is signed for one service, which can use it nowhere else (D-A11).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::metadata::{Ascii, MetadataValue};

use crate::error::Refusal;
use crate::id::{SessionId, UserId};
use crate::keys::SigningKey;

/// The only process that may assert whom it calls for.
pub(super) const ASSERTER: &str = "gateway";
/// Life of what is signed. A service whose clock is two minutes ahead still accepts it: otherwise it would refuse everybody,
/// and browsers would log out.
const LIFE: Duration = Duration::from_mins(3);
/// How long it is used again.
const REUSE: Duration = Duration::from_mins(1);
/// Credentials and assertions that are kept for their next use.
const KEPT: u64 = 100_000;

/// The claims of a call.
#[derive(Serialize, Deserialize)]
pub(super) struct CallClaims {
    /// The process that calls.
    pub(super) iss: String,
    /// The service that is called.
    pub(super) aud: String,
    /// The account that it calls for, or the process itself.
    pub(super) sub: String,
    /// The session of that account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sid: Option<SessionId>,
    pub(super) exp: i64,
    pub(super) iat: i64,
}

/// Whose session a token names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Named {
    /// The account that logged in.
    pub user_id: UserId,
    /// The session, whose row decides.
    pub session_id: SessionId,
}

/// Signs what the calls of a process show.
#[derive(Clone)]
pub struct Credential(Arc<Signer>);

struct Signer {
    name: String,
    key: SigningKey,
    kept: Cache<(&'static str, Option<Named>), Kept>,
}

/// What was signed last for a service and a caller.
#[derive(Clone)]
struct Kept {
    value: MetadataValue<Ascii>,
    signed_at: i64,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Credential").field(&self.0.name).finish()
    }
}

impl Credential {
    /// The credential of the process with this name and key.
    #[must_use]
    pub fn new(name: &str, key: SigningKey) -> Self {
        let kept = Cache::builder().max_capacity(KEPT).time_to_live(REUSE).build();
        Self(Arc::new(Signer { name: name.to_owned(), key, kept }))
    }

    /// The authorization of a call to a service, on the process's own behalf or for a session.
    ///
    /// # Errors
    /// Internal if it cannot be signed.
    pub fn authorization(&self, service: &'static str, caller: Option<Named>) -> Result<MetadataValue<Ascii>, Refusal> {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        // By the clock that others go by, which may be set: the cache counts time on its own.
        let is_new = |kept: &Kept| (0..REUSE.as_secs().cast_signed()).contains(&(now - kept.signed_at));
        if let Some(kept) = self.0.kept.get(&(service, caller)).filter(is_new) {
            return Ok(kept.value);
        }
        let value = self.sign(service, caller, now).map_err(|error| {
            tracing::error!(%error, "cannot sign a call");
            Refusal::internal()
        })?;
        self.0.kept.insert((service, caller), Kept { value: value.clone(), signed_at: now });
        Ok(value)
    }

    fn sign(&self, service: &str, caller: Option<Named>, now: i64) -> anyhow::Result<MetadataValue<Ascii>> {
        let claims = CallClaims {
            iss: self.0.name.clone(),
            aud: service.to_owned(),
            sub: caller.map_or_else(|| self.0.name.clone(), |named| named.user_id.to_string()),
            sid: caller.map(|named| named.session_id),
            exp: now + LIFE.as_secs().cast_signed(),
            iat: now,
        };
        let mut value: MetadataValue<Ascii> = format!("Bearer {}", self.0.key.sign(&claims)?).parse()?;
        // Changes with every call; marked sensitive, so it is neither logged nor put into the HPACK table.
        value.set_sensitive(true);
        Ok(value)
    }
}
