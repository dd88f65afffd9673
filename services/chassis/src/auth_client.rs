//! Client of auth: sessions, payout states and signatures of decisions.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use moka::future::Cache;
use proto::auth::v1::decision_service_client::DecisionServiceClient;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::{
    GetPayoutStateRequest, GetPayoutStateResponse, GetSessionRequest, GetSessionResponse, GetSessionsRequest,
    GetSessionsResponse, GetUsersRequest, ListPermittedStaffRequest, SignDecisionRequest,
};
use time::OffsetDateTime;
use tonic::{Code, Response};

use crate::batch::Batch;
use crate::call;
use crate::clock;
use crate::config::VerifyingService;
use crate::decision::{Decided, Proposer};
use crate::error::{Refusal, from_status};
use crate::grpc::{self, Channel, Outgoing};
use crate::id::{MemberId, SessionId, StaffId};
use crate::identity::{Credential, PayoutState, Session, Sessions, Verifier};
use crate::permission::Permission;

/// How long an answer about a session may be used: half of the promise that a revoked one is refused within 5 s.
pub const SESSION_CACHE: Duration = Duration::from_millis(2_500);
/// How long auth may take to sign a decision.
const SIGNING: Duration = Duration::from_secs(3);

/// Sessions by asking auth, for many at once, each answer used for at most [`SESSION_CACHE`].
pub struct RemoteSessions {
    directory: Directory,
    auth: Batch<SessionId, Result<Option<Session>, Refusal>>,
    cache: Cache<SessionId, Option<Session>>,
}

/// The channel to auth, and a verifier that uses it. Call inside the runtime.
///
/// # Errors
/// If the address is malformed, or a file of keys or certificates cannot be read.
pub fn connect(service: &'static str, settings: &VerifyingService) -> anyhow::Result<(Channel, Verifier)> {
    let auth = grpc::channel("auth", &settings.auth_url, &settings.tls)?;
    let sessions = RemoteSessions::new(auth.clone(), settings.keys.credential(service)?);
    Ok((auth, Verifier::new(settings.signatures(service)?, Arc::new(sessions))))
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

    async fn ask(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
        self.auth.ask(session_id).await.unwrap_or_else(|| {
            tracing::error!("a session lookup was dropped");
            Err(Refusal::unavailable())
        })
    }
}

#[async_trait]
impl Sessions for RemoteSessions {
    async fn live(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
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
    async fn fresh(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
        let session = self.ask(session_id).await?;
        if is_settled(session.as_ref()) {
            self.cache.insert(session_id, session.clone()).await;
        } else {
            self.cache.invalidate(&session_id).await;
        }
        Ok(session)
    }

    async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal> {
        self.directory.is_frozen(user_id).await
    }

    async fn payout_state(
        &self,
        user_id: MemberId,
        destination_known_at: Option<OffsetDateTime>,
    ) -> Result<PayoutState, Refusal> {
        self.directory.payout_state(user_id, destination_known_at).await
    }

    async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal> {
        self.directory.permitted_staff(permission).await
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
    async fn sessions(&self, ids: Vec<SessionId>) -> Vec<Result<Option<Session>, Refusal>> {
        if let [id] = ids[..] {
            return vec![self.session(id).await];
        }
        let message = GetSessionsRequest { session_ids: ids.iter().map(SessionId::to_string).collect() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let asked = call!(self.client, get_sessions, request);
        match asked.await.map(Response::into_inner) {
            Ok(GetSessionsResponse { sessions }) => {
                ids.iter().map(|id| sessions.get(&id.to_string()).map(|one| session(*id, one)).transpose()).collect()
            }
            Err(status) => vec![Err(from_status(&status)); ids.len()],
        }
    }

    async fn session(&self, id: SessionId) -> Result<Option<Session>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(GetSessionRequest { session_id: id.to_string() });
        let asked = call!(self.client, get_session, request);
        match asked.await {
            Ok(answer) => session(id, answer.get_ref()).map(Some),
            Err(status) if status.code() == Code::Unauthenticated => Ok(None),
            Err(status) => Err(from_status(&status)),
        }
    }

    async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal> {
        let message = GetUsersRequest { user_ids: vec![user_id.to_string()] };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_users, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().users.iter().any(|user| user.is_frozen))
    }

    async fn payout_state(
        &self,
        user_id: MemberId,
        destination_known_at: Option<OffsetDateTime>,
    ) -> Result<PayoutState, Refusal> {
        let destination_known_at = destination_known_at.map(clock::to_proto);
        let message = GetPayoutStateRequest { user_id: user_id.to_string(), destination_known_at };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_payout_state, request).await.map_err(|status| from_status(&status))?;
        Ok(payout_state(answer.get_ref()))
    }

    async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal> {
        let message = ListPermittedStaffRequest { permission: permission.as_str().to_owned() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let asked = call!(self.client, list_permitted_staff, request);
        let answer = asked.await.map_err(|status| from_status(&status))?.into_inner();
        answer.user_ids.iter().map(|id| id.parse().map_err(|_| Refusal::unavailable())).collect()
    }

    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal> {
        let message = SignDecisionRequest {
            token: token.to_owned(),
            permission: decided.permission.clone(),
            digest: decided.digest().to_vec(),
            proposer_id: proposer.map(|one| one.id.to_string()).unwrap_or_default(),
            proposer_permission: proposer.map(|one| one.permission.as_str().to_owned()).unwrap_or_default(),
        };
        let request = Outgoing::service(&self.credential).deadline(SIGNING).idempotent(message);
        let answer = call!(self.decisions, sign_decision, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().assertion)
    }
}

fn session(id: SessionId, answer: &GetSessionResponse) -> Result<Session, Refusal> {
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
        factor_proven: answer.is_factor_proven,
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
        disowned_at: at(answer.disowned_at.as_ref()),
    }
}
