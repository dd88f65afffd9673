//! Who calls: a member or staff by a token of auth and a live session, or a service by a credential of its own. A user
//! id in a request is never taken for who calls.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use futures::future::join_all;
use moka::future::Cache;
use proto::auth::v1::decision_service_client::DecisionServiceClient;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::{
    GetPayoutStateRequest, GetPayoutStateResponse, GetSessionRequest, GetSessionResponse, GetSessionsRequest,
    GetSessionsResponse, GetUsersRequest, SignDecisionRequest,
};
use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Code, Response};
use uuid::Uuid;

use crate::batch::Batch;
use crate::clock;
use crate::decision::{Decided, Pen, Proposer, Signed};
use crate::error::{Kind, Refusal, from_status};
use crate::grpc::{Outgoing, call_with_retry};
use crate::keys::{LEEWAY_SECONDS, SigningKey, TrustedKeys, Use};
use crate::permission::{MemberAct, Permission};

/// The audience of members' tokens.
pub const MEMBER_AUDIENCE: &str = "solvane";
/// The audience of service credentials.
pub const SERVICE_AUDIENCE: &str = "solvane-services";
/// The issuer of members' tokens.
pub const MEMBER_ISSUER: &str = "auth";
/// How long an answer about a session may be used: half of the promise that a revoked one is refused within 5 s.
pub const SESSION_CACHE: Duration = Duration::from_millis(2_500);
/// How long auth may take to sign a decision.
const SIGNING: Duration = Duration::from_secs(3);
/// Life of a service credential.
const CREDENTIAL_SECONDS: i64 = 60;
/// Tokens whose signature is remembered.
const KNOWN_TOKENS: u64 = 100_000;

/// The claims of a member's token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MemberClaims {
    /// [`MEMBER_ISSUER`].
    pub iss: String,
    /// [`MEMBER_AUDIENCE`].
    pub aud: String,
    /// The account.
    pub sub: Uuid,
    /// The session, whose row decides.
    pub sid: Uuid,
    /// End of the token, seconds since 1970.
    pub exp: i64,
    /// When it was issued.
    pub iat: i64,
    /// Its own id.
    pub jti: Uuid,
}

#[derive(Serialize, Deserialize)]
struct ServiceClaims {
    iss: String,
    aud: String,
    sub: String,
    exp: i64,
    iat: i64,
}

/// What staff may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Decides deposits, fees and withdrawals; freezes.
    Reviewer,
    /// Pays out; platform methods; bonus and adjustments.
    Treasurer,
    /// Plans and values.
    Manager,
    /// Reads all.
    Auditor,
    /// Staff accounts.
    Admin,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Reviewer, Self::Treasurer, Self::Manager, Self::Auditor, Self::Admin];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Treasurer => "treasurer",
            Self::Manager => "manager",
            Self::Auditor => "auditor",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| format!("no role is called {text}"))
    }
}

/// A live session: somebody signed in.
#[derive(Debug, Clone)]
pub struct Session {
    /// The session.
    pub id: Uuid,
    /// The account.
    pub user_id: Uuid,
    /// Whether the email is confirmed.
    pub verified: bool,
    /// Whether staff froze the account.
    pub frozen: bool,
    /// Unset for members.
    pub role: Option<Role>,
    /// Whether a second factor was given within the last minutes, as auth decides.
    pub stepped_up: bool,
    /// Whether the account has a second factor.
    pub has_factor: bool,
    /// Whether these are staff who have to enrol an authenticator before anything else.
    pub must_enrol: bool,
    /// New staff: from when on they may decide.
    pub decides_from: Option<OffsetDateTime>,
}

impl Session {
    /// A member with a confirmed email, who may read.
    ///
    /// # Errors
    /// Forbidden for staff and for unconfirmed emails.
    pub fn reader(self) -> Result<Self, Refusal> {
        if self.role.is_some() {
            return Err(not_permitted());
        }
        if !self.verified {
            return Err(Refusal::new(
                Kind::Forbidden,
                ErrorReason::EmailNotVerified,
                "Please verify your email address first.",
            ));
        }
        Ok(self)
    }

