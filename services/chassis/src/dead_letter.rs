//! Events that could not take effect: kept beside the inbox, shown to staff, and tried again when what was wrong is
//! right.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use proto::common::v1::{DeadLetter, ErrorReason};
use serde_json::json;
use sqlx::{FromRow, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::bus::{Event, HandleError, Handler};
use crate::caller::Staff;
use crate::clock;
use crate::db::Db;
use crate::error::{Kind, Refusal};

/// As many as are shown.
const SHOWN: i64 = 500;

#[derive(Debug, FromRow)]
struct Parked {
    event_id: String,
    key: String,
    payload: Vec<u8>,
    cause: String,
    parked_at: OffsetDateTime,
}

impl Parked {
    fn event(&self) -> Option<Event> {
        let id: Uuid = self.event_id.parse().ok()?;
        // The id of an event of ours tells when it was made.
        let made = id.get_timestamp().and_then(|at| i64::try_from(at.to_unix().0).ok());
        let made = made.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        Some(Event { id, key: self.key.clone(), payload: self.payload.clone(), at: made.unwrap_or(self.parked_at) })
    }
}

/// What waits here, newest first.
///
/// # Errors
/// The database's.
pub async fn list(conn: &mut PgConnection, queue: &str) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let rows: Vec<Parked> = sqlx::query_as(
        "SELECT event_id, key, payload, cause, parked_at FROM parked_events ORDER BY parked_at DESC, event_id LIMIT $1",
    )
    .bind(SHOWN)
    .fetch_all(conn)
    .await?;
    let letter = |row: Parked| DeadLetter {
        id: row.event_id,
        queue: queue.to_owned(),
        key: row.key,
        cause: row.cause,
        parked_at: Some(clock::to_proto(row.parked_at)),
    };
    Ok(rows.into_iter().map(letter).collect())
}

/// Lets an event take effect after all; then it is no dead letter any more. Its inbox row keeps the effect to once,
/// however often and by how many it is replayed.
///
/// # Errors
/// NotFound, Conflict (`DEAD_LETTER_UNUSABLE`) if it is still of no use, Unavailable, the database's.
pub async fn replay<E>(db: &Db, handler: &dyn Handler, id: &str, staff: &Staff, address: &str) -> Result<(), E>
where
    E: From<sqlx::Error> + From<Refusal>,
{
    let parked: Option<Parked> =
        sqlx::query_as("SELECT event_id, key, payload, cause, parked_at FROM parked_events WHERE event_id = $1")
            .bind(id)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    let parked = parked.ok_or_else(unknown)?;
    let event = parked.event().ok_or_else(|| unusable("This event has no id and can never take effect."))?;
    match AssertUnwindSafe(handler.handle(&event)).catch_unwind().await {
        Ok(Ok(())) => {}
        Ok(Err(HandleError::Transient(error))) => {
            tracing::warn!(id, error = %format!("{error:#}"), "a dead letter could not be replayed now");
            return Err(Refusal::unavailable().into());
        }
        Ok(Err(HandleError::Poison(error))) => {
            handler.park(id, &parked.key, &parked.payload, &format!("{error:#}")).await?;
            return Err(unusable("This event still cannot take effect.").into());
        }
        Err(_) => return Err(unusable("This event still cannot take effect.").into()),
    }
    let mut tx = db.begin().await?;
    let gone = sqlx::query("DELETE FROM parked_events WHERE event_id = $1").bind(id).execute(&mut *tx).await?;
    if gone.rows_affected() == 0 {
        return Err(unknown().into());
    }
    let act = Act {
        staff,
        action: "event.replay",
        subject_id: id.to_owned(),
        member_id: None,
        before: Some(json!({ "key": parked.key, "cause": parked.cause })),
        after: None,
        address,
    };
    audit::append(&mut tx, act).await?;
    Ok(tx.commit().await?)
}

fn unknown() -> Refusal {
    Refusal::new(Kind::NotFound, ErrorReason::NotFound, "There is no such dead letter.")
}

fn unusable(sentence: &str) -> Refusal {
    Refusal::new(Kind::Conflict, ErrorReason::DeadLetterUnusable, sentence)
}
