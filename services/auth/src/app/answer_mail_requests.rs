//! Issues the codes and links that were asked for, if the address is known and the throttle allows.

use std::time::Duration as Wait;

use chassis::clock;
use chassis::db::Tx;
use time::{Duration, OffsetDateTime};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{App, issuing};
use crate::domain::code::{CODES_AN_HOUR, LinkPurpose, PAUSE, Purpose, RESETS_AN_HOUR};
use crate::error::Error;
use crate::store::mail_requests::{self, Wanted};
use crate::store::{codes, reset_tokens, users};

/// Answers until shutdown: woken by each request of this process, and every second for those of others.
pub async fn run(app: &App, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match answer_next(app).await {
            Ok(true) => {}
            Ok(false) => {
                tokio::select! {
                    () = shutdown.cancelled() => {}
                    () = app.mail_requested.notified() => {}
                    () = tokio::time::sleep(Wait::from_secs(1)) => {}
                }
            }
            Err(error) => {
                tracing::warn!(%error, "codes and links wait");
                let _ = tokio::time::timeout(Wait::from_secs(1), shutdown.cancelled()).await;
            }
        }
    }
}

/// Answers the oldest request; `false` if there is none.
///
/// # Errors
/// The database's; the request then waits.
pub async fn answer_next(app: &App) -> Result<bool, Error> {
    let mut tx = app.db.begin().await?;
    let Some((wanted, email)) = mail_requests::take(&mut tx).await? else { return Ok(false) };
    let now = clock::now(&mut tx).await?;
    match wanted {
        Wanted::Code => {
            for user in users::awaiting_code(&mut tx, &email).await? {
                resend(&mut tx, user.id, &email, now).await?;
            }
        }
        Wanted::Reset => reset(app, &mut tx, &email, now).await?,
    }
    tx.commit().await?;
    Ok(true)
}

async fn resend(tx: &mut Tx, user_id: Uuid, email: &str, now: OffsetDateTime) -> Result<(), Error> {
    // Confirmed or changed again since it was found.
    let Some(user) = users::lock(tx, user_id).await? else { return Ok(()) };
    let is = |address: &str| address.eq_ignore_ascii_case(email);
    let (purpose, address) = match &user.pending_email {
        Some(pending) if is(pending) && user.frozen_at.is_none() => (Purpose::EmailChange, pending),
        _ if user.verified_at.is_none() && is(&user.email) => (Purpose::Registration, &user.email),
        _ => return Ok(()),
    };
    let (sent, last) = codes::sent_since(tx, user.id, now - Duration::HOUR).await?;
    if sent < CODES_AN_HOUR && last.is_none_or(|last| last + PAUSE <= now) {
        issuing::code(tx, user.id, purpose, address, now).await?;
    }
    Ok(())
}

async fn reset(app: &App, tx: &mut Tx, email: &str, now: OffsetDateTime) -> Result<(), Error> {
    let Some(user) = users::find_by_email(tx, email).await? else { return Ok(()) };
    let Some(user) = users::lock(tx, user.id).await? else { return Ok(()) };
    let sent = reset_tokens::sent_since(tx, user.id, now - Duration::HOUR).await?;
    if user.is_open() && sent < RESETS_AN_HOUR {
        // Invited staff have no password to forget: their invitation is sent anew.
        let purpose = if user.password_hash.is_some() { LinkPurpose::Reset } else { LinkPurpose::Invitation };
        issuing::link(tx, &app.secrets, &user, purpose, now).await?;
    }
    Ok(())
}
