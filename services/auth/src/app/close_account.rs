//! CloseAccount: closes a member's account for good (D-A12). Wallet decides whether anything is open and, if not, opens
//! nothing from then on. The request is a row until wallet has answered, and a sweeper finishes what a stopped process
//! left behind.

use std::time::Duration;

use chassis::clock;
use chassis::error::Kind as Refused;
use chassis::identity::Session;
use chassis::sweep::every;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::factor_proof::{self, Proof};
use super::{App, issuing, security_log};
use crate::domain::security_event::Kind;
use crate::error::{Error, unauthenticated};
use crate::events::published;
use crate::store::{
    account_closures, authenticators, factor_resets, known_devices, passkeys, recovery_codes, reset_tokens, sessions,
    users,
};

/// How often unfinished closings are looked for.
const PAUSE: Duration = Duration::from_secs(10);

/// Closes it: by the password, or the fresh second factor of an account that has one.
///
/// # Errors
/// Wrong fields, Forbidden (`STEP_UP_REQUIRED`), [`Error::WrongPassword`], [`Error::TooManyTries`],
/// [`Error::AccountFrozen`]; Conflict (`ACCOUNT_IN_USE`) with what is open; Unavailable if wallet cannot tell, and then
/// closing goes on.
pub async fn close_account(app: &App, session: &Session, password: &str) -> Result<(), Error> {
    let proof = factor_proof::prove(app, session, password).await?;
    request(app, session, proof).await?;
    chassis::crash_point!("auth.close_account.after_request");
    finish(app, session.user_id).await
}

async fn request(app: &App, session: &Session, proof: Proof<'_>) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = proof.admit(&mut tx).await?;
    if !user.is_open() {
        return Err(unauthenticated());
    }
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    account_closures::insert(&mut tx, user.id, session.id, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Asks wallet, and closes the account or withdraws the request.
async fn finish(app: &App, user_id: Uuid) -> Result<(), Error> {
    let closed = app.wallet.close(user_id).await;
    chassis::crash_point!("auth.close_account.after_wallet");
    match closed {
        Ok(()) => close(app, user_id).await,
        Err(refusal) => {
            if refusal.kind == Refused::Conflict {
                let mut tx = app.db.begin().await?;
                account_closures::take(&mut tx, user_id).await?;
                tx.commit().await?;
            }
            Err(refusal.into())
        }
    }
}

/// Closes an account whose wallet is closed: nobody logs in to it any more, and what it was logged in with is forgotten.
async fn close(app: &App, user_id: Uuid) -> Result<(), Error> {
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
    let ended = sessions::revoke_all(&mut tx, user.id, None, now).await?;
    published::session_ended(&mut tx, user.id, &ended).await?;
    published::account_closed(&mut tx, &user).await?;
    tx.commit().await?;
    chassis::crash_point!("auth.close_account.after_commit");
    Ok(())
}

/// Finishes closings that a stopped process, or a wallet that was away, left behind; returns how many were due.
pub async fn finish_all(app: &App) -> Result<usize, Error> {
    let unfinished = account_closures::unfinished(&mut *app.db.conn().await?).await?;
    for user_id in &unfinished {
        match finish(app, *user_id).await {
            Err(Error::Refused(refusal)) => tracing::info!(%user_id, %refusal, "an account was not closed"),
            finished => finished?,
        }
    }
    Ok(unfinished.len())
}

/// Finishes them every ten seconds until shutdown.
pub async fn run(app: &App, shutdown: CancellationToken) {
    // What cannot be finished now waits for the next time.
    every(PAUSE, "unfinished closings", shutdown, || async { finish_all(app).await.map(|_| 0) }).await;
}
