//! SignDecision: signs a decision of a staff member after checking their session, role and second factor (D-B3).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::db::PgConnection;
use chassis::decision::{AUDIENCE, Assertion, LIFE_SECONDS, PasskeySignature, Proposer};
use chassis::hex::to_hex;
use chassis::id::SessionId;
use chassis::identity::not_permitted;
use chassis::keys::DECISION_SIGNER;
use chassis::permission::Permission;
use chassis::proposal::proposer_not_permitted;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::App;
use crate::app::session::get_session::get_session;
use crate::domain::second_factor::{Means, SteppedUp};
use crate::domain::totp::STEP_UP_LIFE;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::{decision_signatures, users};

#[derive(Debug, Clone)]
pub struct SignDecision<'a> {
    /// The service that asks.
    pub service: &'a str,
    /// The session of the person.
    pub session_id: SessionId,
    pub permission: Permission,
    /// SHA-256 of what is decided.
    pub digest: [u8; 32],
    /// Who proposed what is confirmed.
    pub proposer: Option<Proposer>,
}

/// Returns the assertion, a JWT.
///
/// # Errors
/// Unauthenticated, Forbidden, [`Error::PasskeySignatureRequired`], Conflict (`PROPOSER_NOT_PERMITTED`).
pub async fn sign_decision(app: &App, wanted: &SignDecision<'_>) -> Result<String, Error> {
    let session_id = wanted.session_id;
    let found = get_session(app, session_id).await?.ok_or_else(unauthenticated)?;
    let staff = found.session.decider(wanted.permission)?;
    if let Some(proposer) = wanted.proposer {
        check_proposer(&mut *app.db.conn().await?, proposer).await?;
    }
    let passkey = own_signature(app, session_id, (found.stepped_up, found.now), wanted.digest).await?;
    chassis::crash_point!("auth.sign_decision.before_signing");
    let now = found.now.unix_timestamp();
    let assertion = Assertion {
        iss: DECISION_SIGNER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: staff.id,
        exp: now + LIFE_SECONDS,
        iat: now,
        jti: Uuid::new_v4(),
        service: wanted.service.to_owned(),
        role: staff.role,
        sid: session_id,
        factor_at: found.stepped_up.map(|given| given.at.unix_timestamp()),
        digest: to_hex(&wanted.digest),
        passkey,
    };
    app.sign(&assertion)
}

/// The signature of a person whose second factor is a passkey: it signs each decision.
async fn own_signature(
    app: &App,
    session_id: SessionId,
    (stepped_up, now): (Option<SteppedUp>, OffsetDateTime),
    digest: [u8; 32],
) -> Result<Option<PasskeySignature>, Error> {
    let since = now - STEP_UP_LIFE;
    if !stepped_up.is_some_and(|given| given.means == Means::Passkey && given.at > since) {
        return Ok(None);
    }
    let mut conn = app.db.conn().await?;
    let kept = decision_signatures::find(&mut conn, session_id, &digest, since).await?;
    let kept = kept.ok_or(Error::PasskeySignatureRequired(digest))?;
    Ok(Some(PasskeySignature {
        public_key: URL_SAFE_NO_PAD.encode(kept.public_key),
        authenticator_data: URL_SAFE_NO_PAD.encode(kept.authenticator_data),
        client_data: URL_SAFE_NO_PAD.encode(kept.client_data),
        signature: URL_SAFE_NO_PAD.encode(kept.signature),
    }))
}

/// Whether the proposer may still propose it.
async fn check_proposer(conn: &mut PgConnection, proposer: Proposer) -> Result<(), Error> {
    let user = users::find(conn, proposer.id.into()).await?.filter(User::is_open);
    let role = user.filter(|user| user.frozen_at.is_none()).and_then(|user| user.role);
    let is_permitted = role.is_some_and(|role| proposer.permission.roles().contains(&role));
    if is_permitted { Ok(()) } else { Err(proposer_not_permitted().into()) }
}

/// The permission with this name.
///
/// # Errors
/// Forbidden if there is no such permission.
pub fn permission(name: &str) -> Result<Permission, Error> {
    Ok(name.parse().map_err(|_| not_permitted())?)
}
