//! Who calls: a member or staff by a token of auth and a live session, or a service by a credential of its own. A user
//! id in a request is never taken for who calls.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use futures::future::join_all;
use moka::future::Cache;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::{GetSessionRequest, GetSessionResponse, GetSessionsRequest, GetSessionsResponse};
use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Code, Response};
use uuid::Uuid;

use crate::batch::Batch;
use crate::error::{Kind, Refusal, from_status};
use crate::grpc::{Outgoing, read};
use crate::keys::{LEEWAY_SECONDS, SigningKey, TrustedKeys, Use};

/// The audience of members' tokens.
pub const MEMBER_AUDIENCE: &str = "solvane";
/// The audience of service credentials.
pub const SERVICE_AUDIENCE: &str = "solvane-services";
/// The issuer of members' tokens.
pub const MEMBER_ISSUER: &str = "auth";
/// How long an answer about a session may be used: half of the promise that a revoked one is refused within 5 s.
pub const SESSION_CACHE: Duration = Duration::from_millis(2_500);
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
    /// Whether these are staff who have to enrol an authenticator before anything else.
    pub must_enrol: bool,
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

    /// Staff in one of the roles, with an authenticator where one is needed.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn staff(self, roles: &[Role]) -> Result<Staff, Refusal> {
        let must_enrol = self.must_enrol;
        let staff = self.colleague()?;
        if must_enrol {
            return Err(must_enrol_totp());
        }
        if roles.contains(&staff.role) { Ok(staff) } else { Err(not_permitted()) }
    }

    /// Staff of any role, with or without authenticator: for what they do about their own account.
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn colleague(self) -> Result<Staff, Refusal> {
        match self.role {
            Some(role) if !self.frozen => Ok(Staff { user_id: self.user_id, role }),
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
}

/// Where sessions are looked up: auth's own table, or auth over gRPC.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The live session with this id; `None` if there is none, it was revoked, or it expired.
    async fn live(&self, session_id: Uuid) -> Result<Option<Session>, Refusal>;

    /// The same, without an answer that was kept.
    async fn fresh(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        self.live(session_id).await
    }
}

/// Sessions by asking auth, for many at once, each answer used for at most [`SESSION_CACHE`].
pub struct RemoteSessions {
    auth: Batch<Uuid, Result<Option<Session>, Refusal>>,
    cache: Cache<Uuid, Option<Session>>,
}

impl RemoteSessions {
    /// Asks auth over this channel with this credential. Call inside the runtime.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let directory = Directory { client: DirectoryServiceClient::new(channel), credential };
        let auth = Batch::new(move |ids| {
            let directory = directory.clone();
            async move { directory.sessions(ids).await }
        });
        let cache = Cache::builder().max_capacity(200_000).time_to_live(SESSION_CACHE).build();
        Self { auth, cache }
    }

    async fn ask(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        self.auth.ask(session_id).await.ok_or_else(Refusal::unavailable)?
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
        // Who has just confirmed an email or an authenticator must not wait for the answer to grow old.
        if session.as_ref().is_none_or(|session| !session.verified || session.must_enrol) {
            self.cache.invalidate(&session_id).await;
        }
        Ok(session)
    }

    async fn fresh(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        self.cache.invalidate(&session_id).await;
        self.live(session_id).await
    }
}

/// Auth, as it is asked for sessions.
#[derive(Clone)]
struct Directory {
    client: DirectoryServiceClient<Channel>,
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
        let asked = read(
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
        let asked = read(
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
        must_enrol: answer.must_enrol_totp,
    })
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

    /// The live session of a token.
    ///
    /// # Errors
    /// As [`Self::session`].
    pub async fn session_of(&self, token: &str) -> Result<Session, Refusal> {
        let named = self.named(token).ok_or_else(unauthenticated)?;
        let session = self.sessions.live(named.session_id).await?.ok_or_else(unauthenticated)?;
        if session.user_id == named.user_id { Ok(session) } else { Err(unauthenticated()) }
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

    /// The calling staff member, if in one of the roles.
    ///
    /// # Errors
    /// As [`Self::session`], and Forbidden for everybody else.
    pub async fn staff(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Staff, Refusal> {
        self.session(metadata).await?.staff(roles)
    }

    /// The same, who gave a second factor within the last minutes: for what moves money or stops somebody.
    ///
    /// # Errors
    /// As [`Self::staff`], and Forbidden (`STEP_UP_REQUIRED`) when it is longer ago.
    pub async fn stepped_up(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Staff, Refusal> {
        let session = self.session(metadata).await?;
        let (id, is_known) = (session.id, session.stepped_up);
        let staff = session.staff(roles)?;
        // The answer that was kept may be older than the code that has just been given.
        if is_known || self.sessions.fresh(id).await?.is_some_and(|session| session.stepped_up) {
            return Ok(staff);
        }
        Err(step_up_required())
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

/// Staff whose second factor was given too long ago.
#[must_use]
pub fn step_up_required() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::StepUpRequired, "Please enter a code of your authenticator to do this.")
}

/// Staff without an authenticator, where one is needed.
#[must_use]
pub fn must_enrol_totp() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::TotpEnrolmentRequired, "Please set up your authenticator first.")
}
