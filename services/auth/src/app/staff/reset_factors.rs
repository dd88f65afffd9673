//! Removes lost second factors of members, 72 hours after two reviewers agreed (D-A3).

use chassis::id::UserId;
use std::time::Duration;

use chassis::db::PgConnection;
use chassis::proposal::Proposal;
use chassis::sweep::every;
use chassis::{audit, clock};
use serde_json::json;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::session::ending;
use crate::domain::device::Device;
use crate::domain::second_factor::Change;
use crate::domain::security_link::Purpose;
use crate::domain::totp::RESET_DELAY;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{authenticators, factor_resets, passkeys, recovery_codes, security_links, users};

/// Looks every minute until shutdown.
pub async fn run(app: &App, shutdown: CancellationToken) {
    every(Duration::from_mins(1), "lost second factors", shutdown, || reset_next(app)).await;
}

/// Writes when the factors of a confirmed proposal go, and has the member mailed.
///
/// # Errors
/// [`Error::Stale`] if the member has no factor any more, or it was agreed before.
pub async fn schedule(conn: &mut PgConnection, decided: &Proposal, now: OffsetDateTime) -> Result<UserId, Error> {
    let id = decided.subject_id.ok_or(Error::NotFound("member"))?;
    let user = users::lock(conn, id.into()).await?.filter(User::is_member).ok_or(Error::NotFound("member"))?;
    if !second_factor::is_set_up(conn, user.id).await? {
        return Err(Error::Stale);
    }
    let due_at = now + RESET_DELAY;
    if !factor_resets::insert(conn, user.id, decided.id, due_at).await? {
        return Err(Error::Stale);
    }
    let link = security_links::insert(conn, (user.id, &user.email), Purpose::NotMe, now).await?;
    published::factor_reset_scheduled(conn, user.id, due_at, link).await?;
    Ok(user.id)
}

/// Removes the factors of one member whose time has come, and ends their sessions; `false` if there is none.
pub async fn reset_next(app: &App) -> Result<bool, Error> {
    let mut tx = app.db.begin().await?;
    let Some(id) = factor_resets::next_due(&mut tx).await? else { return Ok(false) };
    let user = users::lock(&mut tx, id).await?.ok_or(Error::NotFound("member"))?;
    // Under the lock: another process may have been quicker, or the member used a factor.
    let Some(proposal_id) = factor_resets::take_due(&mut tx, user.id).await? else { return Ok(true) };
    let now = clock::now(&mut tx).await?;
    authenticators::forget(&mut tx, user.id).await?;
    passkeys::forget(&mut tx, user.id).await?;
    recovery_codes::replace(&mut tx, user.id, &[]).await?;
    second_factor::acquit(&mut tx, user.id).await?;
    ending::end_all(&mut tx, user.id, None, now).await?;
    second_factor::note(&mut tx, &user, Change::RemovedByStaff, &Device::of("", "")).await?;
    let after = json!({ "proposalId": proposal_id, "enrolled": false });
    audit::append_own(&mut tx, "member.factors_removed", &user.id.to_string(), after).await?;
    tx.commit().await?;
    Ok(true)
}
