//! Server-sent events: the member's own changes as they happen.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use futures::stream::unfold;
use tokio::sync::broadcast::error::RecvError;

use crate::caller::Reader;
use crate::error::{ApiError, Errors};
use crate::router::App;

/// How long one stream lives; the client comes back with a fresh token.
const LIFE: Duration = Duration::from_secs(15 * 60);

/// Follow the member's changes
///
/// An event `change` with the event's key as data, for every change of the member's money; `reset` when some were missed.
#[utoipa::path(get, path = "/events",
    responses((status = 200, description = "Server-sent events", content_type = "text/event-stream", body = String), Errors),
    security(("bearer" = [])), tag = "Live updates")]
pub async fn stream(
    State(app): State<App>,
    Reader(caller): Reader,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let user_id = caller.session.user_id.to_string();
    let end = tokio::time::Instant::now() + LIFE;
    let changes = unfold((app.live.listen(), user_id), move |(mut updates, user_id)| async move {
        loop {
            let update = tokio::time::timeout_at(end, updates.recv()).await.ok()?;
            let event = match update {
                Ok(update) if update.user_id == user_id => Event::default().event("change").data(update.key),
                Ok(_) => continue,
                Err(RecvError::Lagged(_)) => Event::default().event("reset").data("missed"),
                Err(RecvError::Closed) => return None,
            };
            return Some((Ok(event), (updates, user_id)));
        }
    });
    Ok(Sse::new(changes).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}
