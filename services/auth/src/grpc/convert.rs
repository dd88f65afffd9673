//! Conversion between messages and the domain.

use chassis::clock;
use chassis::id::SessionId;
use chassis::identity::{PayoutState, Role};
use proto::auth::v1::{
    Client, GetPayoutStateResponse, GetSessionResponse, MemberNote, Passkey as PasskeyMessage,
    SecurityEvent as SecurityEventMessage, Session as SessionMessage, User as UserMessage,
};
use std::str::FromStr;

use crate::app::session::get_session::Found;
use crate::domain::device::Device;
use crate::domain::passkey::Passkey;
use crate::domain::security_event::SecurityEvent;
use crate::domain::session::Session;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::member_notes::Note;

/// Rows of a page unless another size is asked for.
pub const PAGE: u16 = 50;

/// An account as others see it.
pub fn user(user: User) -> UserMessage {
    UserMessage {
        id: user.id.to_string(),
        name: user.name,
        email: user.former_email.unwrap_or(user.email),
        phone: user.phone,
        country: user.country,
        image_key: user.image_key,
        is_verified: user.verified_at.is_some(),
        is_frozen: user.frozen_at.is_some(),
        role: user.role.map(|role| role.as_str().to_owned()).unwrap_or_default(),
        created_at: Some(clock::to_proto(user.created_at)),
        pending_email: user.pending_email.unwrap_or_default(),
        closed_at: user.closed_at.map(clock::to_proto),
        closes_at: user.closes_at.map(clock::to_proto),
    }
}

pub fn users(all: Vec<User>) -> Vec<UserMessage> {
    all.into_iter().map(user).collect()
}

pub fn passkey(passkey: Passkey) -> PasskeyMessage {
    PasskeyMessage {
        id: passkey.id.to_string(),
        name: passkey.name,
        created_at: Some(clock::to_proto(passkey.created_at)),
        last_used_at: passkey.last_used_at.map(clock::to_proto),
    }
}

/// What keeps payouts waiting.
pub fn payout_state(state: &PayoutState) -> GetPayoutStateResponse {
    GetPayoutStateResponse {
        is_frozen: state.frozen,
        is_stopped: state.stopped,
        not_before: state.not_before.map(clock::to_proto),
        email_changed_at: state.email_changed_at.map(clock::to_proto),
        password_changed_at: state.password_changed_at.map(clock::to_proto),
        factors_changed_at: state.factors_changed_at.map(clock::to_proto),
        new_device_at: state.new_device_at.map(clock::to_proto),
        disowned_at: state.disowned_at.map(clock::to_proto),
    }
}

/// The state of a session, as services ask for it.
pub fn state(found: &Found) -> GetSessionResponse {
    let session = &found.session;
    GetSessionResponse {
        user_id: session.user_id.to_string(),
        is_verified: session.verified,
        is_frozen: session.frozen,
        role: session.role.map(|role| role.as_str().to_owned()).unwrap_or_default(),
        stepped_up_at: found.stepped_up.map(|given| clock::to_proto(given.at)),
        expires_at: Some(clock::to_proto(found.ends)),
        is_stepped_up: session.stepped_up,
        must_enrol_totp: session.must_enrol,
        decides_from: session.decides_from.map(clock::to_proto),
        has_second_factor: session.has_factor,
        is_factor_proven: session.factor_proven,
    }
}

/// A session; `current` is the one that asks.
pub fn session(session: Session, current: Option<SessionId>) -> SessionMessage {
    SessionMessage {
        id: session.id.to_string(),
        current: current == Some(session.id),
        created_at: Some(clock::to_proto(session.created_at)),
        last_seen_at: Some(clock::to_proto(session.last_seen_at)),
        device: session.device,
        address: session.address,
    }
}

/// Something that happened to the security of an account.
pub fn security_event(event: SecurityEvent) -> SecurityEventMessage {
    SecurityEventMessage {
        at: Some(clock::to_proto(event.at)),
        kind: event.kind,
        refused: event.refused,
        device: event.device,
        address_block: event.block,
    }
}

pub fn note(note: Note) -> MemberNote {
    MemberNote { author_id: note.author_id.to_string(), at: Some(clock::to_proto(note.at)), text: note.text }
}

pub fn device(client: Option<&Client>) -> Device {
    client.map_or_else(
        || Device::of("", ""),
        |client| Device {
            key: Some(client.device_key.clone()).filter(|key| !key.is_empty()),
            ..Device::of(&client.address, &client.user_agent)
        },
    )
}

/// An id; a malformed one names nothing.
pub fn id<T: FromStr>(text: &str, what: &'static str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::NotFound(what))
}

/// A count as it is sent.
pub fn count(many: i64) -> i32 {
    i32::try_from(many).unwrap_or(i32::MAX)
}

pub fn role(text: &str) -> Result<Role, &'static str> {
    text.parse().map_err(|_| "Choose a role")
}
