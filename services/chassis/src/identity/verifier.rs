//! Identifies callers by their tokens and credentials.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::metadata::MetadataMap;
use uuid::Uuid;

use super::credential::{ASSERTER, CallClaims, Named};
use super::refusal::{not_permitted, step_up_required, unauthenticated};
use super::session::{DecisionSigner, PayoutState, Session, Sessions, Staff};
use crate::error::Refusal;
use crate::id::{MemberId, SessionId, StaffId, UserId};
use crate::keys::{LEEWAY_SECONDS, TrustedKeys, Use};
use crate::permission::{MemberAct, Permission};

/// The audience of members' tokens.
pub const MEMBER_AUDIENCE: &str = "solvane";
/// The issuer of members' tokens.
pub const MEMBER_ISSUER: &str = "auth";
/// Tokens whose signature is remembered.
const KNOWN_TOKENS: u64 = 100_000;

/// The claims of a member's token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MemberClaims {
    /// Always [`MEMBER_ISSUER`].
    pub iss: String,
    /// Always [`MEMBER_AUDIENCE`].
    pub aud: String,
    /// Account that logged in.
    pub sub: UserId,
    /// The session, whose row decides.
    pub sid: SessionId,
    /// End of the token, seconds since 1970.
    pub exp: i64,
    /// When it was issued.
    pub iat: i64,
    /// Its own id.
    pub jti: Uuid,
    /// The key that the session is bound to, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnf: Option<Confirmation>,
}

/// The key that a caller has to prove to hold (RFC 7800, RFC 9449).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Confirmation {
    /// Its thumbprint (RFC 7638), base64url.
    pub jkt: String,
}

/// Whose calls a process accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    /// Members, by the tokens that auth issued: the gateway's.
    Members,
    /// Those who call this service, by what they signed for it.
    CallsTo(&'static str),
}

/// Who calls.
#[derive(Debug, Clone)]
enum Caller {
    /// With the thumbprint of the key that the session is bound to, if it is.
    Session(Named, Option<Arc<str>>),
    Service(Arc<str>),
}

impl Caller {
    fn session(self) -> Option<Named> {
        if let Self::Session(named, _) = self { Some(named) } else { None }
    }

    fn service(self) -> Option<Arc<str>> {
        if let Self::Service(name) = self { Some(name) } else { None }
    }
}

/// Reads who calls from what they show, by signatures alone.
#[derive(Clone)]
pub struct Signatures {
    keys: Arc<TrustedKeys>,
    accepts: Accepts,
    /// Tokens that were found to be signed as they must be, by their SHA-256, with their end.
    known: moka::sync::Cache<[u8; 32], (Caller, i64)>,
}

impl Signatures {
    /// Trusts these keys.
    #[must_use]
    pub fn new(keys: Arc<TrustedKeys>, accepts: Accepts) -> Self {
        Self { keys, accepts, known: moka::sync::Cache::new(KNOWN_TOKENS) }
    }

    /// Whose session a token names. Whether it lives is not asked.
    #[must_use]
    pub fn session(&self, token: &str) -> Option<Named> {
        self.caller(token)?.session()
    }

    /// The thumbprint of the key that the session of a token is bound to, if it is.
    #[must_use]
    pub fn device_key(&self, token: &str) -> Option<Arc<str>> {
        if let Caller::Session(_, key) = self.caller(token)? { key } else { None }
    }

    /// Whose session a token names that the gateway signed for another service.
    #[must_use]
    pub fn session_at(&self, service: &str, token: &str) -> Option<Named> {
        self.call(token, service)?.0.session()
    }

    fn service(&self, token: &str) -> Option<Arc<str>> {
        self.caller(token)?.service()
    }

    /// Whether the gateway calls, on behalf of a session or of a visitor.
    fn is_of_gateway(&self, token: Option<&str>) -> bool {
        match token.and_then(|token| self.caller(token)) {
            Some(Caller::Session(..)) => true,
            Some(Caller::Service(name)) => *name == *ASSERTER,
            None => false,
        }
    }

