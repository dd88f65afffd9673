//! Dead letters of all services: events that could not be processed, and their replay.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::common::v1::DeadLetter as Message;
use proto::{mailer::v1 as mailer, wallet::v1 as wallet};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, marked};
use crate::json::{Reply, moment, ok};
use crate::routes::Done;

/// Prefix of the public ids of wallet's dead letters.
const OF_WALLET: &str = "wal_";
const OF_MAILER: &str = "mai_";

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
    fn new(owner: &str, letter: Message) -> Self {
        Self {
            id: format!("{owner}{}", letter.id),
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
    let out = &caller.out;
    let of_wallet = async {
        let message = wallet::ListDeadLettersRequest {};
        Ok::<_, ApiError>(
            call_retrying!(app.clients.wallet_staff, list_dead_letters, out, message)?.into_inner().dead_letters,
        )
    };
    let of_mailer = async {
        let message = mailer::ListDeadLettersRequest {};
        Ok::<_, ApiError>(
            call_retrying!(app.clients.mailer_staff, list_dead_letters, out, message)?.into_inner().dead_letters,
        )
    };
    let (of_wallet, of_mailer) = futures::try_join!(of_wallet, of_mailer)?;
    let mut dead_letters: Vec<DeadLetter> = [(OF_WALLET, of_wallet), (OF_MAILER, of_mailer)]
        .into_iter()
        .flat_map(|(owner, list)| list.into_iter().map(move |letter| DeadLetter::new(owner, letter)))
        .collect();
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
    let metadata = if let Some(id) = id.strip_prefix(OF_WALLET) {
        let message = wallet::ReplayDeadLetterRequest { id: id.to_owned(), client_address, idempotency };
        call_keyed!(app.clients.wallet_staff, replay_dead_letter, out, claim, message)?.into_parts().0
    } else if let Some(id) = id.strip_prefix(OF_MAILER) {
        let message = mailer::ReplayDeadLetterRequest { id: id.to_owned(), client_address, idempotency };
        call_keyed!(app.clients.mailer_staff, replay_dead_letter, out, claim, message)?.into_parts().0
    } else {
        return Err(ApiError::not_found());
    };
    Ok(marked(&metadata, ok(Done::saying("The event has taken effect."))))
}
