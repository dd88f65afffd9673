//! CloseAccount, CheckClosing, KeepAccount: closes a member's account for good, a day after its owner asked for it (D-A12,
//! D-M5). Until then the owner can keep it, in a session or by the link that was mailed. Wallet decides whether anything is open
//! and, if not, opens nothing from then on; while only a withdrawal is open, the closing waits for its payout. The request is a
//! row until wallet has answered, and a sweeper finishes what is due.

use chassis::id::UserId;
use std::time::Duration;

use chassis::clock;
use chassis::db::PgConnection;
use chassis::error::Kind as Refused;
use chassis::identity::Session;
use chassis::sweep::every;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::app::factor::factor_proof::{self, Proof};
use crate::app::security::security_log;
use crate::app::session::{ending, issuing};
use crate::clients::{is_payable, is_paying_out};
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::events::published;
use crate::store::{
    account_closures, authenticators, factor_resets, known_devices, passkeys, recovery_codes, reset_tokens,
    security_links, sessions, users,
};

/// How often closings that are due are looked for.
const PAUSE: Duration = Duration::from_secs(10);

/// Has it closed in a day: by the password, or the fresh second factor of an account that has one. Returns when; a repetition
/// changes nothing.
///
/// # Errors
/// Wrong fields, Forbidden (`STEP_UP_REQUIRED`), [`Error::WrongPassword`], [`Error::TooManyTries`],
/// [`Error::AccountFrozen`]; Conflict (`ACCOUNT_IN_USE`) with what is open; Unavailable if wallet cannot tell.
pub async fn close_account(
    app: &App,
    session: &Session,
    password: &str,
    gives_up_bonus: bool,
) -> Result<OffsetDateTime, Error> {
    let proof = factor_proof::prove(app, session, password).await?;
    match app.wallet.check(session.user_id, gives_up_bonus).await {
        Err(refusal) if !is_paying_out(&refusal) => return Err(refusal.into()),
        _ => {}
    }
    let due_at = request(app, session, proof, gives_up_bonus).await?;
    chassis::crash_point!("auth.close_account.after_request");
    Ok(due_at)
}

/// Checks the proof, and that nothing stands in the way that a payout of the balance would not end.
///
/// # Errors
/// As [`close_account`].
pub async fn check_closing(app: &App, session: &Session, password: &str, gives_up_bonus: bool) -> Result<(), Error> {
    let proof = factor_proof::prove(app, session, password).await?;
    match app.wallet.check(session.user_id, gives_up_bonus).await {
        Err(refusal) if !is_payable(&refusal) => return Err(refusal.into()),
        _ => {}
    }
    let mut tx = app.db.begin().await?;
    admit(&mut tx, proof).await?;
    tx.commit().await?;
    Ok(())
}

async fn admit(conn: &mut PgConnection, proof: Proof<'_>) -> Result<User, Error> {
    let user = proof.admit(conn).await?;
    if !user.is_open() {
        return Err(unauthenticated());
    }
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    Ok(user)
}

async fn request(
    app: &App,
    session: &Session,
    proof: Proof<'_>,
    gives_up_bonus: bool,
) -> Result<OffsetDateTime, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = admit(&mut tx, proof).await?;
    let by = (user.id, session.id);
    let (due_at, is_first) =
        account_closures::insert(&mut tx, by, (now, now + app.closing_delay), gives_up_bonus).await?;
    if is_first {
        security_log::done_in(&mut tx, session.id, (user.id, user.role), Kind::ClosingRequested, now).await?;
        let link = security_links::insert(&mut tx, (user.id, &user.email), Purpose::NotMe, now).await?;
        published::account_closing(&mut tx, user.id, due_at, link).await?;
    }
    tx.commit().await?;
    Ok(due_at)
}

/// Keeps an account that is to be closed.
///
/// # Errors
/// [`Error::NotFound`] if no closing can be called off.
pub async fn keep_account(app: &App, session: &Session) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.filter(User::is_open).ok_or_else(unauthenticated)?;
    if !call_off(&mut tx, &user, now).await? {
        return Err(Error::NotFound("closing"));
    }
    tx.commit().await?;
    Ok(())
}

