//! Server-sent events about changes of the member's own data.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use futures::stream::unfold;
use route_macros::get;
use tokio::sync::broadcast::error::RecvError;

use crate::extract::VerifiedMember;
use crate::http::error::{ApiError, Errors};
use crate::peers::live::Update;

/// Life of one stream. The client reconnects with a fresh token.
const LIFE: Duration = Duration::from_secs(15 * 60);

/// Follow the member's changes
///
/// An event `change` with the event's key as data, for every change of the member's money, when a payment at their quote
/// is seen or confirmed, and for every new notice (`mailer.v1.notice_added`); `reset` when some were missed.
#[get("/events", "Live updates",
    responses((status = 200, description = "Server-sent events", content_type = "text/event-stream", body = String), Errors))]
pub async fn stream(caller: VerifiedMember) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (user_id, session_id) = (caller.session.user_id.to_string(), caller.session.id.to_string());
    let too_many = || ApiError::of_status(StatusCode::TOO_MANY_REQUESTS);
    let listener = caller.app.live.listen(caller.session.user_id).ok_or_else(too_many)?;
    let end = tokio::time::Instant::now() + LIFE;
    let changes = unfold((listener, user_id, session_id), move |(mut listener, user_id, session_id)| async move {
        loop {
            let update = tokio::select! {
                update = listener.updates.recv() => update,
                () = listener.shutdown.cancelled() => return None,
                () = tokio::time::sleep_until(end) => return None,
            };
            let event = match update {
                Ok(Update::Changed { user_id: whose, key }) if whose == user_id => {
                    Event::default().event("change").data(key)
                }
                Ok(Update::Ended { session_ids }) if session_ids.contains(&session_id) => return None,
                Ok(_) => continue,
                Err(RecvError::Lagged(_)) => Event::default().event("reset").data("missed"),
                Err(RecvError::Closed) => return None,
            };
            return Some((Ok(event), (listener, user_id, session_id)));
        }
    });
    Ok(Sse::new(changes).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}