    /// A member who may also move money and change things.
    ///
    /// # Errors
    /// As [`Self::reader`], and Forbidden for a frozen account.
    pub fn actor(self) -> Result<Self, Refusal> {
        let session = self.reader()?;
        if session.frozen {
            return Err(Refusal::new(
                Kind::Forbidden,
                ErrorReason::AccountFrozen,
                "Your account is frozen. Please contact support.",
            ));
        }
        Ok(session)
    }

    /// A member who may do this: with a second factor given within the last minutes, if they have one and the act takes it.
    ///
    /// # Errors
    /// As [`Self::actor`], and Forbidden (`STEP_UP_REQUIRED`) when the factor was given longer ago.
    pub fn member(self, act: MemberAct) -> Result<Self, Refusal> {
        let session = self.actor()?;
        session.check_factor(act)?;
        Ok(session)
    }

    /// Checks the second factor for an act that is known only once the call has been read.
    ///
    /// # Errors
    /// Forbidden (`STEP_UP_REQUIRED`).
    pub fn check_factor(&self, act: MemberAct) -> Result<(), Refusal> {
        let is_missing = act.needs_fresh_factor() && self.has_factor && !self.stepped_up;
        if is_missing { Err(step_up_required()) } else { Ok(()) }
    }

    /// Staff with this permission, and with an authenticator where one is needed. Whether the permission takes a fresh
    /// second factor is [`Verifier::staff`]'s question.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn staff(self, permission: Permission) -> Result<Staff, Refusal> {
        self.staff_with_any(&[permission])
    }

    fn staff_with_any(self, permissions: &[Permission]) -> Result<Staff, Refusal> {
        let (must_enrol, decides_from) = (self.must_enrol, self.decides_from);
        let staff = self.colleague()?;
        if must_enrol {
            return Err(must_enrol_totp());
        }
        if !permissions.iter().any(|one| one.roles().contains(&staff.role)) {
            return Err(not_permitted());
        }
        match decides_from {
            Some(at) if permissions.iter().any(|one| one.needs_fresh_factor()) => Err(role_too_new(at)),
            _ => Ok(staff),
        }
    }

    /// The same for what auth signs: staff who may decide this at this moment.
    ///
    /// # Errors
    /// As [`Self::staff`], and Forbidden (`STEP_UP_REQUIRED`) without a fresh second factor where the permission takes one.
    pub fn decider(self, permission: Permission) -> Result<Staff, Refusal> {
        let stepped_up = self.stepped_up;
        let staff = self.staff(permission)?;
        if permission.needs_fresh_factor() && !stepped_up { Err(step_up_required()) } else { Ok(staff) }
    }

    /// Staff of any role, with or without authenticator: for what they do about their own account.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn colleague(self) -> Result<Staff, Refusal> {
        match self.role {
            Some(role) if !self.frozen => Ok(Staff::new(self.user_id, role)),
            _ => Err(not_permitted()),
        }
    }
}

/// A staff member at work.
#[derive(Debug, Clone)]
pub struct Staff {
    /// The account.
    pub user_id: Uuid,
    /// In which role.
    pub role: Role,
    /// By which their decisions are signed; unset for the operator at a command line.
    pen: Option<Pen>,
}

impl Staff {
    /// Somebody who has nothing signed.
    #[must_use]
    pub const fn new(user_id: Uuid, role: Role) -> Self {
        Self { user_id, role, pen: None }
    }

    /// Has auth sign what they decide: a network call, so before the transaction begins. A confirmation names its
    /// proposer, who must still be permitted to propose.
    ///
    /// # Errors
    /// Unauthenticated, Forbidden, Conflict (`PROPOSER_NOT_PERMITTED`), Unavailable if auth cannot sign.
    pub async fn sign(&self, decided: Decided, proposer: Option<Proposer>) -> Result<Signed, Refusal> {
        self.pen.as_ref().ok_or_else(not_permitted)?.sign(decided, proposer).await
    }

    /// Checks a permission that depends on what the call is about, once that is known.
    ///
    /// # Errors
    /// Forbidden without it.
    pub fn check(&self, permission: Permission) -> Result<(), Refusal> {
        if permission.roles().contains(&self.role) { Ok(()) } else { Err(not_permitted()) }
    }
}

