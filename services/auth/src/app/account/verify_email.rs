//! VerifyEmail: confirms an address with the code sent to it, after a registration or an email change.

use chassis::clock;
use chassis::db::Tx;
use chassis::id::UserId;
use chassis::identity::Session;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::security::{safeguards, security_log};
use crate::app::session::{ending, issuing};
use crate::domain::code::{Handle, Purpose};
use crate::domain::device::Device;
use crate::domain::email::Email;
use crate::domain::safeguard::Change;
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose as LinkFor;
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::codes::{Consumed, Tried};
use crate::store::{codes, login_throttles, reset_tokens, security_links, users};

/// A code as somebody typed it.
#[derive(Debug, Clone)]
pub struct Submission<'a> {
    /// The address that it was mailed to.
    pub email: Email,
    /// Six digits, as typed.
    pub code: &'a str,
    /// The session it comes from, if it lives.
    pub session: Option<Session>,
    /// The handle that came with it, if one did.
    pub handle: Option<Handle>,
    pub device: Device,
}

impl Submission<'_> {
    /// Whether it comes from who registered an account, or logged in to it.
    fn is_of(&self, user_id: UserId) -> bool {
        self.session.as_ref().is_some_and(|session| session.user_id == user_id)
            || self.handle.and_then(Handle::account) == Some(user_id)
    }
}

/// Confirms. The submission is counted, and the count committed, before the comparison: for the account or the request
/// that the code belongs to, so that it has five however many come at once; for everybody else by their address and by
/// the email, so that strangers only slow down each other (D-A2).
///
/// Anyone who enters the code of a registration without its session or handle reads the mailbox, but may not be
/// the person who chose the password: it is gone then, with every session, and the token of a link to set one is returned.
///
/// # Errors
/// [`Error::InvalidCode`], also if another account took the new address meanwhile; [`Error::TooManyTries`].
pub async fn verify_email(app: &App, submission: &Submission<'_>) -> Result<Option<String>, Error> {
    let owner = submission.session.as_ref().map(|session| session.user_id);
    let owner = owner.or_else(|| submission.handle.and_then(Handle::account));
    let verified = verify(app, submission).await;
    verified.inspect_err(|error| security_log::email_code(error, owner, Some(&submission.device)))
}

async fn verify(app: &App, submission: &Submission<'_>) -> Result<Option<String>, Error> {
    let tried = count_bound(app, submission).await?;
    let is_visitors = submission.handle.is_none_or(|handle| handle.request().is_some());
    match right(app, &tried.codes, submission) {
        Ok(code) => {
            let mut tx = app.db.begin().await?;
            let token = confirm(app, &mut tx, code, submission).await?;
            tx.commit().await?;
            Ok(token)
        }
        // The handle of another browser takes nothing from the right code.
        Err(_) if !tried.is_own && is_visitors => verify_unbound(app, submission).await,
        Err(error) => Err(error),
    }
}

/// The codes that were tried, and whether they are all that the account has.
struct Bound {
    codes: Vec<Tried>,
    is_own: bool,
}

/// Counts the submission on the codes that belong to the session or the handle.
async fn count_bound(app: &App, submission: &Submission<'_>) -> Result<Bound, Error> {
    let email = submission.email.as_str();
    let mut conn = app.db.conn().await?;
    let session = submission.session.as_ref().map(|session| session.user_id);
    for account in [session, submission.handle.and_then(Handle::account)].into_iter().flatten() {
        let codes = codes::count_own_attempt(&mut conn, account, email).await?;
        if !codes.is_empty() {
            return Ok(Bound { codes, is_own: true });
        }
    }
    let codes = match submission.handle.and_then(Handle::request) {
        Some(id) => codes::count_requested_attempt(&mut conn, id, email).await?,
        None => Vec::new(),
    };
    Ok(Bound { codes, is_own: false })
}