    fn caller(&self, token: &str) -> Option<Caller> {
        let digest = sha256(token);
        if let Some((caller, exp)) = self.known.get(&digest) {
            return is_in_force(exp).then_some(caller);
        }
        let (caller, exp) = match self.accepts {
            Accepts::Members => self.member(token),
            Accepts::CallsTo(service) => self.call(token, service),
        }?;
        self.known.insert(digest, (caller.clone(), exp));
        Some(caller)
    }

    fn member(&self, token: &str) -> Option<(Caller, i64)> {
        let (claims, _) = self.keys.verify::<MemberClaims>(token, Use::Member, MEMBER_AUDIENCE)?;
        let key = claims.cnf.map(|key| key.jkt.into());
        Some((Caller::Session(Named { user_id: claims.sub, session_id: claims.sid }, key), claims.exp))
    }

    /// Who signed a call for this service, or whom the gateway calls for.
    fn call(&self, token: &str, service: &str) -> Option<(Caller, i64)> {
        let (CallClaims { sub, sid, exp, .. }, signer) =
            self.keys.verify::<CallClaims>(token, Use::Service, service)?;
        let caller = match sid {
            Some(session_id) if signer == ASSERTER => {
                Caller::Session(Named { user_id: sub.parse().ok()?, session_id }, None)
            }
            None if sub == signer => Caller::Service(signer.into()),
            _ => return None,
        };
        Some((caller, exp))
    }
}

/// Identifies callers by what they show, and asks auth whether their sessions live.
#[derive(Clone)]
pub struct Verifier {
    signatures: Signatures,
    sessions: Arc<dyn Sessions>,
}

impl Verifier {
    /// Trusts these signatures and these sessions.
    #[must_use]
    pub fn new(signatures: Signatures, sessions: Arc<dyn Sessions>) -> Self {
        Self { signatures, sessions }
    }

    /// The keys that it trusts.
    #[must_use]
    pub fn keys(&self) -> &TrustedKeys {
        &self.signatures.keys
    }

    /// The live session of the bearer token in the metadata.
    ///
    /// # Errors
    /// Unauthenticated without one; Unavailable if auth cannot tell.
    pub async fn session(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let token = bearer(metadata).ok_or_else(unauthenticated)?;
        self.session_of(token).await
    }

    /// The user in the token. Does not check that the session is alive.
    ///
    /// # Errors
    /// Unauthenticated without one.
    pub fn named_user(&self, metadata: &MetadataMap) -> Result<UserId, Refusal> {
        self.named_in(metadata).map(|named| named.user_id)
    }

    /// As [`Signatures::session_at`].
    #[must_use]
    pub fn session_at(&self, service: &str, token: &str) -> Option<Named> {
        self.signatures.session_at(service, token)
    }

    /// Whose session a token names, by its signature alone: whether it lives is not asked.
    #[must_use]
    pub fn named(&self, token: &str) -> Option<Named> {
        self.signatures.session(token)
    }

    /// As [`Signatures::device_key`].
    #[must_use]
    pub fn device_key(&self, token: &str) -> Option<Arc<str>> {
        self.signatures.device_key(token)
    }

    /// The live session of a token.
    ///
    /// # Errors
    /// The same as those of [`Self::session`].
    pub async fn session_of(&self, token: &str) -> Result<Session, Refusal> {
        let named = self.named(token).ok_or_else(unauthenticated)?;
        owned(self.sessions.live(named.session_id).await?, named)
    }

    /// The live session of the bearer token in the metadata, as auth has it at this moment.
    async fn fresh_session(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let named = self.named_in(metadata)?;
        owned(self.sessions.fresh(named.session_id).await?, named)
    }

