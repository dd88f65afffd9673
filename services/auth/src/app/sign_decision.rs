//! SignDecision: signs a decision of a staff member after checking their session, role and second factor (D-B3).

use chassis::db::PgConnection;
use chassis::decision::{AUDIENCE, Assertion, LIFE_SECONDS, Proposer};
use chassis::identity::not_permitted;
use chassis::keys::DECISION_SIGNER;
use chassis::permission::Permission;
use chassis::proposal::proposer_not_permitted;
use chassis::roots::to_hex;
use uuid::Uuid;

use super::App;
use super::get_session::get_session;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::users;

#[derive(Debug, Clone)]
pub struct SignDecision<'a> {
    /// The service that asks.
    pub service: &'a str,
    /// The person's token.
    pub token: &'a str,
    pub permission: Permission,
    /// SHA-256 of what is decided.
    pub digest: [u8; 32],
    /// Who proposed what is confirmed.
    pub proposer: Option<Proposer>,
}

/// Returns the assertion, a JWT.
///
/// # Errors
/// Unauthenticated, Forbidden, Conflict (`PROPOSER_NOT_PERMITTED`).
pub async fn sign_decision(app: &App, wanted: &SignDecision<'_>) -> Result<String, Error> {
    let session_id = app.tokens.session_id(wanted.token).ok_or_else(unauthenticated)?;
    let found = get_session(app, session_id).await?.ok_or_else(unauthenticated)?;
    let staff = found.session.decider(wanted.permission)?;
    if let Some(proposer) = wanted.proposer {
        check_proposer(&mut *app.db.conn().await?, proposer).await?;
    }
    let now = found.now.unix_timestamp();
    let assertion = Assertion {
        iss: DECISION_SIGNER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: staff.user_id,
        exp: now + LIFE_SECONDS,
        iat: now,
        jti: Uuid::new_v4(),
        service: wanted.service.to_owned(),
        role: staff.role,
        sid: session_id,
        factor_at: found.stepped_up_at.map(time::OffsetDateTime::unix_timestamp),
        digest: to_hex(&wanted.digest),
    };
    app.decision_key.sign(&assertion).map_err(|error| Error::Cryptography(error.to_string()))
}

/// Whoever proposed something may still propose it.
async fn check_proposer(conn: &mut PgConnection, proposer: Proposer) -> Result<(), Error> {
    let user = users::find(conn, proposer.id).await?.filter(User::is_open);
    let role = user.filter(|user| user.frozen_at.is_none()).and_then(|user| user.role);
    let is_permitted = role.is_some_and(|role| proposer.permission.roles().contains(&role));
    if is_permitted { Ok(()) } else { Err(proposer_not_permitted().into()) }
}

/// The permission with this name.
///
/// # Errors
/// Forbidden if there is none: nobody has it.
pub fn permission(name: &str) -> Result<Permission, Error> {
    Ok(Permission::named(name).ok_or_else(not_permitted)?)
}
