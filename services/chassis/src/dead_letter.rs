//! Dead letters: events that can never take effect. They are stored next to the inbox, in the table `dead_letters`, shown
//! to staff, and replayed when the cause is fixed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use proto::common::v1::dead_letter_service_server::DeadLetterService;
use proto::common::v1::{
    DeadLetter, ErrorReason, ListDeadLettersRequest, ListDeadLettersResponse, ReplayDeadLetterRequest,
    ReplayDeadLetterResponse,
};
use serde_json::json;
use time::OffsetDateTime;
use tonic::{Request, Response};
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::bus::{Effect, Event, HandleError, Handler};
use crate::clock;
use crate::db::{Db, PgConnection};
use crate::error::{Fault, Kind, Meaning, Refusal, to_status};
use crate::grpc::{Reply, answer};
use crate::idempotency::{self, Answer, Work};
use crate::identity::Verifier;
use crate::inbox;
use crate::permission::Permission;
use crate::staff_call::StaffCall;

/// Maximum dead letters in a list.
const SHOWN: i64 = 500;

/// The dead letters of a service, for staff.
pub struct DeadLetters {
    db: Db,
    verifier: Verifier,
    queue: &'static str,
    handler: Arc<dyn Handler>,
}

impl DeadLetters {
    /// Serves those of this queue, which are replayed by the handler of its events.
    #[must_use]
    pub fn new(db: Db, verifier: Verifier, queue: &'static str, handler: Arc<dyn Handler>) -> Self {
        Self { db, verifier, queue, handler }
    }
}

#[tonic::async_trait]
impl DeadLetterService for DeadLetters {
    async fn list_dead_letters(&self, request: Request<ListDeadLettersRequest>) -> Reply<ListDeadLettersResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let mut conn = self.db.conn().await.map_err(|error| to_status(&error))?;
        let dead_letters = list(&mut conn, self.queue).await.map_err(|error| to_status(&error))?;
        Ok(Response::new(ListDeadLettersResponse { dead_letters }))
    }

    async fn replay_dead_letter(&self, request: Request<ReplayDeadLetterRequest>) -> Reply<ReplayDeadLetterResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ReplayDeadLetters).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = Replay { call, event_id: message.id };
        let done = replay(&self.db, &*self.handler, &command).await.map_err(|error| to_status(&error))?;
        Ok(answer(done.map(|()| ReplayDeadLetterResponse {})))
    }
}

/// Why a dead letter was not replayed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }
}

#[derive(Debug)]
struct Stored {
    event_id: String,
    key: String,
    payload: Vec<u8>,
    cause: String,
    at: OffsetDateTime,
}

impl Stored {
    fn event(&self) -> Option<Event> {
        let id: Uuid = self.event_id.parse().ok()?;
        // The id of an own event shows when it was made.
        let made = id.get_timestamp().and_then(|at| i64::try_from(at.to_unix().0).ok());
        let made = made.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        Some(Event {
            id,
            key: self.key.clone(),
            // No other event is at work beside it.
            aggregate_id: id,
            payload: self.payload.clone(),
            at: made.unwrap_or(self.at),
        })
    }
}

/// Stores an event that can never take effect, for staff to see and replay.
pub async fn keep(
    conn: &mut PgConnection,
    id: &str,
    key: &str,
    payload: &[u8],
    cause: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO dead_letters (event_id, key, payload, cause) VALUES ($1, $2, $3, $4)
         ON CONFLICT (event_id) DO UPDATE SET cause = excluded.cause",
        id,
        key,
        payload,
        cause
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of dead letters.
pub async fn count(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM dead_letters"#).fetch_one(conn).await
}

/// The dead letters of a service, newest first.
async fn list(conn: &mut PgConnection, queue: &str) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Stored,
        "SELECT event_id, key, payload, cause, at FROM dead_letters ORDER BY at DESC, event_id LIMIT $1",
        SHOWN
    )
    .fetch_all(conn)
    .await?;
    let letter = |row: Stored| DeadLetter {
        id: row.event_id,
        queue: queue.to_owned(),
        key: row.key,
        cause: row.cause,
        at: Some(clock::to_proto(row.at)),
    };
    Ok(rows.into_iter().map(letter).collect())
}

/// An event that staff wants to take effect after all.
struct Replay {
    call: StaffCall,
    event_id: String,
}

/// A dead letter that can be tried again.
struct Ready {
    stored: Stored,
    event: Event,
    effect: Box<dyn Effect>,
}

