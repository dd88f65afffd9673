//! Idempotency: one effect and one response for a mutation, however often it is sent (D-G4).
//!
//! A use case does its work inside [`once`], which replays the response of an earlier call or commits the effect together
//! with the response. A refusal rolls the effect back to the claim of the key and is stored as the response; a failure
//! stores nothing. [`Work`] has the same in steps, for a use case that does more with a replay than return it.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use proto::common::v1::{ErrorReason, Idempotency};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::db::{self, Db, PgConnection, Tx};
use crate::error::{Fault, Kind, Refusal};
use crate::id::UserId;

/// A caller's key, checked for its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    user_id: UserId,
    route: String,
    key: String,
    fingerprint: Vec<u8>,
    request_id: String,
}

impl Claim {
    /// The claim of a request, `None` if it carries none.
    ///
    /// # Errors
    /// Invalid if the key is not 1-255 characters.
    pub fn of(
        user_id: impl Into<UserId>,
        message: Option<&Idempotency>,
        request_id: &str,
    ) -> Result<Option<Self>, Refusal> {
        let Some(message) = message else { return Ok(None) };
        if !(1..=255).contains(&message.key.chars().count()) {
            return Err(Refusal::field("idempotencyKey", "The Idempotency-Key must have 1 to 255 characters."));
        }
        Ok(Some(Self {
            user_id: user_id.into(),
            route: message.route.clone(),
            key: message.key.clone(),
            fingerprint: message.fingerprint.clone(),
            request_id: request_id.to_owned(),
        }))
    }

    /// The same claim with its fingerprint kept in another form, for bodies that hold a secret.
    #[must_use]
    pub fn sealed(self, seal: impl FnOnce(&[u8]) -> Vec<u8>) -> Self {
        Self { fingerprint: seal(&self.fingerprint), ..self }
    }

    /// Whose, on which route, which key: what is claimed.
    #[must_use]
    pub fn key(&self) -> (UserId, &str, &str) {
        (self.user_id, &self.route, &self.key)
    }

    /// The request it stands for: the hash of its body, and the id of the first to bring it.
    #[must_use]
    pub fn request(&self) -> (&[u8], &str) {
        (&self.fingerprint, &self.request_id)
    }
}

/// An answer as it is kept under a key, for who writes it in a statement of their own instead of a [`Work`].
///
/// # Errors
/// If the answer has no form in JSON.
pub fn outcome<T: Serialize>(answer: &T) -> Result<Box<RawValue>, sqlx::Error> {
    to_raw_value(&Outcome::Ok(answer)).map_err(|error| sqlx::Error::Encode(Box::new(error)))
}

/// An answer, and whether it was given before.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    /// The answer, or the refusal that is one.
    pub result: T,
    /// The id of the first request, if this is a replay.
    pub replayed: Option<String>,
}

impl<T> Answer<T> {
    /// The same answer in another shape.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { result: change(self.result), replayed: self.replayed }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome<T> {
    Ok(T),
    Refused(Refusal),
}

/// What the errors of a service with keyed mutations can also be.
pub trait Keyed: Fault + From<sqlx::Error> + From<Refusal> {}
impl<E: Fault + From<sqlx::Error> + From<Refusal>> Keyed for E {}

/// Runs `work` in a transaction, once a key: a repeated call gets the response of the first one.
///
/// # Errors
/// The refusal or failure of `work`, or the refusal given before; Conflict while the first call with the key still runs,
/// Invalid if it had another body.
pub async fn once<T, E>(
    db: &Db,
    claim: Option<Claim>,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, E>,
) -> Result<Answer<T>, E>
where
    T: Serialize + DeserializeOwned,
    E: Keyed,
{
    let mut tx = Work::begin::<E>(db, claim).await?;
    if let Some(answer) = tx.replay::<T, E>()? {
        return Ok(answer);
    }
    let result = work(&mut tx).await;
    tx.settle(result).await
}

/// A transaction that may stand under a key.
pub struct Work {
    tx: Tx,
    claim: Option<Claim>,
    stored: Option<(String, serde_json::Value)>,
}

impl Work {
    /// Begins the transaction and claims the key in it.
    ///
    /// # Errors
    /// Conflict while the first call with the key still runs, Invalid if it had another body.
    pub async fn begin<E: Keyed>(db: &Db, claim: Option<Claim>) -> Result<Self, E> {
        let mut tx = db.begin().await?;
        let mut stored = None;
        if let Some(claim) = &claim {
            stored = claim_key::<E>(&mut tx, claim).await?;
            // With an answer there is nothing left to do: the lock goes now, so that the next repeat finds it free.
            if stored.is_some() {
                sqlx::query!("ROLLBACK AND CHAIN").execute(&mut *tx).await?;
            } else {
                sqlx::query!("SAVEPOINT effect").execute(&mut *tx).await?;
            }
        }
        crate::crash_point!("idempotency.after_claim");
        Ok(Self { tx, claim, stored })
    }

    /// The answer given before, if there is one.
    ///
    /// # Errors
    /// The refusal given before; Internal if the stored answer cannot be read.
    pub fn replay<T: DeserializeOwned, E: Keyed>(&mut self) -> Result<Option<Answer<T>>, E> {
        self.stored.take().map(answer).transpose()
    }