/// What keeps payouts of a member waiting, as auth has it at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PayoutState {
    /// Staff froze the account.
    pub frozen: bool,
    /// Its owner said that somebody else used it, and has not set a new password yet.
    pub stopped: bool,
    /// Payouts are approved from then on.
    pub not_before: Option<OffsetDateTime>,
    /// When the email last changed.
    pub email_changed_at: Option<OffsetDateTime>,
    /// When the password last changed.
    pub password_changed_at: Option<OffsetDateTime>,
    /// When the second factors last changed.
    pub factors_changed_at: Option<OffsetDateTime>,
    /// When the member last signed in from a device for the first time.
    pub new_device_at: Option<OffsetDateTime>,
}

/// Where sessions are looked up: auth's own table, or auth over gRPC.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The live session with this id; `None` if there is none, it was revoked, or it expired.
    async fn live(&self, session_id: Uuid) -> Result<Option<Session>, Refusal>;

    /// The same, asked now: no answer that was kept.
    async fn fresh(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        self.live(session_id).await
    }

    /// Whether this account is frozen, asked now. An unknown one is not.
    async fn is_frozen(&self, user_id: Uuid) -> Result<bool, Refusal>;

    /// What keeps payouts of this account waiting, asked now. An unknown one has nothing to wait for.
    async fn payout_state(&self, user_id: Uuid) -> Result<PayoutState, Refusal> {
        Ok(PayoutState { frozen: self.is_frozen(user_id).await?, ..PayoutState::default() })
    }

    /// The assertion that whoever has this token decides this, as [`crate::decision`] says.
    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal>;
}

/// Sessions by asking auth, for many at once, each answer used for at most [`SESSION_CACHE`].
pub struct RemoteSessions {
    directory: Directory,
    auth: Batch<Uuid, Result<Option<Session>, Refusal>>,
    cache: Cache<Uuid, Option<Session>>,
}

impl RemoteSessions {
    /// Asks auth over this channel with this credential. Call inside the runtime.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let decisions = DecisionServiceClient::new(channel.clone());
        let directory = Directory { client: DirectoryServiceClient::new(channel), decisions, credential };
        let asked = directory.clone();
        let auth = Batch::new(move |ids| {
            let directory = asked.clone();
            async move { directory.sessions(ids).await }
        });
        let cache = Cache::builder().max_capacity(200_000).time_to_live(SESSION_CACHE).build();
        Self { directory, auth, cache }
    }

    async fn ask(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        self.auth.ask(session_id).await.unwrap_or_else(|| {
            tracing::error!("the question for a session was dropped");
            Err(Refusal::unavailable())
        })
    }
}

#[async_trait]
impl Sessions for RemoteSessions {
    async fn live(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        if let Some(known) = self.cache.get(&session_id).await {
            return Ok(known);
        }
        let answer = self.cache.try_get_with(session_id, self.ask(session_id)).await;
        let session = answer.map_err(|refusal| (*refusal).clone())?;
        if !is_settled(session.as_ref()) {
            self.cache.invalidate(&session_id).await;
        }
        Ok(session)
    }

    /// Past the cache, whose answer may be on its way since before the question.
    async fn fresh(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        let session = self.ask(session_id).await?;
        if is_settled(session.as_ref()) {
            self.cache.insert(session_id, session.clone()).await;
        } else {
            self.cache.invalidate(&session_id).await;
        }
        Ok(session)
    }

    async fn is_frozen(&self, user_id: Uuid) -> Result<bool, Refusal> {
        self.directory.is_frozen(user_id).await
    }

    async fn payout_state(&self, user_id: Uuid) -> Result<PayoutState, Refusal> {
        self.directory.payout_state(user_id).await
    }

    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal> {
        self.directory.sign(token, decided, proposer).await
    }
}

/// Whether an answer may be kept: who has just confirmed an email or an authenticator, or was unfrozen, must not wait
/// for it to grow old.
fn is_settled(session: Option<&Session>) -> bool {
    session.is_some_and(|session| session.verified && !session.must_enrol && !session.frozen)
}

