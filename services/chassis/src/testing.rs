//! Test support: keys, tokens, sessions and migrated databases without a running auth.

mod broker;

mod calls;

mod proxy;

mod template;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use time::OffsetDateTime;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::decision::{self, Assertion, Decided, Proposer};
use crate::destination::ConfirmedDestination;
use crate::error::Refusal;
use crate::hex::to_hex;
use crate::id::{MemberId, SessionId, StaffId, UserId};
use crate::identity::{
    Accepts, Credential, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims, PayoutState, Role, Session, Sessions,
    Signatures, Staff, Verifier, not_permitted, unauthenticated,
};
use crate::keys::{self, SigningKey, TrustedKeys};
use crate::permission::Permission;
use crate::proposal::proposer_not_permitted;

pub use self::broker::Broker;
pub use self::calls::assert_callers_are_known;
pub use self::proxy::Proxy;
pub use self::template::{buckets, database};

/// The name of the service under test: who calls it signs for this one.
pub const SERVICE: &str = "test";

/// Keys of a whole deployment in a folder that goes away with it, and sessions in memory.
pub struct Realm {
    folder: std::path::PathBuf,
    token_key: SigningKey,
    gateway: SigningKey,
    accepts: Accepts,
    sessions: Arc<MemorySessions>,
}

/// Sessions in memory, and what auth would sign.
pub struct MemorySessions {
    sessions: Mutex<HashMap<SessionId, Session>>,
    payouts: Mutex<HashMap<MemberId, PayoutState>>,
    signatures: Signatures,
    decision_key: SigningKey,
}

impl MemorySessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.sessions.lock().expect("no panic while held")
    }
}

#[async_trait]
impl Sessions for MemorySessions {
    async fn live(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
        Ok(self.lock().get(&session_id).cloned())
    }

    async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal> {
        Ok(self.lock().values().any(|session| session.member_id() == user_id && session.frozen))
    }

    /// A new device that was reported lets payouts to a destination that became known afterwards wait for a day.
    async fn payout_state(
        &self,
        user_id: MemberId,
        destination_known_at: Option<OffsetDateTime>,
    ) -> Result<PayoutState, Refusal> {
        let told = self.payouts.lock().expect("no panic while held").get(&user_id).copied().unwrap_or_default();
        let new_device = told.new_device_at.filter(|at| destination_known_at.is_some_and(|known| *at < known));
        let not_before = told.not_before.max(new_device.map(|at| at + time::Duration::DAY));
        Ok(PayoutState { frozen: self.is_frozen(user_id).await?, not_before, ..told })
    }

    async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal> {
        let has_it = |session: &&Session| session.role.is_some_and(|role| permission.roles().contains(&role));
        Ok(self.lock().values().filter(has_it).map(|session| session.user_id.assume_staff()).collect())
    }

    /// A proposer who never logged in is permitted.
    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal> {
        let session_id = self.signatures.session(token).ok_or_else(unauthenticated)?.session_id;
        let session = self.live(session_id).await?.ok_or_else(unauthenticated)?;
        let permission = decided.permission.parse().map_err(|_| not_permitted())?;
        let staff = session.decider(permission)?;
        if let Some(one) = proposer {
            let role =
                self.lock().values().find(|session| session.user_id == one.id.into()).map(|session| session.role);
            let is_permitted = role.is_none_or(|role| role.is_some_and(|role| one.permission.roles().contains(&role)));
            if !is_permitted {
                return Err(proposer_not_permitted());
            }
        }
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let assertion = Assertion {
            iss: keys::DECISION_SIGNER.to_owned(),
            aud: decision::AUDIENCE.to_owned(),
            sub: staff.id,
            exp: now + decision::LIFE_SECONDS,
            iat: now,
            jti: Uuid::new_v4(),
            service: "test".to_owned(),
            role: staff.role,
            sid: session_id,
            factor_at: Some(now),
            digest: to_hex(&decided.digest()),
            passkey: None,
        };
        Ok(self.decision_key.sign(&assertion).expect("signed"))
    }
}

impl Default for Realm {
    fn default() -> Self {
        Self::new()
    }
}

impl Realm {
    /// Fresh keys, nobody logged in. Tokens are what the gateway shows the service [`SERVICE`].
    #[must_use]
    pub fn new() -> Self {
        Self::accepting(Accepts::CallsTo(SERVICE))
    }

    /// The same for a gateway: tokens are those of members.
    #[must_use]
    pub fn of_gateway() -> Self {
        Self::accepting(Accepts::Members)
    }

    fn accepting(accepts: Accepts) -> Self {
        let folder = std::env::temp_dir().join(format!("solvane-keys-{}", Uuid::now_v7()));
        keys::generate(&folder).expect("keys are written");
        let token_key = SigningKey::read(&folder.join("token.key")).expect("a key");
        let decision_key = SigningKey::read(&folder.join("decision.key")).expect("a key");
        let gateway = SigningKey::read(&folder.join("gateway.key")).expect("a key");
        let trusted = TrustedKeys::read(&folder.join("trusted.json")).expect("keys");
        let signatures = Signatures::new(Arc::new(trusted), accepts);
        let (sessions, payouts) = (Mutex::default(), Mutex::default());
        let sessions = Arc::new(MemorySessions { sessions, payouts, signatures, decision_key });
        Self { folder, token_key, gateway, accepts, sessions }
    }

    /// What auth answers about a member's payouts from now on.
    pub fn tell_payouts(&self, user_id: MemberId, state: PayoutState) {
        self.sessions.payouts.lock().expect("no panic while held").insert(user_id, state);
    }

