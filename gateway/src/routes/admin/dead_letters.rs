//! Dead letters of all services: events that could not be processed, and their replay.

use axum::extract::Path;
use futures::future::try_join_all;
use proto::common::v1::{DeadLetter as Message, ListDeadLettersRequest, ReplayDeadLetterRequest};
use route_macros::{get, post, response};

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::idempotency::Key;
use crate::http::json::{Answer, Done, ok};
use crate::peers::clients::{Service, call_keyed, call_retrying};

/// An event that could not be processed.
#[response(from = Message)]
pub struct DeadLetter {
    id: String,
    /// The queue, e.g. `wallet.events`.
    queue: String,
    /// The event type, e.g. `auth.v1.user_registered`.
    key: String,
    #[from(cause)]
    reason: String,
    #[nullable]
    at: Option<String>,
}

impl DeadLetter {
    fn new(service: Service, letter: Message) -> Result<Self, ApiError> {
        Ok(Self { id: format!("{}{}", service.prefix(), letter.id), ..from_proto(letter)? })
    }
}

/// The dead letters of all services, newest first.
#[response]
pub struct DeadLetters {
    dead_letters: Vec<DeadLetter>,
}

/// List the dead letters
///
/// Of every service, newest first.
#[get("/admin/dead-letters", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<DeadLetters> {
    let (app, out) = (&caller.app, &caller.out);
    let of_each = Service::WITH_DEAD_LETTERS.map(|service| async move {
        let client = &app.clients.of(service)?.dead_letters;
        let found = call_retrying!(client, list_dead_letters, out, ListDeadLettersRequest {})?.into_inner();
        Ok::<_, ApiError>(found.dead_letters.into_iter().map(move |letter| DeadLetter::new(service, letter)))
    });
    let dead_letters = try_join_all(of_each).await?.into_iter().flatten();
    let mut dead_letters = dead_letters.collect::<Result<Vec<_>, _>>()?;
    dead_letters.sort_by(|one, other| other.at.cmp(&one.at));
    Ok(ok(DeadLetters { dead_letters }))
}

/// Replay a dead letter
///
/// The event is tried once more, at once; if it takes effect it is no dead letter any more.
#[post("/admin/dead-letters/{id}/replay", "Back office")]
pub async fn replay(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<Done> {
    let (service, id) = Service::of_id(&Service::WITH_DEAD_LETTERS, &id).ok_or_else(ApiError::not_found)?;
    let message = ReplayDeadLetterRequest {
        id: id.to_owned(),
        client_address: caller.client.address,
        idempotency: key.bodyless(),
    };
    let client = &caller.app.clients.of(service)?.dead_letters;
    call_keyed!(client, replay_dead_letter, caller.out, message)?.done("The event has taken effect.")
}
