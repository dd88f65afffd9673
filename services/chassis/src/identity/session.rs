//! Live sessions, the permissions of their owners, and their lookup.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use proto::common::v1::ErrorReason;
use time::OffsetDateTime;

use super::refusal::{must_enrol_totp, not_permitted, role_too_new, step_up_required};
use super::role::Role;
use crate::decision::{Decided, Proposer, Signed};
use crate::error::{Kind, Refusal};
use crate::id::{MemberId, SessionId, StaffId, UserId};
use crate::permission::{MemberAct, Permission};

/// A live session: somebody logged in.
#[derive(Debug, Clone)]
pub struct Session {
    /// Id of the session.
    pub id: SessionId,
    /// Account that logged in.
    pub user_id: UserId,
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
    /// Whether the second factor that was given is older than the cooling-off, as auth decides: a younger one may be that of
    /// anyone who has stolen the password, and proves nothing.
    pub factor_proven: bool,
    /// Whether these are staff who have to enrol an authenticator before anything else.
    pub must_enrol: bool,
    /// New staff: from when on they may decide.
    pub decides_from: Option<OffsetDateTime>,
}

impl Session {
    /// The member who logged in, once the session is known to be a member's.
    #[must_use]
    pub const fn member_id(&self) -> MemberId {
        self.user_id.assume_member()
    }

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
    /// Forbidden (`STEP_UP_REQUIRED`) if a fresh second factor is missing.
    pub fn check_factor(&self, act: MemberAct) -> Result<(), Refusal> {
        let is_missing = act.needs_fresh_factor() && self.has_factor && !self.stepped_up;
        if is_missing { Err(step_up_required()) } else { Ok(()) }
    }

    /// Staff with this permission, and with an authenticator where one is needed. Whether the permission takes a fresh
    /// second factor is checked by [`Verifier::staff`](super::Verifier::staff).
    ///
    /// # Errors
    /// Forbidden for everybody else.
    pub fn staff(self, permission: Permission) -> Result<Staff, Refusal> {
        self.staff_with_any(&[permission])
    }

    pub(super) fn staff_with_any(self, permissions: &[Permission]) -> Result<Staff, Refusal> {
        let (must_enrol, decides_from) = (self.must_enrol, self.decides_from);
        let (user_id, role) = (self.user_id, self.role);
        let staff = self.colleague().inspect_err(|_| note_refused(user_id, role, permissions))?;
        if must_enrol {
            return Err(must_enrol_totp());
        }
        if !permissions.iter().any(|one| one.roles().contains(&staff.role)) {
            note_refused(user_id, role, permissions);
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
            Some(role) if !self.frozen => Ok(Staff::new(self.user_id.assume_staff(), role)),
            _ => Err(not_permitted()),
        }
    }
}

/// Logs and counts that somebody tried what they may not do.
fn note_refused(user_id: UserId, role: Option<Role>, permissions: &[Permission]) {
    let caller = if role.is_some() { "staff" } else { "member" };
    let permissions: Vec<_> = permissions.iter().map(|one| one.as_str()).collect();
    metrics::counter!("security_events_total", "kind" => "permission", "outcome" => "refused", "caller" => caller)
        .increment(1);
    tracing::info!(
        target: "security_event",
        kind = "permission",
        outcome = "refused",
        caller,
        %user_id,
        role = role.map(Role::as_str),
        permission = permissions.join(" "),
        "security event"
    );
}

/// A staff member at work.
#[derive(Debug, Clone)]
pub struct Staff {
    /// The person.
    pub id: StaffId,
    /// Role they act in.
    pub role: Role,
    /// Unset for the operator at a command line, whose decisions are not signed.
    pub(super) signer: Option<DecisionSigner>,
}

impl Staff {
    /// Somebody who has nothing signed.
    #[must_use]
    pub const fn new(id: StaffId, role: Role) -> Self {
        Self { id, role, signer: None }
    }

    /// Has auth sign what they decide: a network call, so before the transaction begins. A confirmation names its
    /// proposer, who must still be permitted to propose.
    ///
    /// # Errors
    /// Unauthenticated, Forbidden, Conflict (`PROPOSER_NOT_PERMITTED`), Unavailable if auth cannot sign.
    pub async fn sign(&self, decided: Decided, proposer: Option<Proposer>) -> Result<Signed, Refusal> {
        self.signer.as_ref().ok_or_else(not_permitted)?.sign(decided, proposer).await
    }

    /// Checks a permission that depends on what the call is about, once that is known.
    ///
    /// # Errors
    /// Forbidden without it.
    pub fn check(&self, permission: Permission) -> Result<(), Refusal> {
        if permission.roles().contains(&self.role) {
            return Ok(());
        }
        note_refused(self.id.into(), Some(self.role), &[permission]);
        Err(not_permitted())
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
    /// When the member last logged in from a device for the first time.
    pub new_device_at: Option<OffsetDateTime>,
    /// When the member last reported that someone else used the account.
    pub disowned_at: Option<OffsetDateTime>,
}

/// Where sessions are looked up: auth's own table, or auth over gRPC.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The live session with this id; `None` if there is none, it was revoked, or it expired.
    async fn live(&self, session_id: SessionId) -> Result<Option<Session>, Refusal>;

    /// The same, asked now: no answer that was kept.
    async fn fresh(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
        self.live(session_id).await
    }

    /// Whether this account is frozen, asked now. An unknown one is not.
    async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal>;

    /// What keeps payouts of this account waiting, asked now: those to a destination that is known since a moment. An
    /// unknown account has nothing to wait for.
    async fn payout_state(
        &self,
        user_id: MemberId,
        _destination_known_at: Option<OffsetDateTime>,
    ) -> Result<PayoutState, Refusal> {
        Ok(PayoutState { frozen: self.is_frozen(user_id).await?, ..PayoutState::default() })
    }

    /// The staff accounts that have this permission, by name.
    async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal>;

    /// The assertion that the holder of this token decides this, as [`crate::decision`] says.
    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal>;
}

/// Has decisions of a staff member signed by auth, under that person's token.
#[derive(Clone)]
pub(super) struct DecisionSigner {
    sessions: Arc<dyn Sessions>,
    token: Arc<str>,
}

impl DecisionSigner {
    pub(super) fn new(sessions: Arc<dyn Sessions>, token: &str) -> Self {
        Self { sessions, token: token.into() }
    }

    async fn sign(&self, decided: Decided, proposer: Option<Proposer>) -> Result<Signed, Refusal> {
        let assertion = self.sessions.sign(&self.token, &decided, proposer).await?;
        Ok(Signed { decided, assertion })
    }
}

impl fmt::Debug for DecisionSigner {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecisionSigner")
    }
}