/// Auth, as it is asked for sessions.
#[derive(Clone)]
struct Directory {
    client: DirectoryServiceClient<Channel>,
    decisions: DecisionServiceClient<Channel>,
    credential: Credential,
}

impl Directory {
    async fn sessions(&self, ids: Vec<Uuid>) -> Vec<Result<Option<Session>, Refusal>> {
        if let [id] = ids[..] {
            return vec![self.session(id).await];
        }
        let refused = |refusal: Refusal| ids.iter().map(|_| Err(refusal.clone())).collect();
        let out = match Outgoing::service(&self.credential) {
            Ok(out) => out,
            Err(refusal) => return refused(refusal),
        };
        let request = out.idempotent(GetSessionsRequest { session_ids: ids.iter().map(Uuid::to_string).collect() });
        let asked = call_with_retry(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.get_sessions(request).await },
        );
        match asked.await.map(Response::into_inner) {
            Ok(GetSessionsResponse { sessions }) => {
                ids.iter().map(|id| sessions.get(&id.to_string()).map(|one| session(*id, one)).transpose()).collect()
            }
            // An auth of the version before does not know the call.
            Err(status) if status.code() == Code::Unimplemented => {
                join_all(ids.iter().map(|id| self.session(*id))).await
            }
            Err(status) => refused(from_status(&status)),
        }
    }

    async fn session(&self, id: Uuid) -> Result<Option<Session>, Refusal> {
        let request = Outgoing::service(&self.credential)?.idempotent(GetSessionRequest { session_id: id.to_string() });
        let asked = call_with_retry(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.get_session(request).await },
        );
        match asked.await {
            Ok(answer) => session(id, answer.get_ref()).map(Some),
            Err(status) if status.code() == Code::Unauthenticated => Ok(None),
            Err(status) => Err(from_status(&status)),
        }
    }

    async fn is_frozen(&self, user_id: Uuid) -> Result<bool, Refusal> {
        let message = GetUsersRequest { user_ids: vec![user_id.to_string()] };
        let request = Outgoing::service(&self.credential)?.idempotent(message);
        let answer = call_with_retry(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.get_users(request).await },
        )
        .await
        .map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().users.iter().any(|user| user.is_frozen))
    }

    async fn payout_state(&self, user_id: Uuid) -> Result<PayoutState, Refusal> {
        let request =
            Outgoing::service(&self.credential)?.idempotent(GetPayoutStateRequest { user_id: user_id.to_string() });
        let asked = call_with_retry(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.get_payout_state(request).await },
        );
        match asked.await {
            Ok(answer) => Ok(payout_state(answer.get_ref())),
            // An auth of the version before does not know the call, and lets nothing cool off.
            Err(status) if status.code() == Code::Unimplemented => {
                Ok(PayoutState { frozen: self.is_frozen(user_id).await?, ..PayoutState::default() })
            }
            Err(status) => Err(from_status(&status)),
        }
    }

    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal> {
        let message = SignDecisionRequest {
            token: token.to_owned(),
            permission: decided.permission.clone(),
            digest: decided.digest().to_vec(),
            proposer_id: proposer.map(|one| one.id.to_string()).unwrap_or_default(),
            proposer_permission: proposer.map(|one| one.permission.as_str().to_owned()).unwrap_or_default(),
        };
        let request = Outgoing::service(&self.credential)?.deadline(SIGNING).idempotent(message);
        let answer = call_with_retry(
            || self.decisions.clone(),
            request,
            |mut client, request| async move { client.sign_decision(request).await },
        );
        match answer.await {
            Ok(answer) => Ok(answer.into_inner().assertion),
            // An auth of the version before: decisions wait until it is replaced.
            Err(status) if status.code() == Code::Unimplemented => Err(Refusal::unavailable()),
            Err(status) => Err(from_status(&status)),
        }
    }
}

