//! Writes the published events to the outbox, in the transaction of the change. No event contains a secret.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::{SessionId, UserId};
use chassis::identity::Role;
use chassis::outbox::enqueue;
use chassis::proposal::Proposal;
use proto::auth::v1::{
    AccountClosed, AccountClosing, AccountFrozen, ActivityDisowned, DestinationCodeIssued, EmailChangeRequested,
    EmailChanged, NewDeviceSignedIn, PasswordChanged, PasswordResetRequested, SecondFactorChanged, SessionEnded,
    SignInsRefused, StaffChanged, StaffInvited, UserRegistered, VerificationCodeIssued,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::staff::propose_staff_change::Account;
use crate::domain::code::{CodeId, Destination};
use crate::domain::device::Device;
use crate::domain::second_factor::Change;
use crate::domain::security_link::LinkId;
use crate::domain::user::User;

type Stored = Result<(), sqlx::Error>;

pub async fn user_registered(conn: &mut PgConnection, user_id: UserId) -> Stored {
    enqueue(conn, "auth.v1.user_registered", user_id, &UserRegistered { user_id: user_id.to_string() }).await
}

/// A code is to be mailed.
pub async fn verification_code_issued(conn: &mut PgConnection, code_id: CodeId, user_id: UserId) -> Stored {
    let event = VerificationCodeIssued { reference: code_id.to_string(), user_id: user_id.to_string() };
    enqueue(conn, "auth.v1.verification_code_issued", user_id, &event).await
}

/// A code by which a member confirms where payouts may go is to be mailed.
pub async fn destination_code_issued(
    conn: &mut PgConnection,
    code_id: CodeId,
    user_id: UserId,
    destination: &Destination,
) -> Stored {
    let event = DestinationCodeIssued {
        reference: code_id.to_string(),
        user_id: user_id.to_string(),
        currency: destination.currency.clone(),
        network: destination.network.clone(),
        address: destination.address.clone(),
        memo: destination.memo.clone(),
    };
    enqueue(conn, "auth.v1.destination_code_issued", user_id, &event).await
}

/// A reset link is to be mailed.
pub async fn password_reset_requested(conn: &mut PgConnection, token_id: Uuid, user_id: UserId) -> Stored {
    let event = PasswordResetRequested { reference: token_id.to_string(), user_id: user_id.to_string() };
    enqueue(conn, "auth.v1.password_reset_requested", user_id, &event).await
}

/// An invitation is to be mailed.
pub async fn staff_invited(conn: &mut PgConnection, token_id: Uuid, user: &User) -> Stored {
    let role = user.role.map(|role| role.as_str().to_owned()).unwrap_or_default();
    let event = StaffInvited { reference: token_id.to_string(), user_id: user.id.to_string(), role };
    enqueue(conn, "auth.v1.staff_invited", user.id, &event).await
}

/// Two admins changed who is staff: an account as it is now, what happened to it, and the role before if that is another.
pub async fn staff_changed(
    conn: &mut PgConnection,
    decided: &Proposal,
    (user_id, account): (UserId, &Account),
    (change, previous): (&str, Option<Role>),
) -> Stored {
    let event = StaffChanged {
        user_id: user_id.to_string(),
        change: change.to_owned(),
        name: account.name.clone(),
        email: account.email.clone(),
        role: account.role.as_str().to_owned(),
        previous_role: previous.map(|role| role.as_str().to_owned()).unwrap_or_default(),
        proposed_by: decided.proposed_by.to_string(),
        confirmed_by: decided.decided_by.map(|id| id.to_string()).unwrap_or_default(),
    };
    enqueue(conn, "auth.v1.staff_changed", user_id, &event).await
}

pub async fn password_changed(conn: &mut PgConnection, user_id: UserId, link_id: LinkId) -> Stored {
    let event = PasswordChanged { user_id: user_id.to_string(), link_reference: link_id.to_string() };
    enqueue(conn, "auth.v1.password_changed", user_id, &event).await
}

/// Something happened to the second factors of an account, which then has this many recovery codes. With the link of the
/// mail.
pub async fn second_factor_changed(
    conn: &mut PgConnection,
    user_id: UserId,
    (change, recovery_codes_left, link_id): (Change, i64, LinkId),
    device: &Device,
) -> Stored {
    let event = SecondFactorChanged {
        user_id: user_id.to_string(),
        change: change.into_str().to_owned(),
        device: device.family.clone(),
        address_block: device.block.clone(),
        recovery_codes_left: i32::try_from(recovery_codes_left).unwrap_or(i32::MAX),
        due_at: None,
        link_reference: link_id.to_string(),
    };
    enqueue(conn, "auth.v1.second_factor_changed", user_id, &event).await
}

/// Two people of the staff agreed that the second factors of an account are removed at this moment.
pub async fn factor_reset_scheduled(
    conn: &mut PgConnection,
    user_id: UserId,
    due_at: OffsetDateTime,
    link_id: LinkId,
) -> Stored {
    let event = SecondFactorChanged {
        user_id: user_id.to_string(),
        change: "reset_scheduled".to_owned(),
        due_at: Some(clock::to_proto(due_at)),
        link_reference: link_id.to_string(),
        ..Default::default()
    };
    enqueue(conn, "auth.v1.second_factor_changed", user_id, &event).await
}

/// A member wants another address.
pub async fn email_change_requested(conn: &mut PgConnection, user: &User, new_email: &str, link_id: LinkId) -> Stored {
    let event = EmailChangeRequested {
        user_id: user.id.to_string(),
        old_email: user.email.clone(),
        new_email: new_email.to_owned(),
        link_reference: link_id.to_string(),
    };
    enqueue(conn, "auth.v1.email_change_requested", user.id, &event).await
}

/// A member has another address: with the links of the mail to the old one, and of that to the new one.
pub async fn email_changed(
    conn: &mut PgConnection,
    user: &User,
    new_email: &str,
    (undo_id, link_id): (LinkId, LinkId),
) -> Stored {
    let event = EmailChanged {
        user_id: user.id.to_string(),
        old_email: user.email.clone(),
        new_email: new_email.to_owned(),
        undo_reference: undo_id.to_string(),
        link_reference: link_id.to_string(),
    };
    enqueue(conn, "auth.v1.email_changed", user.id, &event).await
}

/// Somebody logged in from a device the account does not know.
pub async fn new_device_signed_in(
    conn: &mut PgConnection,
    user_id: UserId,
    device: &Device,
    link_id: LinkId,
) -> Stored {
    let event = NewDeviceSignedIn {
        user_id: user_id.to_string(),
        device: device.family.clone(),
        address_block: device.block.clone(),
        link_reference: link_id.to_string(),
    };
    enqueue(conn, "auth.v1.new_device_signed_in", user_id, &event).await
}

/// This many proofs for an account in a row were refused. With a link if they were made in a session, which was ended.
pub async fn sign_ins_refused(
    conn: &mut PgConnection,
    user_id: UserId,
    count: i64,
    (device, link_id): (Option<&Device>, Option<LinkId>),
) -> Stored {
    let event = SignInsRefused {
        user_id: user_id.to_string(),
        count: i32::try_from(count).unwrap_or(i32::MAX),
        device: device.map(|device| device.family.clone()).unwrap_or_default(),
        address_block: device.map(|device| device.block.clone()).unwrap_or_default(),
        link_reference: link_id.map(|id| id.to_string()).unwrap_or_default(),
    };
    enqueue(conn, "auth.v1.sign_ins_refused", user_id, &event).await
}

pub async fn account_frozen(conn: &mut PgConnection, user_id: UserId) -> Stored {
    enqueue(conn, "auth.v1.account_frozen", user_id, &AccountFrozen { user_id: user_id.to_string() }).await
}

/// The account closes at a moment, unless that is called off before. With the link of the mail.
pub async fn account_closing(
    conn: &mut PgConnection,
    user_id: UserId,
    closes_at: OffsetDateTime,
    link_id: LinkId,
) -> Stored {
    let event = AccountClosing {
        user_id: user_id.to_string(),
        closes_at: Some(clock::to_proto(closes_at)),
        link_reference: link_id.to_string(),
    };
    enqueue(conn, "auth.v1.account_closing", user_id, &event).await
}

/// The account was closed.
pub async fn account_closed(conn: &mut PgConnection, user: &User) -> Stored {
    let event = AccountClosed { user_id: user.id.to_string(), email: user.email.clone() };
    enqueue(conn, "auth.v1.account_closed", user.id, &event).await
}

/// A member reported that someone else used the account.
pub async fn activity_disowned(conn: &mut PgConnection, user_id: UserId, reported_at: OffsetDateTime) -> Stored {
    let event = ActivityDisowned { user_id: user_id.to_string(), reported_at: Some(clock::to_proto(reported_at)) };
    enqueue(conn, "auth.v1.activity_disowned", user_id, &event).await
}

/// One session of an account was ended.
pub async fn session_ended(conn: &mut PgConnection, user_id: UserId, session_id: SessionId) -> Stored {
    let event = SessionEnded { session_ids: vec![session_id.to_string()], ..SessionEnded::default() };
    enqueue(conn, "auth.v1.session_ended", user_id, &event).await
}

/// All sessions of an account ended, except one if it is given; `ended` were live.
pub async fn all_sessions_ended(
    conn: &mut PgConnection,
    user_id: UserId,
    except: Option<SessionId>,
    ended: &[SessionId],
) -> Stored {
    let event = SessionEnded {
        session_ids: ended.iter().map(SessionId::to_string).collect(),
        all_of_user_id: user_id.to_string(),
        except_session_id: except.map(|id| id.to_string()).unwrap_or_default(),
    };
    enqueue(conn, "auth.v1.session_ended", user_id, &event).await
}