    /// Commits the effect and the answer; or, for a refusal, only the answer.
    ///
    /// # Errors
    /// The refusal or failure of the work itself, or of the commit.
    pub async fn settle<T: Serialize, E: Keyed>(mut self, result: Result<T, E>) -> Result<Answer<T>, E> {
        let outcome = match &result {
            Ok(value) => serde_json::to_value(Outcome::Ok(value)),
            Err(fault) if self.claim.is_none() || matches!(fault.kind(), Kind::Unavailable | Kind::Internal) => {
                // Now, not when the connection is used next: the key is free for the next try.
                if let Err(error) = self.tx.rollback().await {
                    tracing::warn!(%error, "a failed transaction could not be rolled back");
                }
                return result.map(|result| Answer { result, replayed: None });
            }
            Err(fault) => {
                sqlx::query!("ROLLBACK TO SAVEPOINT effect").execute(&mut *self.tx).await?;
                serde_json::to_value(Outcome::<T>::Refused(Refusal::of(fault)))
            }
        };
        if let Some(claim) = &self.claim {
            let outcome = outcome.map_err(|error| E::from(sqlx::Error::Encode(Box::new(error))))?;
            sqlx::query!(
                "UPDATE idempotency_keys SET outcome = $4 WHERE user_id = $1 AND route = $2 AND key = $3",
                claim.user_id.get(),
                claim.route,
                claim.key,
                outcome
            )
            .execute(&mut *self.tx)
            .await?;
        }
        crate::crash_point!("idempotency.before_commit");
        self.tx.commit().await?;
        crate::crash_point!("idempotency.after_commit");
        Ok(Answer { result: result?, replayed: None })
    }
}

impl Deref for Work {
    type Target = PgConnection;
    fn deref(&self) -> &PgConnection {
        &self.tx
    }
}

impl DerefMut for Work {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.tx
    }
}

/// The answer given before under a key, without claiming it: for a use case that must ask others before its transaction.
///
/// # Errors
/// The refusal given before, Invalid if the key had another body.
pub async fn answered<T: DeserializeOwned, E: Keyed>(db: &Db, claim: &Claim) -> Result<Option<Answer<T>>, E> {
    read_answer::<E>(&mut *db.conn().await?, claim).await?.map(answer).transpose()
}

fn answer<T: DeserializeOwned, E: Keyed>((request_id, value): (String, serde_json::Value)) -> Result<Answer<T>, E> {
    match serde_json::from_value(value) {
        Ok(Outcome::Ok(result)) => Ok(Answer { result, replayed: Some(request_id) }),
        Ok(Outcome::Refused(refusal)) => Err(E::from(Refusal { replayed: Some(request_id.into()), ..refusal })),
        Err(error) => Err(E::from(sqlx::Error::Decode(Box::new(error)))),
    }
}

/// Claims the key, or reads the answer that stands under it.
async fn claim_key<E: Keyed>(conn: &mut PgConnection, claim: &Claim) -> Result<Option<(String, serde_json::Value)>, E> {
    // The lock distinguishes a call in flight from one that is done, without waiting for it.
    let free = sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "free!""#,
        format!("{}\n{}\n{}", claim.user_id, claim.route, claim.key)
    )
    .fetch_one(&mut *conn)
    .await?;
    if !free {
        return Err(E::from(in_flight()));
    }
    sqlx::query!(
        "DELETE FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key = $3 AND created_at < clock_timestamp() - interval '24 hours'",
        claim.user_id.get(),
        claim.route,
        claim.key
    )
    .execute(&mut *conn)
    .await?;
    let claimed = sqlx::query!(
        "INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
        claim.user_id.get(),
        claim.route,
        claim.key,
        claim.fingerprint,
        claim.request_id
    )
    .execute(&mut *conn)
    .await?;
    if claimed.rows_affected() == 1 {
        return Ok(None);
    }
    // Only a key that grew a day old between the two statements is not there.
    read_answer::<E>(conn, claim).await?.map(Some).ok_or_else(|| E::from(in_flight()))
}

fn in_flight() -> Refusal {
    let mut refusal =
        Refusal::new(Kind::Conflict, ErrorReason::IdempotencyKeyInFlight, "This request is still being processed.");
    refusal.retry_after = Some(Duration::from_secs(1));
    refusal
}

/// Reads the answer that stands under the key, `None` if there is none.
async fn read_answer<E: Keyed>(
    conn: &mut PgConnection,
    claim: &Claim,
) -> Result<Option<(String, serde_json::Value)>, E> {
    let row = sqlx::query!(
        r#"SELECT fingerprint, request_id, outcome AS "outcome!" FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key = $3 AND outcome IS NOT NULL
            AND created_at >= clock_timestamp() - interval '24 hours'"#,
        claim.user_id.get(),
        claim.route,
        claim.key
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.fingerprint != claim.fingerprint {
        return Err(E::from(Refusal::new(
            Kind::Invalid,
            ErrorReason::IdempotencyKeyReused,
            "This Idempotency-Key was used for another request.",
        )));
    }
    Ok(Some((row.request_id, row.outcome)))
}

/// Forgets keys older than a day; called now and then by the process.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM idempotency_keys WHERE created_at <= (SELECT max(created_at) FROM (
                SELECT created_at FROM idempotency_keys WHERE created_at < now() - interval '25 hours'
                ORDER BY created_at LIMIT 5000) AS oldest)"
        )
    })
    .await
}