/// Lets an event take effect after all; then it is no dead letter any more. Its effect, its inbox row, which keeps the
/// effect to once, its end as a dead letter and the audit row are one transaction.
///
/// # Errors
/// NotFound, Conflict (`DEAD_LETTER_UNUSABLE`) if it is still of no use, Unavailable.
async fn replay(db: &Db, handler: &dyn Handler, command: &Replay) -> Result<Answer<()>, Error> {
    if let Some(claim) = &command.call.claim
        && let Some(answer) = idempotency::answered::<_, Error>(db, claim).await?
    {
        return Ok(answer);
    }
    let ready = prepare(db, handler, &command.event_id).await?;
    let mut work = Work::begin::<Error>(db, command.call.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let mut cause = None;
    let result = match &ready {
        Ok(ready) => take_effect(&mut work, command, ready, &mut cause).await,
        Err(refusal) => Err(refusal.clone().into()),
    };
    let mut answer = work.settle(result).await;
    // It stays a dead letter until all of it is done; its effect is not repeated.
    if let (Ok(ready), Ok(_)) = (&ready, &answer)
        && let Err(HandleError::Transient(error) | HandleError::Poison(error)) = handler.after(&ready.event).await
    {
        cause = Some(format!("{error:#}"));
        answer = Err(Refusal::unavailable().into());
    }
    // What is wrong now, for who tries it next.
    if let (Ok(ready), Some(cause)) = (&ready, cause) {
        handler.keep_dead_letter(&command.event_id, &ready.stored.key, &ready.stored.payload, &cause).await?;
    }
    answer
}

/// Reads the event and asks others for what its effect needs, before the transaction.
async fn prepare(db: &Db, handler: &dyn Handler, id: &str) -> Result<Result<Ready, Refusal>, sqlx::Error> {
    let stored =
        sqlx::query_as!(Stored, "SELECT event_id, key, payload, cause, at FROM dead_letters WHERE event_id = $1", id)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    let Some(stored) = stored else { return Ok(Err(unknown())) };
    let Some(event) = stored.event() else {
        return Ok(Err(unusable("This event has no id and cannot be processed.")));
    };
    let mut cause = None;
    let prepared = refused(id, AssertUnwindSafe(handler.prepare(&event)).catch_unwind().await, &mut cause);
    if let Some(cause) = cause {
        handler.keep_dead_letter(id, &stored.key, &stored.payload, &cause).await?;
    }
    Ok(prepared.map(|effect| Ready { stored, event, effect }))
}

async fn take_effect(
    conn: &mut PgConnection,
    command: &Replay,
    Ready { stored, event, effect }: &Ready,
    cause: &mut Option<String>,
) -> Result<(), Error> {
    let id = &command.event_id;
    let gone = sqlx::query!("DELETE FROM dead_letters WHERE event_id = $1", id).execute(&mut *conn).await?;
    if gone.rows_affected() == 0 {
        return Err(unknown().into());
    }
    if inbox::first_time(conn, event).await? {
        refused(id, AssertUnwindSafe(effect.apply(conn)).catch_unwind().await, cause)?;
    }
    let act = Act {
        staff: &command.call.staff,
        action: "event.replay",
        subject_id: id.clone(),
        member_id: None,
        before: Some(json!({ "key": stored.key, "cause": stored.cause })),
        after: None,
        address: &command.call.address,
    };
    Ok(audit::append(conn, act).await?)
}

/// What the outcome of a handler, or its panic, means for staff; notes why an event still cannot take effect.
fn refused<T>(
    id: &str,
    outcome: std::thread::Result<Result<T, HandleError>>,
    cause: &mut Option<String>,
) -> Result<T, Refusal> {
    match outcome {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(HandleError::Transient(error))) => {
            tracing::warn!(id, error = %format!("{error:#}"), "could not replay a dead letter");
            Err(Refusal::unavailable())
        }
        Ok(Err(HandleError::Poison(error))) => {
            *cause = Some(format!("{error:#}"));
            Err(unusable("This event still cannot be processed."))
        }
        Err(_) => Err(unusable("This event still cannot be processed.")),
    }
}

fn unknown() -> Refusal {
    Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Event not found.")
}

fn unusable(sentence: &str) -> Refusal {
    Refusal::new(Kind::Conflict, ErrorReason::DeadLetterUnusable, sentence)
}
