//! Keyed answers.

use chassis::db::Db;
use chassis::error::{Fault, Kind, Refusal};
use chassis::id::UserId;
use chassis::idempotency::{self, Answer, Claim, Work};
use futures::future::join_all;
use proto::common::v1::{ErrorReason, Idempotency};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{Error, database, effects};

pub fn claim(user_id: impl Into<UserId>, key: &str, body: &str, request_id: &str) -> Option<Claim> {
    let message =
        Idempotency { key: key.to_owned(), route: "POST /deposits".to_owned(), fingerprint: body.as_bytes().to_vec() };
    Claim::of(user_id, Some(&message), request_id).unwrap()
}

/// A use case: leaves a trace, and answers or refuses.
async fn act(db: &Db, claim: Option<Claim>, result: Result<i64, Refusal>) -> Result<Answer<i64>, Error> {
    let mut work = Work::begin::<Error>(db, claim).await?;
    if let Some(answer) = work.replay::<i64, Error>()? {
        return Ok(answer);
    }
    sqlx::query("INSERT INTO effects VALUES (1)").execute(&mut *work).await?;
    work.settle(result.map_err(Error::from)).await
}

fn refusal(kind: Kind) -> Refusal {
    Refusal::new(kind, ErrorReason::InsufficientBalance, "Insufficient balance")
}

/// [D-G4] [L7] [L9] Same key and body: one effect, and the same answer with the id of the first request; another member
/// or no key is another matter; another body is refused.
#[sqlx::test(migrations = false)]
async fn the_same_key_gives_the_same_answer(pool: PgPool) {
    let (db, user_id) = (database(&pool).await, Uuid::new_v4());
    let first = act(&db, claim(user_id, "k", "body", "r1"), Ok(7)).await.unwrap();
    assert_eq!((first.result, first.replayed), (7, None));
    let again = act(&db, claim(user_id, "k", "body", "r2"), Ok(8)).await.unwrap();
    assert_eq!((again.result, again.replayed.as_deref()), (7, Some("r1")));
    assert_eq!(effects(&pool).await, 1);
    let other = act(&db, claim(user_id, "k", "another body", "r3"), Ok(9)).await.unwrap_err();
    assert_eq!((other.kind(), other.reason()), (Kind::Invalid, ErrorReason::IdempotencyKeyReused));
    assert_eq!(effects(&pool).await, 1);
    act(&db, claim(Uuid::new_v4(), "k", "body", "r4"), Ok(1)).await.unwrap();
    act(&db, None, Ok(1)).await.unwrap();
    act(&db, None, Ok(1)).await.unwrap();
    assert_eq!(effects(&pool).await, 4);
}

/// [D-G4] [D-R10] [L8] A refusal leaves no effect and is said again; a failure is not kept.
#[sqlx::test(migrations = false)]
async fn refusals_are_replayed_and_failures_are_not(pool: PgPool) {
    let (db, user_id) = (database(&pool).await, Uuid::new_v4());
    let failed = act(&db, claim(user_id, "k", "b", "r1"), Err(refusal(Kind::Unavailable))).await.unwrap_err();
    assert_eq!(failed.kind(), Kind::Unavailable);
    let refused = act(&db, claim(user_id, "k", "b", "r2"), Err(refusal(Kind::Invalid))).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused:?}");
    let again = act(&db, claim(user_id, "k", "b", "r3"), Ok(1)).await.unwrap_err();
    let Error::Refused(again) = again else { panic!("{again:?}") };
    assert_eq!(again, Refusal { replayed: Some("r2".into()), ..refusal(Kind::Invalid) });
    assert_eq!(effects(&pool).await, 0);
    // Without a key, too, a refusal leaves no effect.
    act(&db, None, Err(refusal(Kind::Conflict))).await.unwrap_err();
    assert_eq!(effects(&pool).await, 0);
}

/// [D-G4] While the first call is in flight the second has to wait; if the first fails, the key is free again.
#[sqlx::test(migrations = false)]
async fn a_key_in_flight_is_a_conflict(pool: PgPool) {
    let (db, user_id) = (database(&pool).await, Uuid::new_v4());
    let first = Work::begin::<Error>(&db, claim(user_id, "k", "b", "r1")).await.unwrap();
    let second = act(&db, claim(user_id, "k", "b", "r2"), Ok(1)).await.unwrap_err();
    assert_eq!((second.kind(), second.reason()), (Kind::Conflict, ErrorReason::IdempotencyKeyInFlight));
    let Error::Refused(refusal) = second else { panic!("{second:?}") };
    assert!(refusal.retry_after.is_some());
    drop(first);
    // The rollback of a dropped transaction happens when its connection is used next.
    let result = loop {
        match act(&db, claim(user_id, "k", "b", "r3"), Ok(3)).await {
            Err(error) if error.kind() == Kind::Conflict => tokio::task::yield_now().await,
            other => break other,
        }
    };
    assert_eq!(result.unwrap().replayed, None);
    assert_eq!(effects(&pool).await, 1);
}

/// [D-G4] [L7] Fifty calls at once with one key have one effect.
#[sqlx::test(migrations = false)]
async fn fifty_calls_with_one_key_have_one_effect(pool: PgPool) {
    let (db, user_id) = (database(&pool).await, Uuid::new_v4());
    let calls = (0..50).map(|number| {
        let (db, claim) = (db.clone(), claim(user_id, "k", "b", &format!("r{number}")));
        async move { act(&db, claim, Ok(number)).await }
    });
    let results = join_all(calls).await;
    let fresh = results.iter().filter(|result| matches!(result, Ok(answer) if answer.replayed.is_none())).count();
    let answers: Vec<_> = results.iter().flatten().map(|answer| answer.result).collect();
    assert_eq!(fresh, 1);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(error.reason(), ErrorReason::IdempotencyKeyInFlight);
    }
    assert_eq!(effects(&pool).await, 1);
}

/// [D-G4] After 24 hours a key is free, whether or not it was swept.
#[sqlx::test(migrations = false)]
async fn keys_live_a_day(pool: PgPool) {
    let (db, user_id) = (database(&pool).await, Uuid::new_v4());
    let age = |hours: i32| {
        let pool = pool.clone();
        async move {
            let sql = "UPDATE idempotency_keys SET created_at = clock_timestamp() - make_interval(mins => $1 * 60)";
            sqlx::query(sql).bind(hours).execute(&pool).await.unwrap();
        }
    };
    act(&db, claim(user_id, "k", "b", "r1"), Ok(1)).await.unwrap();
    age(23).await;
    assert_eq!(idempotency::sweep(&db).await.unwrap(), 0);
    assert!(act(&db, claim(user_id, "k", "b", "r2"), Ok(2)).await.unwrap().replayed.is_some());
    age(24).await;
    let fresh = act(&db, claim(user_id, "k", "another body", "r3"), Ok(3)).await.unwrap();
    assert_eq!((fresh.result, fresh.replayed), (3, None));
    age(26).await;
    assert_eq!(idempotency::sweep(&db).await.unwrap(), 1);
}

/// [D-G4] [D-R10] A key has 1 to 255 characters.
#[test]
fn keys_have_1_to_255_characters() {
    let claim = |key: String| Claim::of(Uuid::nil(), Some(&Idempotency { key, ..Default::default() }), "r");
    assert!(claim("x".to_owned()).is_ok() && claim("é".repeat(255)).is_ok());
    for key in [String::new(), "x".repeat(256)] {
        assert_eq!(claim(key).unwrap_err().kind, Kind::Invalid);
    }
    assert_eq!(Claim::of(Uuid::nil(), None, "r"), Ok(None));
}
