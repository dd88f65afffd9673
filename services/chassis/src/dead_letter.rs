//! Dead letters: events that can never take effect. They are stored next to the inbox, in the table `parked_events`, shown
//! to staff, and replayed when the cause is fixed.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use proto::common::v1::{DeadLetter, ErrorReason};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::bus::{Effect, Event, HandleError, Handler};
use crate::clock;
use crate::db::{Db, PgConnection};
use crate::error::{Kind, Refusal};
use crate::idempotency::{self, Answer, Keyed, Work};
use crate::inbox;
use crate::staff_call::StaffCall;

/// Dead letters in a list at the most.
const SHOWN: i64 = 500;

#[derive(Debug)]
struct Stored {
    event_id: String,
    key: String,
    payload: Vec<u8>,
    cause: String,
    parked_at: OffsetDateTime,
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
            at: made.unwrap_or(self.parked_at),
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
        "INSERT INTO parked_events (event_id, key, payload, cause) VALUES ($1, $2, $3, $4)
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
    sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM parked_events"#).fetch_one(conn).await
}

/// The dead letters of a service, newest first.
pub async fn list(conn: &mut PgConnection, queue: &str) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Stored,
        "SELECT event_id, key, payload, cause, parked_at FROM parked_events ORDER BY parked_at DESC, event_id LIMIT $1",
        SHOWN
    )
    .fetch_all(conn)
    .await?;
    let letter = |row: Stored| DeadLetter {
        id: row.event_id,
        queue: queue.to_owned(),
        key: row.key,
        cause: row.cause,
        parked_at: Some(clock::to_proto(row.parked_at)),
    };
    Ok(rows.into_iter().map(letter).collect())
}

/// An event that staff wants to take effect after all.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The admin, and their call.
    pub call: StaffCall,
    /// Id of the dead letter's event.
    pub event_id: String,
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
pub async fn replay<E: Keyed>(db: &Db, handler: &dyn Handler, command: &Replay) -> Result<Answer<()>, E> {
    if let Some(claim) = &command.call.claim
        && let Some(answer) = idempotency::answered::<_, E>(db, claim).await?
    {
        return Ok(answer);
    }
    let ready = prepare(db, handler, &command.event_id).await?;
    let mut work = Work::begin::<E>(db, command.call.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, E>()? {
        return Ok(answer);
    }
    let mut cause = None;
    let result = match &ready {
        Ok(ready) => take_effect(&mut work, command, ready, &mut cause).await,
        Err(refusal) => Err(refusal.clone().into()),
    };
    let answer = work.settle(result).await;
    // What is wrong now, for who tries it next.
    if let (Ok(ready), Some(cause)) = (&ready, cause) {
        handler.keep_dead_letter(&command.event_id, &ready.stored.key, &ready.stored.payload, &cause).await?;
    }
    answer
}

/// Reads the event and asks others for what its effect needs, before the transaction.
async fn prepare(db: &Db, handler: &dyn Handler, id: &str) -> Result<Result<Ready, Refusal>, sqlx::Error> {
    let stored = sqlx::query_as!(
        Stored,
        "SELECT event_id, key, payload, cause, parked_at FROM parked_events WHERE event_id = $1",
        id
    )
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

async fn take_effect<E: Keyed>(
    conn: &mut PgConnection,
    command: &Replay,
    Ready { stored, event, effect }: &Ready,
    cause: &mut Option<String>,
) -> Result<(), E> {
    let id = &command.event_id;
    let gone = sqlx::query!("DELETE FROM parked_events WHERE event_id = $1", id).execute(&mut *conn).await?;
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