/// Calls the closing off, in the transaction of what keeps the account; `false` if there is none. The caller holds the
/// account's lock.
pub async fn call_off(conn: &mut PgConnection, user: &User, now: OffsetDateTime) -> Result<bool, Error> {
    let is_kept = account_closures::call_off(&mut *conn, user.id).await?;
    if is_kept {
        security_log::done(conn, (user.id, user.role), Kind::ClosingCalledOff, None, now).await?;
    }
    Ok(is_kept)
}

/// Asks wallet, and closes the account or withdraws the request.
async fn finish(app: &App, user_id: UserId) -> Result<(), Error> {
    let Some(gives_up_bonus) = start(app, user_id).await? else { return Ok(()) };
    let closed = app.wallet.close(user_id, gives_up_bonus).await;
    chassis::crash_point!("auth.close_account.after_wallet");
    match closed {
        Ok(()) => close(app, user_id).await,
        Err(refusal) if is_paying_out(&refusal) => {
            let mut conn = app.db.conn().await?;
            Ok(account_closures::postpone(&mut conn, user_id).await?)
        }
        Err(refusal) => {
            if refusal.kind == Refused::Conflict {
                withdraw(app, user_id).await?;
            }
            Err(refusal.into())
        }
    }
}

/// From here on nothing calls the closing off; whether the bonus is given up. `None` if something called it off before, or the
/// account was frozen since.
async fn start(app: &App, user_id: UserId) -> Result<Option<bool>, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, user_id).await?.ok_or(Error::NotFound("account"))?;
    let starts = if user.frozen_at.is_some() {
        call_off(&mut tx, &user, now).await?;
        None
    } else {
        account_closures::start(&mut tx, user_id).await?
    };
    tx.commit().await?;
    Ok(starts)
}

/// Something was opened since the request: the account stays.
async fn withdraw(app: &App, user_id: UserId) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if account_closures::take(&mut tx, user_id).await?.is_some() {
        security_log::done(&mut tx, (user_id, None), Kind::ClosingCalledOff, None, now).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Closes an account whose wallet is closed: nobody logs in to it any more, and what it was logged in with is forgotten.
async fn close(app: &App, user_id: UserId) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, user_id).await?.ok_or(Error::NotFound("account"))?;
    let session_id = account_closures::take(&mut tx, user.id).await?;
    // Another process may have been quicker.
    if user.closed_at.is_some() {
        return Ok(());
    }
    let session = sessions::find(&mut tx, session_id.unwrap_or_default()).await?;
    let device = session.as_ref().map(security_log::device_of);
    security_log::done(&mut tx, (user.id, user.role), Kind::Closed, device.as_ref(), now).await?;
    issuing::withdraw_email_change(&mut tx, &user, now).await?;
    reset_tokens::supersede(&mut tx, user.id, now).await?;
    authenticators::forget(&mut tx, user.id).await?;
    passkeys::forget(&mut tx, user.id).await?;
    recovery_codes::replace(&mut tx, user.id, &[]).await?;
    factor_resets::call_off(&mut tx, user.id).await?;
    known_devices::forget(&mut tx, user.id).await?;
    users::close(&mut tx, user.id, &app.hasher.impossible(), now).await?;
    ending::end_all(&mut tx, user.id, None, now).await?;
    published::account_closed(&mut tx, &user).await?;
    tx.commit().await?;
    chassis::crash_point!("auth.close_account.after_commit");
    Ok(())
}

/// Finishes the closings that are due, also those that a stopped process, or a wallet that was away, left behind; returns how
/// many were due.
pub async fn finish_all(app: &App) -> Result<usize, Error> {
    let due = account_closures::due(&mut *app.db.conn().await?).await?;
    for user_id in &due {
        match finish(app, *user_id).await {
            Err(Error::Refused(refusal)) => tracing::info!(%user_id, %refusal, "an account was not closed"),
            finished => finished?,
        }
    }
    Ok(due.len())
}

/// Finishes them every ten seconds until shutdown.
pub async fn run(app: &App, shutdown: CancellationToken) {
    // What cannot be finished now waits for the next time.
    every(PAUSE, "accounts to close", shutdown, || async { finish_all(app).await.map(|_| 0) }).await;
}
