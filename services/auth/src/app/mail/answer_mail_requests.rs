//! Issues the requested codes and links, if the address is known and the throttle allows it.

use chassis::id::UserId;
use std::time::Duration as Wait;

use chassis::clock;
use chassis::db::Tx;
use time::{Duration, OffsetDateTime};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::app::session::issuing;
use crate::domain::code::{
    CODES_AN_HOUR, Handle, LinkPurpose, NewCode, PAUSE, Purpose, RESETS_AN_HOUR, Request, STRANGERS_CODES,
    STRANGERS_RESETS,
};
use crate::domain::user::User;
use crate::error::Error;
use crate::store::mail_requests::{self, MailRequest, Wanted};
use crate::store::{codes, known_devices, reset_tokens, users};

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
                tracing::warn!(%error, "could not answer mail requests, will retry");
                let _ = tokio::time::timeout(Wait::from_secs(1), shutdown.cancelled()).await;
            }
        }
    }
}

/// Answers the oldest request; `false` if there is none.
///
/// # Errors
/// If the database failed; the request then stays queued.
pub async fn answer_next(app: &App) -> Result<bool, Error> {
    let mut tx = app.db.begin().await?;
    let Some(request) = mail_requests::take(&mut tx).await? else { return Ok(false) };
    let now = clock::now(&mut tx).await?;
    match request.wanted {
        Wanted::Code => {
            for user_id in addressed(&mut tx, &request).await? {
                resend(&mut tx, user_id, &request, now).await?;
            }
        }
        Wanted::Reset => reset(app, &mut tx, &request, now).await?,
    }
    chassis::crash_point!("auth.mail_requests.before_commit");
    tx.commit().await?;
    chassis::crash_point!("auth.mail_requests.after_commit");
    Ok(true)
}

/// The accounts that get a code: the one that asks, if it waits for a code to this address; else the one registered with
/// it; else those that change to it.
async fn addressed(tx: &mut Tx, request: &MailRequest) -> Result<Vec<UserId>, Error> {
    if let Some(id) = request.asker.and_then(Handle::account) {
        let asking = users::find(tx, id).await?.filter(|user| awaited(user, &request.email).is_some());
        if asking.is_some() {
            return Ok(vec![id]);
        }
    }
    let mut waiting = users::awaiting_code(tx, &request.email).await?;
    if waiting.first().is_some_and(|user| user.email.eq_ignore_ascii_case(&request.email)) {
        waiting.truncate(1);
    }
    Ok(waiting.into_iter().map(|user| user.id).collect())
}

/// The code to this address that an account waits for.
fn awaited<'a>(user: &'a User, email: &str) -> Option<(Purpose, &'a str)> {
    let is = |address: &str| address.eq_ignore_ascii_case(email);
    match &user.pending_email {
        _ if !user.is_open() => None,
        Some(pending) if is(pending) && user.frozen_at.is_none() => Some((Purpose::EmailChange, pending)),
        _ if user.verified_at.is_none() && is(&user.email) => Some((Purpose::Registration, &user.email)),
        _ => None,
    }
}

async fn resend(tx: &mut Tx, user_id: UserId, asked: &MailRequest, now: OffsetDateTime) -> Result<(), Error> {
    let Some(user) = users::lock(tx, user_id).await? else { return Ok(()) };
    // Confirmed or changed again since it was found.
    let Some((purpose, email)) = awaited(&user, &asked.email) else { return Ok(()) };
    let is_own = asked.asker.and_then(Handle::account) == Some(user.id);
    let request = if is_own { None } else { Some(request(tx, &user, asked).await?) };
    let block = request.map(|request| request.block);
    let (sent, last) = codes::sent_since(tx, user.id, block, now - Duration::HOUR).await?;
    // A visitor needs none just after the account got one.
    let (_, own_last) = codes::sent_since(tx, user.id, None, now - PAUSE).await?;
    let has_room = match request {
        Some(request) if request.is_strangers => codes::of_strangers(tx, user.id).await? < STRANGERS_CODES,
        _ => true,
    };
    if sent < CODES_AN_HOUR && last.max(own_last).is_none_or(|last| last + PAUSE <= now) && has_room {
        issuing::code(tx, &NewCode { user_id, purpose, email, request }, now).await?;
    }
    Ok(())
}

async fn reset(app: &App, tx: &mut Tx, asked: &MailRequest, now: OffsetDateTime) -> Result<(), Error> {
    let Some(user) = users::find_by_email(tx, &asked.email).await? else { return Ok(()) };
    let Some(user) = users::lock(tx, user.id).await? else { return Ok(()) };
    let request = request(tx, &user, asked).await?;
    let sent = reset_tokens::sent_since(tx, user.id, request.block, now - Duration::HOUR).await?;
    let has_room = !request.is_strangers || reset_tokens::of_strangers(tx, user.id).await? < STRANGERS_RESETS;
    if user.is_open() && sent < RESETS_AN_HOUR && has_room {
        if user.password_hash.is_some() {
            let (purpose, ends) = (LinkPurpose::Reset, now + LinkPurpose::Reset.life());
            issuing::requested_link(tx, &app.secrets, &user, (purpose, request), (now, ends)).await?;
        } else if let Some(ends) = reset_tokens::invited_until(tx, user.id).await?.filter(|ends| *ends > now) {
            // Invited staff have no password to forget: their invitation is sent again, and ends when it would have.
            let purpose = LinkPurpose::Invitation;
            issuing::requested_link(tx, &app.secrets, &user, (purpose, request), (now, ends)).await?;
        }
    }
    Ok(())
}

/// What a visitor asked of an account. Who asks from an address block that the account knows has a share that strangers do
/// not use up.
async fn request<'a>(tx: &mut Tx, user: &User, asked: &'a MailRequest) -> Result<Request<'a>, Error> {
    let is_strangers = !known_devices::knows_block(tx, user.id, &asked.block).await?;
    Ok(Request { block: &asked.block, is_strangers, id: asked.asker.and_then(Handle::request) })
}
