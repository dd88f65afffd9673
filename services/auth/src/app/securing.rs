//! A step of several use cases: the owner reported, with a link of a security email, that someone else uses the
//! account. Ends all sessions and stops payouts until the owner sets a new password.

use chassis::db::Tx;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{App, issuing, safeguards, second_factor, security_log};
use crate::domain::code::LinkPurpose;
use crate::domain::safeguard::Change;
use crate::domain::security_event::Kind;
use crate::domain::security_link::{self, Purpose};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::security_links::{self, Link};
use crate::store::{authenticators, passkeys, payout_safeguards, recovery_codes, reset_tokens, sessions, users};

/// Uses the link up; returns its account, locked.
///
/// # Errors
/// [`Error::InvalidLink`] if it is unknown, used or expired.
pub async fn take(tx: &mut Tx, id: Uuid, purpose: Purpose, now: OffsetDateTime) -> Result<(User, Link), Error> {
    let link = security_links::find_live(tx, id, purpose).await?.ok_or(Error::InvalidLink)?;
    let user = users::lock(tx, link.user_id).await?.filter(User::is_open).ok_or(Error::InvalidLink)?;
    if !security_links::consume(tx, id, now).await? {
        return Err(Error::InvalidLink);
    }
    Ok((user, link))
}

/// Puts the address of an undo link in force again, and secures the account.
pub async fn restore(app: &App, tx: &mut Tx, user: User, undo: &Link, now: OffsetDateTime) -> Result<(), Error> {
    if !undo.email.eq_ignore_ascii_case(&user.email) {
        users::set_email(tx, user.id, &undo.email).await?;
        security_log::done(tx, (user.id, user.role), Kind::EmailChangeUndone, None, now).await?;
        safeguards::cool_off(app, tx, user.id, Change::Email, now).await?;
    }
    // Links to earlier addresses stay valid: an earlier owner may undo a later change, never the other way round.
    security_links::supersede_others(tx, user.id, (&undo.email, undo.created_at), now).await?;
    let user = User { email: undo.email.clone(), pending_email: None, ..user };
    secure(app, tx, &user, now).await
}

/// Ends every session, the password and new second factors, calls off the removal of older ones, stops payouts, and mails a
/// link to set a new password. Wallet consumes the event and cancels a withdrawal that its owner never confirmed.
pub async fn secure(app: &App, tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    issuing::withdraw_email_change(tx, user, now).await?;
    if user.password_hash.is_some() {
        users::set_password(tx, user.id, &app.hasher.impossible()).await?;
    }
    forget_new_factors(tx, user, now).await?;
    payout_safeguards::stop(tx, user.id, now).await?;
    if user.is_member() {
        published::activity_disowned(tx, user.id).await?;
    }
    security_log::done(tx, (user.id, user.role), Kind::Disowned, None, now).await?;
    let ended = sessions::revoke_all(tx, user.id, None, now).await?;
    published::session_ended(tx, user.id, &ended).await?;
    reset_tokens::supersede(tx, user.id, now).await?;
    issuing::link(tx, &app.secrets, user, LinkPurpose::Reset, now).await
}

/// Removes the second factors that a member was mailed about within the life of a link: whoever used the account may have
/// added them, and a passkey alone logs in. The others are not lost, whatever staff were told. Staff have lost ones
/// removed by an operator.
async fn forget_new_factors(tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    if !user.is_member() {
        return Ok(());
    }
    second_factor::call_off_reset(tx, user.id).await?;
    let since = now - security_link::LIFE;
    let had_authenticator = authenticators::forget_since(tx, user.id, since).await?;
    passkeys::forget_since(tx, user.id, since).await?;
    if had_authenticator || !second_factor::is_set_up(tx, user.id).await? {
        recovery_codes::replace(tx, user.id, &[]).await?;
    }
    Ok(())
}