    /// Asks auth what keeps an account's payouts to a destination waiting, given since when the destination is known.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn payout_state(
        &self,
        user_id: MemberId,
        destination_known_at: Option<OffsetDateTime>,
    ) -> Result<PayoutState, Refusal> {
        self.sessions.payout_state(user_id, destination_known_at).await
    }

    /// The calling member, if they may do this. Auth is asked at this moment: a freeze takes effect at once, and so does a
    /// second factor that was set up or given.
    ///
    /// # Errors
    /// As [`Self::session`] and [`Session::member`].
    pub async fn member(&self, metadata: &MetadataMap, act: MemberAct) -> Result<Session, Refusal> {
        self.fresh_session(metadata).await?.member(act)
    }

    /// The calling member, also of a frozen account, for what concerns their own data.
    ///
    /// # Errors
    /// As [`Self::session`], [`Session::reader`] and [`Session::check_factor`].
    pub async fn owner(&self, metadata: &MetadataMap, act: MemberAct) -> Result<Session, Refusal> {
        let session = self.fresh_session(metadata).await?.reader()?;
        session.check_factor(act)?;
        Ok(session)
    }

    /// Whether an account is frozen, as auth has it at this moment.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal> {
        self.sessions.is_frozen(user_id).await
    }

    /// The staff accounts that have this permission, by name, as auth has them at this moment.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal> {
        self.sessions.permitted_staff(permission).await
    }

    fn named_in(&self, metadata: &MetadataMap) -> Result<Named, Refusal> {
        bearer(metadata).and_then(|token| self.named(token)).ok_or_else(unauthenticated)
    }

    /// The calling staff member, if they have this permission and, where it needs one, gave a fresh second factor.
    ///
    /// # Errors
    /// Those of [`Self::session`]; Forbidden without the permission; Forbidden (`STEP_UP_REQUIRED`) if the second factor
    /// is not fresh.
    pub async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Refusal> {
        self.staff_with_any(metadata, &[permission]).await
    }

    /// The same with one of several permissions: the use case checks the right one ([`Staff::check`]) once it has read
    /// what the call is about.
    ///
    /// # Errors
    /// The same as those of [`Self::staff`].
    pub async fn staff_with_any(&self, metadata: &MetadataMap, permissions: &[Permission]) -> Result<Staff, Refusal> {
        let needs_factor = permissions.iter().any(|permission| permission.needs_fresh_factor());
        let session = if needs_factor { self.fresh_session(metadata).await? } else { self.session(metadata).await? };
        let stepped_up = session.stepped_up;
        let staff = session.staff_with_any(permissions)?;
        if needs_factor && !stepped_up {
            return Err(step_up_required());
        }
        let signer = bearer(metadata).map(|token| DecisionSigner::new(Arc::clone(&self.sessions), token));
        Ok(Staff { signer, ..staff })
    }

    /// Lets calls of the gateway pass that need no session: what a call says about its client is believed of the gateway
    /// alone.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn visitor(&self, metadata: &MetadataMap) -> Result<(), Refusal> {
        if self.signatures.is_of_gateway(bearer(metadata)) { Ok(()) } else { Err(not_permitted()) }
    }

    /// The name of the calling service, if it is one of those allowed.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn service(&self, metadata: &MetadataMap, allowed: &[&str]) -> Result<String, Refusal> {
        bearer(metadata)
            .and_then(|token| self.signatures.service(token))
            .filter(|name| allowed.contains(&&**name))
            .map(|name| name.as_ref().to_owned())
            .ok_or_else(not_permitted)
    }
}

/// The session, if it is live and of the account that the token names.
fn owned(session: Option<Session>, named: Named) -> Result<Session, Refusal> {
    session.filter(|session| session.user_id == named.user_id).ok_or_else(unauthenticated)
}

fn sha256(token: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    bytes
}

/// Whether a token that ends then still counts, as [`TrustedKeys::verify`] has it.
fn is_in_force(exp: i64) -> bool {
    exp >= OffsetDateTime::now_utc().unix_timestamp() - LEEWAY_SECONDS
}

/// What a call shows: a credential, an assertion or a member's token.
#[must_use]
pub fn bearer(metadata: &MetadataMap) -> Option<&str> {
    metadata.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}