/// Without the session or handle that a code belongs to.
async fn verify_unbound(app: &App, submission: &Submission<'_>) -> Result<Option<String>, Error> {
    let counters = [Counter::codes_from(&submission.device), Counter::codes_to(&submission.email.folded())];
    let mut tx = app.db.begin().await?;
    for counter in &counters {
        if let Some(wait) = login_throttles::charge(&mut tx, counter).await? {
            return Err(Error::TooManyTries(wait));
        }
    }
    let tried = codes::live(&mut tx, submission.email.as_str()).await?;
    tx.commit().await?;
    let code = right(app, &tried, submission)?;
    let mut tx = app.db.begin().await?;
    let [from, to] = &counters;
    login_throttles::give_back(&mut tx, from).await?;
    login_throttles::clear(&mut tx, to).await?;
    let token = confirm(app, &mut tx, code, submission).await?;
    tx.commit().await?;
    Ok(token)
}

fn right<'a>(app: &App, tried: &'a [Tried], submission: &Submission<'_>) -> Result<&'a Tried, Error> {
    tried.iter().find(|tried| app.secrets.is_code(tried.id, submission.code)).ok_or(Error::InvalidCode)
}

async fn confirm(app: &App, tx: &mut Tx, code: &Tried, submission: &Submission<'_>) -> Result<Option<String>, Error> {
    let now = clock::now(tx).await?;
    let user = users::lock(tx, code.user_id).await?.ok_or(Error::InvalidCode)?;
    let Consumed { purpose, email, .. } = codes::consume(tx, code.id, now).await?.ok_or(Error::InvalidCode)?;
    let is_registration = purpose == Purpose::Registration.into_str();
    // The others have done their part.
    let purpose = if is_registration { Purpose::Registration } else { Purpose::EmailChange };
    codes::supersede(tx, user.id, purpose, now).await?;
    if is_registration {
        users::verify(tx, user.id, now).await?;
        if !submission.is_of(user.id) && user.verified_at.is_none() {
            return take_over(app, tx, &user, now).await.map(Some);
        }
    } else if user.frozen_at.is_some() {
        return Err(Error::InvalidCode);
    } else {
        change_email(app, tx, (&user, &email), submission.session.as_ref(), now).await?;
    }
    Ok(None)
}

/// Gives a new account to the owner of its mailbox; returns the token of a link to set a password.
async fn take_over(app: &App, tx: &mut Tx, user: &User, now: OffsetDateTime) -> Result<String, Error> {
    users::set_password(tx, user.id, &app.hasher.impossible()).await?;
    ending::end_all(tx, user.id, None, now).await?;
    issuing::shown_link(tx, &app.secrets, user, now).await
}

/// Puts the address in force, and ends every session but the one that confirms it (D-A1).
async fn change_email(
    app: &App,
    tx: &mut Tx,
    (user, email): (&User, &str),
    session: Option<&Session>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    users::set_email(tx, user.id, email).await.map_err(taken_is_invalid)?;
    // A link that waits in the old mailbox opens nothing any more.
    reset_tokens::supersede(tx, user.id, now).await?;
    let own = session.filter(|session| session.user_id == user.id).map(|session| session.id);
    ending::end_all(tx, user.id, own, now).await?;
    safeguards::cool_off(app, tx, user.id, Change::Email, now).await?;
    security_log::done(tx, (user.id, user.role), Kind::EmailChanged, None, now).await?;
    let undo = security_links::insert(tx, (user.id, &user.email), LinkFor::Undo, now).await?;
    let not_me = security_links::insert(tx, (user.id, email), LinkFor::NotMe, now).await?;
    Ok(published::email_changed(tx, user, email, (undo, not_me)).await?)
}

/// The response does not reveal whether another account took the address meanwhile (D-A13).
fn taken_is_invalid(error: sqlx::Error) -> Error {
    match Error::from(error) {
        Error::EmailTaken => Error::InvalidCode,
        other => other,
    }
}