fn session(id: Uuid, answer: &GetSessionResponse) -> Result<Session, Refusal> {
    let role = match answer.role.as_str() {
        "" => None,
        name => Some(name.parse().map_err(|_| Refusal::unavailable())?),
    };
    Ok(Session {
        id,
        user_id: answer.user_id.parse().map_err(|_| Refusal::unavailable())?,
        verified: answer.is_verified,
        frozen: answer.is_frozen,
        role,
        stepped_up: answer.is_stepped_up,
        has_factor: answer.has_second_factor,
        must_enrol: answer.must_enrol_totp,
        decides_from: answer.decides_from.as_ref().and_then(clock::from_proto),
    })
}

fn payout_state(answer: &GetPayoutStateResponse) -> PayoutState {
    let at = |moment: Option<&clock::Timestamp>| moment.and_then(clock::from_proto);
    PayoutState {
        frozen: answer.is_frozen,
        stopped: answer.is_stopped,
        not_before: at(answer.not_before.as_ref()),
        email_changed_at: at(answer.email_changed_at.as_ref()),
        password_changed_at: at(answer.password_changed_at.as_ref()),
        factors_changed_at: at(answer.factors_changed_at.as_ref()),
        new_device_at: at(answer.new_device_at.as_ref()),
    }
}

/// Tells who calls.
#[derive(Clone)]
pub struct Verifier {
    keys: Arc<TrustedKeys>,
    sessions: Arc<dyn Sessions>,
    known: Known,
}

/// Tokens that were found to be signed as they must be, by their SHA-256, with what they say.
#[derive(Clone)]
struct Known {
    members: moka::sync::Cache<[u8; 32], Named>,
    services: moka::sync::Cache<[u8; 32], (Arc<str>, i64)>,
}

/// What a member's token says.
#[derive(Clone, Copy)]
struct Named {
    user_id: Uuid,
    session_id: Uuid,
    exp: i64,
}

impl Verifier {
    /// Trusts these keys and these sessions.
    #[must_use]
    pub fn new(keys: Arc<TrustedKeys>, sessions: Arc<dyn Sessions>) -> Self {
        let known = Known { members: moka::sync::Cache::new(KNOWN_TOKENS), services: moka::sync::Cache::new(100) };
        Self { keys, sessions, known }
    }

    /// The live session of the bearer token in the metadata.
    ///
    /// # Errors
    /// Unauthenticated without one; Unavailable if auth cannot tell.
    pub async fn session(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let token = bearer(metadata).ok_or_else(unauthenticated)?;
        self.session_of(token).await
    }

    /// Whom the bearer token in the metadata names, before anybody knows whether their session lives: for what may be
    /// looked up meanwhile.
    ///
    /// # Errors
    /// Unauthenticated without one.
    pub fn named_user(&self, metadata: &MetadataMap) -> Result<Uuid, Refusal> {
        bearer(metadata).and_then(|token| self.named(token)).map(|named| named.user_id).ok_or_else(unauthenticated)
    }

    /// The account that a member's token names, by its signature alone: whether its session lives is not asked.
    #[must_use]
    pub fn signed_user(&self, token: &str) -> Option<Uuid> {
        self.named(token).map(|named| named.user_id)
    }

    /// The live session of a token.
    ///
    /// # Errors
    /// As [`Self::session`].
    pub async fn session_of(&self, token: &str) -> Result<Session, Refusal> {
        let named = self.named(token).ok_or_else(unauthenticated)?;
        owned(self.sessions.live(named.session_id).await?, named)
    }

    /// The live session of the bearer token in the metadata, as auth has it at this moment.
    async fn fresh_session(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let named = bearer(metadata).and_then(|token| self.named(token)).ok_or_else(unauthenticated)?;
        owned(self.sessions.fresh(named.session_id).await?, named)
    }

