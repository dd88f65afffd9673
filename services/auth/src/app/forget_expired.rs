//! Deletes expired sessions, codes, links, throttles and requests.

use std::time::Duration;

use chassis::sweep::every;
use tokio_util::sync::CancellationToken;

use super::App;
use crate::error::Error;
use crate::store::{
    codes, decision_signatures, destination_codes, login_throttles, mail_requests, reset_tokens, security_events,
    security_links, sessions, used_challenges,
};

/// Forgets every ten minutes until shutdown.
pub async fn run(app: &App, shutdown: CancellationToken) {
    every(Duration::from_mins(10), "expired rows", shutdown, || forget_expired(app)).await;
}

/// Forgets once, some of each; returns how many rows went.
pub async fn forget_expired(app: &App) -> Result<u64, Error> {
    let mut conn = app.db.conn().await?;
    Ok(sessions::sweep(&mut conn).await?
        + codes::sweep(&mut conn).await?
        + decision_signatures::sweep(&mut conn).await?
        + destination_codes::sweep(&mut conn).await?
        + reset_tokens::sweep(&mut conn).await?
        + security_links::sweep(&mut conn).await?
        + login_throttles::sweep(&mut conn).await?
        + mail_requests::sweep(&mut conn).await?
        + used_challenges::sweep(&mut conn).await?
        + security_events::sweep(&mut conn).await?)
}
