//! A step of several use cases: the owner reported, with a link of a security email, that someone else uses the
//! account. Ends all sessions and stops payouts until the owner sets a new password.

use chassis::audit;
use chassis::db::Tx;
use serde_json::json;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::account::close_account;
use crate::app::factor::second_factor;
use crate::app::security::{safeguards, security_log};
use crate::app::session::{ending, issuing};
use crate::domain::code::LinkPurpose;
use crate::domain::safeguard::Change;
use crate::domain::security_event::Kind;
use crate::domain::security_link::{self, LinkId, Purpose};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::security_links::{self, Link};
use crate::store::{authenticators, known_devices, passkeys, payout_safeguards, recovery_codes, reset_tokens, users};

/// Uses the link up; returns its account, locked.
///
/// # Errors
/// [`Error::InvalidLink`] if it is unknown, used or expired.
pub async fn take(tx: &mut Tx, id: LinkId, purpose: Purpose, now: OffsetDateTime) -> Result<(User, Link), Error> {
    let link = security_links::find_live(tx, id, purpose).await?.ok_or(Error::InvalidLink)?;
    let user = users::lock(tx, link.user_id).await?.filter(User::is_open).ok_or(Error::InvalidLink)?;
    if !security_links::consume(tx, id, now).await? {
        return Err(Error::InvalidLink);
    }
    Ok((user, link))
}

/// Whether the owner can go on by the mailbox that they know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// A link to set a new password was mailed to it.
    ByMail,
    /// Another account has its address: staff have to find out who the owner is.
    AddressTaken,
}

/// Secures the account, and puts the address of an undo link in force again. The first does not depend on the second: if
/// another account has the address, the account is frozen, and no link is mailed to the person who changed it.
pub async fn restore(app: &App, tx: &mut Tx, user: User, undo: &Link, now: OffsetDateTime) -> Result<Recovered, Error> {
    // Links to earlier addresses stay valid: an earlier owner may undo a later change, never the other way round.
    security_links::supersede_others(tx, user.id, (&undo.email, undo.created_at), now).await?;
    if undo.email.eq_ignore_ascii_case(&user.email) {
        secure(app, tx, &user, now).await?;
    } else if users::restore_email(tx, user.id, &undo.email).await? {
        security_log::done(tx, (user.id, user.role), Kind::EmailChangeUndone, None, now).await?;
        safeguards::cool_off(app, tx, user.id, Change::Email, now).await?;
        secure(app, tx, &user, now).await?;
    } else {
        end_access(app, tx, &user, now).await?;
        users::set_frozen(tx, user.id, Some(now)).await?;
        security_log::done(tx, (user.id, user.role), Kind::Frozen, None, now).await?;
        let after = json!({ "frozen": true, "cause": "ADDRESS_TAKEN", "email": undo.email });
        audit::append_own(tx, "member.freeze", &user.id.to_string(), after).await?;
        return Ok(Recovered::AddressTaken);
    }
    Ok(Recovered::ByMail)
}

/// Ends everybody's access, and mails a link to set a new password.
pub async fn secure(app: &App, tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    end_access(app, tx, user, now).await?;
    issuing::link(tx, &app.secrets, user, LinkPurpose::Reset, now).await
}

/// Ends every session, the password and new second factors, calls off the removal of older ones, and stops payouts. Wallet
/// consumes the event and takes back what was done with the money.
async fn end_access(app: &App, tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    issuing::withdraw_email_change(tx, user, now).await?;
    if user.password_hash.is_some() {
        users::set_password(tx, user.id, &app.hasher.impossible()).await?;
    }
    forget_what_is_new(tx, user, now).await?;
    close_account::call_off(tx, user, now).await?;
    payout_safeguards::stop(tx, user.id, now).await?;
    if user.is_member() {
        published::activity_disowned(tx, user.id, now).await?;
    }
    security_log::done(tx, (user.id, user.role), Kind::Disowned, None, now).await?;
    ending::end_all(tx, user.id, None, now).await?;
    Ok(reset_tokens::supersede(tx, user.id, now).await?)
}

/// Forgets the second factors, recovery codes and devices that a member was mailed about within the life of a link: the person who
/// used the account may have added them, and a passkey alone logs in. The others are not lost, no matter what staff heard.
/// Staff have lost ones removed by an operator.
async fn forget_what_is_new(tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    if !user.is_member() {
        return Ok(());
    }
    second_factor::call_off_reset(tx, user.id).await?;
    let since = now - security_link::LIFE;
    authenticators::forget_since(tx, user.id, since).await?;
    passkeys::forget_since(tx, user.id, since).await?;
    recovery_codes::forget_since(tx, user.id, since).await?;
    if !second_factor::is_set_up(tx, user.id).await? {
        recovery_codes::replace(tx, user.id, &[]).await?;
    }
    known_devices::forget_since(tx, user.id, since).await?;
    Ok(())
}