    /// What auth signs when a member confirms a destination.
    #[must_use]
    pub fn confirm(&self, destination: &ConfirmedDestination) -> String {
        destination.sign(&self.sessions.decision_key).expect("signed")
    }

    /// Where the key files are.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Verifies this realm's tokens against its sessions.
    #[must_use]
    pub fn verifier(&self) -> Verifier {
        Verifier::new(self.signatures(), self.sessions())
    }

    /// The sessions of those who logged in.
    #[must_use]
    pub fn sessions(&self) -> Arc<dyn Sessions> {
        Arc::clone(&self.sessions) as Arc<dyn Sessions>
    }

    /// Reads who calls.
    #[must_use]
    pub fn signatures(&self) -> Signatures {
        self.sessions.signatures.clone()
    }

    /// The credential of a service.
    #[must_use]
    pub fn credential(&self, service: &str) -> Credential {
        Credential::new(service, self.service_key(service))
    }

    /// What a service shows when it calls the one under test.
    #[must_use]
    pub fn service_token(&self, service: &str) -> String {
        let shown = self.credential(service).authorization(SERVICE, None).expect("signed");
        shown.to_str().expect("ascii").trim_start_matches("Bearer ").to_owned()
    }

    /// A call of the gateway for a visitor.
    pub fn visitor<T>(&self, message: T) -> Request<T> {
        with_token(message, &self.service_token("gateway"))
    }

    /// The private key of a service.
    #[must_use]
    pub fn service_key(&self, service: &str) -> SigningKey {
        SigningKey::read(&self.folder.join(format!("{service}.key"))).expect("a key")
    }

    /// Signs a session in; returns its token.
    pub fn sign_in(&self, session: Session) -> String {
        let token = self.token(&session, OffsetDateTime::now_utc().unix_timestamp() + 1_800);
        self.sessions.lock().insert(session.id, session);
        token
    }

    /// A token of a session with this end.
    #[must_use]
    pub fn token(&self, session: &Session, exp: i64) -> String {
        if self.accepts == Accepts::Members { self.member_token(session, exp) } else { self.assertion(session, exp) }
    }

    /// The token that auth issues to a member.
    #[must_use]
    pub fn member_token(&self, session: &Session, exp: i64) -> String {
        self.sign(&MemberClaims {
            iss: MEMBER_ISSUER.to_owned(),
            aud: MEMBER_AUDIENCE.to_owned(),
            sub: session.user_id,
            sid: session.id,
            exp,
            iat: OffsetDateTime::now_utc().unix_timestamp(),
            jti: Uuid::new_v4(),
            cnf: None,
        })
    }

    /// What the gateway shows a service on behalf of the session that a token names. Text that is no token stays.
    #[must_use]
    pub fn shown_to(&self, service: &str, token: &str) -> String {
        let payload = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
        let claims = payload.and_then(|payload| serde_json::from_slice::<serde_json::Value>(&payload).ok());
        let Some(mut claims) = claims else { return token.to_owned() };
        claims["iss"] = json!("gateway");
        claims["aud"] = json!(service);
        self.gateway.sign(&claims).expect("signed")
    }

    fn assertion(&self, session: &Session, exp: i64) -> String {
        self.shown_to(SERVICE, &self.member_token(session, exp))
    }

    /// Signs any claims with the key of members' tokens.
    #[must_use]
    pub fn sign(&self, claims: &impl serde::Serialize) -> String {
        self.token_key.sign(claims).expect("signed")
    }

    /// A verified member logged in: the account and the token.
    pub fn member(&self) -> (MemberId, String) {
        let session = session(None);
        (session.user_id.assume_member(), self.sign_in(session))
    }

    /// Freezes an account.
    pub fn freeze(&self, user_id: impl Into<UserId>) {
        self.change(user_id.into(), |session| session.frozen = true);
    }

    /// Gives an account another role; none makes it a member's.
    pub fn give_role(&self, user_id: impl Into<UserId>, role: Option<Role>) {
        self.change(user_id.into(), |session| session.role = role);
    }

    fn change(&self, user_id: UserId, change: impl Fn(&mut Session)) {
        self.sessions.lock().values_mut().filter(|session| session.user_id == user_id).for_each(change);
    }

    /// Staff logged in: the account and the token.
    pub fn staff(&self, role: Role) -> (StaffId, String) {
        let session = session(Some(role));
        (session.user_id.assume_staff(), self.sign_in(session))
    }
}

impl Drop for Realm {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A session of a fresh, verified account.
#[must_use]
pub fn session(role: Option<Role>) -> Session {
    Session {
        id: Uuid::new_v4().into(),
        user_id: Uuid::new_v4().into(),
        verified: true,
        frozen: false,
        role,
        stepped_up: role.is_some(),
        has_factor: role.is_some(),
        factor_proven: false,
        must_enrol: false,
        decides_from: None,
    }
}

/// Staff at work, for use cases.
#[must_use]
pub fn staff(role: Role) -> Staff {
    Staff::new(Uuid::new_v4().into(), role)
}

/// Asserts of calls by one role, `None` for a member: each is forbidden exactly if it is not allowed. An outcome is whether
/// the call is allowed, and its error.
pub fn assert_permitted(role: Option<Role>, outcomes: impl IntoIterator<Item = (bool, Option<Status>)>) {
    for (call, (is_allowed, status)) in outcomes.into_iter().enumerate() {
        let is_forbidden = status.is_some_and(|status| status.code() == Code::PermissionDenied);
        assert_eq!(is_forbidden, !is_allowed, "{role:?} call {call}");
    }
}

/// A request with a bearer token.
pub fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ascii"));
    request
}
