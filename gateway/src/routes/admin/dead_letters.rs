//! Dead letters of all services: events that could not be processed, and their replay.

use axum::extract::{Path, State};
use axum::response::Response;
use futures::future::try_join_all;
use proto::common::v1::{DeadLetter as Message, ListDeadLettersRequest, ReplayDeadLetterRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{Service, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, marked};
use crate::json::{Reply, moment, ok};
use crate::routes::Done;

/// An event that could not be processed.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeadLetter {
    id: String,
    /// The queue, e.g. `wallet.events`.
    queue: String,
    /// The event type, e.g. `auth.v1.user_registered`.
    key: String,
    reason: String,
    at: Option<String>,
}

impl DeadLetter {
    fn new(service: Service, letter: Message) -> Self {
        Self {
            id: format!("{}{}", service.prefix(), letter.id),
            queue: letter.queue,
            key: letter.key,
            reason: letter.cause,
            at: moment(letter.parked_at.as_ref()),
        }
    }
}

/// The dead letters of all services, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLetters {
    success: bool,
    dead_letters: Vec<DeadLetter>,
}

/// List the dead letters
///
/// Of every service, newest first.
#[utoipa::path(get, path = "/admin/dead-letters", responses((status = 200, body = DeadLetters), Errors), tag = "Back office")]
pub async fn list(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<DeadLetters>, ApiError> {
    let (app, out) = (&app, &caller.out);
    let of_each = Service::WITH_DEAD_LETTERS.map(|service| async move {
        let client = &app.clients.of(service)?.dead_letters;
        let found = call_retrying!(client, list_dead_letters, out, ListDeadLettersRequest {})?.into_inner();
        Ok::<_, ApiError>(found.dead_letters.into_iter().map(move |letter| DeadLetter::new(service, letter)))
    });
    let mut dead_letters: Vec<_> = try_join_all(of_each).await?.into_iter().flatten().collect();
    dead_letters.sort_by(|one, other| other.at.cmp(&one.at));
    Ok(ok(DeadLetters { success: true, dead_letters }))
}

/// Replay a dead letter
///
/// The event is tried once more, at once; if it takes effect it is no dead letter any more.
#[utoipa::path(post, path = "/admin/dead-letters/{id}/replay",
    params(("id" = String, Path), Key),
    responses((status = 200, body = Done), Errors), tag = "Back office")]
pub async fn replay(
    State(app): State<App>,
    StaffMember(SignedIn { client, out, .. }): StaffMember,
    Path(id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    let (client_address, idempotency) = (client.address, key.bodyless());
    let claim = idempotency.clone();
    let (service, id) = Service::of_id(&Service::WITH_DEAD_LETTERS, &id).ok_or_else(ApiError::not_found)?;
    let message = ReplayDeadLetterRequest { id: id.to_owned(), client_address, idempotency };
    let client = &app.clients.of(service)?.dead_letters;
    let metadata = call_keyed!(client, replay_dead_letter, out, claim, message)?.into_parts().0;
    Ok(marked(&metadata, ok(Done::saying("The event has taken effect."))))
}