    /// What keeps payouts of an account waiting, as auth has it at this moment.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn payout_state(&self, user_id: Uuid) -> Result<PayoutState, Refusal> {
        self.sessions.payout_state(user_id).await
    }

    /// The calling member, if they may do this. Auth is asked at this moment: a freeze takes effect at once, and so does a
    /// second factor that was set up or given.
    ///
    /// # Errors
    /// As [`Self::session`] and [`Session::member`].
    pub async fn member(&self, metadata: &MetadataMap, act: MemberAct) -> Result<Session, Refusal> {
        self.fresh_session(metadata).await?.member(act)
    }

    /// Whether an account is frozen, as auth has it at this moment.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn is_frozen(&self, user_id: Uuid) -> Result<bool, Refusal> {
        self.sessions.is_frozen(user_id).await
    }

    /// Whom a member's token names, if it is signed as it must be and in force.
    fn named(&self, token: &str) -> Option<Named> {
        let digest = sha256(token);
        if let Some(named) = self.known.members.get(&digest) {
            return is_in_force(named.exp).then_some(named);
        }
        let (claims, _) = self.keys.verify::<MemberClaims>(token, Use::Member, MEMBER_AUDIENCE)?;
        let named = Named { user_id: claims.sub, session_id: claims.sid, exp: claims.exp };
        self.known.members.insert(digest, named);
        Some(named)
    }

    /// The service that a credential names, if it is signed as it must be and in force.
    fn named_service(&self, token: &str) -> Option<Arc<str>> {
        let digest = sha256(token);
        if let Some((name, exp)) = self.known.services.get(&digest) {
            return is_in_force(exp).then_some(name);
        }
        let (claims, name) = self.keys.verify::<ServiceClaims>(token, Use::Service, SERVICE_AUDIENCE)?;
        let name: Arc<str> = name.into();
        self.known.services.insert(digest, (Arc::clone(&name), claims.exp));
        Some(name)
    }

    /// The calling staff member, if they have this permission and, where it takes one, gave a second factor within the
    /// last minutes.
    ///
    /// # Errors
    /// As [`Self::session`], Forbidden for everybody else, and Forbidden (`STEP_UP_REQUIRED`) when the factor was given
    /// longer ago.
    pub async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Refusal> {
        self.staff_with_any(metadata, &[permission]).await
    }

    /// The same with one of several permissions: the use case checks the right one ([`Staff::check`]) once it has read
    /// what the call is about.
    ///
    /// # Errors
    /// As [`Self::staff`].
    pub async fn staff_with_any(&self, metadata: &MetadataMap, permissions: &[Permission]) -> Result<Staff, Refusal> {
        let needs_factor = permissions.iter().any(|permission| permission.needs_fresh_factor());
        let session = if needs_factor { self.fresh_session(metadata).await? } else { self.session(metadata).await? };
        let stepped_up = session.stepped_up;
        let staff = session.staff_with_any(permissions)?;
        if needs_factor && !stepped_up {
            return Err(step_up_required());
        }
        let pen = bearer(metadata).map(|token| Pen::new(Arc::clone(&self.sessions), token));
        Ok(Staff { pen, ..staff })
    }

    /// The name of the calling service, if it is one of those allowed.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn service(&self, metadata: &MetadataMap, allowed: &[&str]) -> Result<String, Refusal> {
        bearer(metadata)
            .and_then(|token| self.named_service(token))
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

/// The bearer token of a call.
#[must_use]
pub fn bearer(metadata: &MetadataMap) -> Option<&str> {
    metadata.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}

/// No session, or a dead one.
#[must_use]
pub fn unauthenticated() -> Refusal {
    Refusal::new(Kind::Unauthenticated, ErrorReason::Unauthenticated, "Please log in to continue.")
}

/// Known, but not allowed to.
#[must_use]
pub fn not_permitted() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::PermissionDenied, "You are not permitted to do this.")
}

/// Somebody whose second factor was given too long ago.
#[must_use]
pub fn step_up_required() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::StepUpRequired, "Please enter a code of your authenticator to do this.")
}

/// Staff whose role is too new to decide anything.
#[must_use]
pub fn role_too_new(decides_from: OffsetDateTime) -> Refusal {
    let at = decides_from + Duration::from_secs(59);
    let message =
        format!("Your role is new. You can decide from {} {:02}:{:02} UTC.", at.date(), at.hour(), at.minute());
    Refusal::new(Kind::Forbidden, ErrorReason::RoleTooNew, message)
}

/// Staff without an authenticator, where one is needed.
#[must_use]
pub fn must_enrol_totp() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::TotpEnrolmentRequired, "Please set up your authenticator first.")
}
