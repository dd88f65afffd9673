//! What every service's database promises: transactions, keyed answers, two people, and the trail of staff.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chassis::id::{ProposalId, UserId};
use std::time::{Duration, Instant};

use chassis::audit::{self, Act};
use chassis::db::{self, Bucketed, Buckets, Db, PgConnection, Schema};
use chassis::error::{Fault, Kind, Meaning, Refusal};
use chassis::idempotency::{self, Answer, Claim, Work};
use chassis::identity::{Role, Staff};
use chassis::inbox;
use chassis::permission::Permission;
use chassis::proposal::{self, Apply, DecideProposal, Decision, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use chassis::testing::{Realm, with_token};
use futures::future::join_all;
use proto::common::v1::{ErrorReason, Idempotency};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolOptions;
use sqlx::{ConnectOptions, Executor, PgPool};
use uuid::Uuid;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("database")]
    Database(#[from] sqlx::Error),
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }
}

/// A migrated database with a table `effects` to leave traces in.
async fn database(pool: &PgPool) -> Db {
    db::migrate(pool, &Migrator::DEFAULT).await.unwrap();
    pool.execute("CREATE TABLE effects (number integer NOT NULL)").await.unwrap();
    Db::from_pool(pool.clone())
}

async fn effects(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM effects").fetch_one(pool).await.unwrap()
}

// === transactions ===

/// [K1] After a begin that was cancelled at any moment, the next statement on the connection does not land in an open
/// transaction that is then rolled back.
#[sqlx::test(migrations = false)]
async fn a_cancelled_begin_swallows_nothing(pool: PgPool) {
    let observer = database(&pool).await;
    let options = PgPoolOptions::new().max_connections(1);
    let db = Db::over(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    for round in 0..60_i32 {
        let moment = Duration::from_micros(u64::try_from(round).unwrap() * 15);
        let _ = tokio::time::timeout(moment, db.begin()).await;
        let mut conn = db.conn().await.unwrap();
        sqlx::query("INSERT INTO effects VALUES ($1)").bind(round).execute(&mut *conn).await.unwrap();
        drop(conn);
        let seen: i64 = sqlx::query_scalar("SELECT count(*) FROM effects")
            .fetch_one(&mut *observer.conn().await.unwrap())
            .await
            .unwrap();
        assert_eq!(seen, i64::from(round) + 1, "cancelled after {moment:?}");
    }
}

/// [D-V4] [D-H3] After the server has ended every session (57P01), a transaction begins at once on a new connection, and a
/// statement that meets an ended session is the only one: the other connections are not tried one by one.
#[sqlx::test(migrations = false)]
async fn ended_sessions_are_replaced(pool: PgPool) {
    database(&pool).await;
    let options = PgPoolOptions::new().max_connections(4).test_before_acquire(false);
    let db = Db::from_pool(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    let insert = || sqlx::query("INSERT INTO effects VALUES (1)");
    for _ in 0..5 {
        end_sessions(&pool, &db).await;
        let mut tx = db.begin().await.unwrap();
        insert().execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        end_sessions(&pool, &db).await;
        let refused = insert().execute(&mut *db.conn().await.unwrap()).await.unwrap_err();
        assert!(db::retry_after(&refused).is_some(), "{refused}");
        insert().execute(&mut *db.conn().await.unwrap()).await.unwrap();
    }
    assert_eq!(effects(&pool).await, 10);
}

/// At low load one connection serves all, so that its plans are there; under more load all of them do, each use in its turn.
#[sqlx::test(migrations = false)]
async fn the_last_connection_is_used_again(pool: PgPool) {
    let options = PgPoolOptions::new().max_connections(4).test_before_acquire(false);
    let db = Db::over(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    let session = async || -> i32 {
        let mut conn = db.conn().await.unwrap();
        sqlx::query_scalar("SELECT pg_backend_pid() FROM pg_sleep(0.002)").fetch_one(&mut *conn).await.unwrap()
    };
    let mut sessions = join_all((0..200).map(|_| session())).await;
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), 4);
    assert_eq!(db.usage(), (4, 4));
    let last = session().await;
    for _ in 0..20 {
        assert_eq!(session().await, last);
    }
    // A call that was given up half way is over before its connection serves again.
    let call = async { db.conn().await.unwrap().execute("SELECT pg_sleep(0.2)").await.unwrap() };
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    let begun = Instant::now();
    assert_ne!(session().await, last);
    assert!(begun.elapsed() < Duration::from_millis(100), "waited for the call: {:?}", begun.elapsed());
}

/// Fills the pool with connections and ends the sessions of all.
async fn end_sessions(admin: &PgPool, db: &Db) {
    let sessions = join_all((0..4).map(async |_| {
        let mut conn = db.conn().await.unwrap();
        let session: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *conn).await.unwrap();
        (conn, session)
    }));
    let sessions: Vec<i32> = sessions.await.into_iter().map(|(_, session)| session).collect();
    let limit = Instant::now() + Duration::from_secs(5);
    while db.usage() != (4, 4) {
        assert!(Instant::now() < limit, "{:?}", db.usage());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    sqlx::query("SELECT pg_terminate_backend(pid, 5000) FROM unnest($1) AS pid")
        .bind(sessions)
        .execute(admin)
        .await
        .unwrap();
}

/// [K1] Each connection gives up on statements, locks, forgotten transactions and clients that vanished.
#[sqlx::test(migrations = false)]
async fn connections_have_limits(pool: PgPool) {
    let options = pool.connect_options();
    let server = std::env::var("DATABASE_URL").unwrap();
    let (server, _) = server.rsplit_once('/').unwrap();
    let db = Db::connect_lazy(&format!("{server}/{}", options.get_database().unwrap()), 1).unwrap();
    for (name, value) in [
        ("statement_timeout", "5s"),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("client_connection_check_interval", "1s"),
        ("tcp_keepalives_idle", "10"),
        ("tcp_user_timeout", "15000"),
    ] {
        let got: String = sqlx::query_scalar("SELECT current_setting($1)")
            .bind(name)
            .fetch_one(&mut *db.conn().await.unwrap())
            .await
            .unwrap();
        assert_eq!(got, value, "{name}");
    }
}

/// [K5] A transaction that lost a race is tried three times in all; other failures are not tried again.
#[sqlx::test(migrations = false)]
async fn lost_races_are_tried_three_times(pool: PgPool) {
    let db = database(&pool).await;
    for (code, tries) in [("40001", 3), ("40P01", 3), ("23505", 1)] {
        let mut tried = 0;
        let result: Result<(), Error> = db::retrying(|| {
            tried += 1;
            async {
                let sql =
                    sqlx::AssertSqlSafe(format!("DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '{code}'; END $$"));
                db.conn().await?.execute(sql).await?;
                Ok(())
            }
        })
        .await;
        assert!(result.is_err());
        assert_eq!(tried, tries, "{code}");
    }
}

// === migrations ===

/// A migrator of these files.
async fn migrator(files: &[(&str, &str)]) -> &'static Migrator {
    let folder = std::env::temp_dir().join(format!("migrations-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    for (name, sql) in files {
        std::fs::write(folder.join(name), sql).unwrap();
    }
    let migrator = Migrator::new(folder.as_path()).await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    Box::leak(Box::new(migrator))
}

/// [A13] A migration that has to wait for a long read holds up nobody for more than a second, and is done after it.
#[sqlx::test(migrations = false)]
async fn a_migration_that_waits_lets_others_pass(pool: PgPool) {
    let db = database(&pool).await;
    let reader = PgPoolOptions::new().max_connections(1).connect_with((*pool.connect_options()).clone()).await.unwrap();
    let mut read = reader.acquire().await.unwrap();
    read.execute("BEGIN; SELECT count(*) FROM effects").await.unwrap();
    let migrator = migrator(&[("1_note.sql", "ALTER TABLE effects ADD COLUMN note text")]).await;
    let migrating = tokio::spawn(async move { db::migrate(&pool, migrator).await });
    let mut slowest = Duration::ZERO;
    for number in 0..40 {
        let begun = Instant::now();
        let effect = sqlx::query("INSERT INTO effects (number) VALUES ($1)").bind(number);
        effect.execute(&mut *db.conn().await.unwrap()).await.unwrap();
        slowest = slowest.max(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(slowest < Duration::from_millis(1_900), "a write waited for {slowest:?}");
    assert!(!migrating.is_finished());
    read.execute("COMMIT").await.unwrap();
    migrating.await.unwrap().unwrap();
    sqlx::query("INSERT INTO effects VALUES (1, 'new')").execute(&mut *db.conn().await.unwrap()).await.unwrap();
}

/// [A13] An index is built beside writers, and one whose build failed half way is built again.
#[sqlx::test(migrations = false)]
async fn an_index_is_built_concurrently(pool: PgPool) {
    let db = database(&pool).await;
    // In one query, two statements would be a transaction, in which no index is built concurrently.
    let build =
        "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY effects_number ON effects (number); ANALYZE effects;";
    let migrator =
        migrator(&[("1_note.sql", "ALTER TABLE effects ADD COLUMN note text"), ("2_index.sql", build)]).await;
    pool.execute("INSERT INTO effects VALUES (7), (7)").await.unwrap();
    assert!(db::migrate(&pool, migrator).await.is_err(), "two rows are equal");
    pool.execute("DELETE FROM effects").await.unwrap();
    db::migrate(&pool, migrator).await.unwrap();
    let valid: bool =
        sqlx::query_scalar("SELECT indisvalid FROM pg_index WHERE indexrelid = 'effects_number'::regclass")
            .fetch_one(&mut *db.conn().await.unwrap())
            .await
            .unwrap();
    assert!(valid);
}

/// [D-H9] The version before finds the newer schema after a rollback: it leaves the schema with its definitions as it is, and
/// starts. A schema that is another, or lacks something, is refused.
#[sqlx::test(migrations = false)]
async fn the_version_before_starts_on_a_newer_schema(pool: PgPool) {
    const OLDER: &str = "CREATE OR REPLACE FUNCTION rule() RETURNS integer LANGUAGE sql RETURN 1";
    const NEWER: &str = "CREATE OR REPLACE FUNCTION rule() RETURNS integer LANGUAGE sql RETURN 2";
    database(&pool).await;
    let note = ("1_note.sql", "ALTER TABLE effects ADD COLUMN note text");
    let kind = ("2_kind.sql", "ALTER TABLE effects ADD COLUMN kind text");
    let older = Schema { migrations: migrator(&[note]).await, definitions: &[OLDER], bucketed: None };
    let newer = Schema { migrations: migrator(&[note, kind]).await, definitions: &[NEWER], bucketed: None };
    for (schema, is_brought_there) in [(older, true), (newer, true), (older, false), (newer, true)] {
        assert_eq!(db::migrate(&pool, schema).await.unwrap(), is_brought_there);
    }
    db::migrate(&pool, older).await.unwrap();
    let rule: i32 = sqlx::query_scalar("SELECT rule()").fetch_one(&pool).await.unwrap();
    assert_eq!(rule, 2, "the definitions of the schema's own version");
    for other in [("1_note.sql", "ALTER TABLE effects ADD COLUMN remark text"), ("3_more.sql", "SELECT 1")] {
        assert!(db::migrate(&pool, migrator(&[other]).await).await.is_err(), "{other:?}");
    }
}

// === keyed answers ===

fn claim(user_id: impl Into<UserId>, key: &str, body: &str, request_id: &str) -> Option<Claim> {
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

// === two people ===

/// Somebody at work whose decisions are signed.
async fn at_work(realm: &Realm) -> Staff {
    let metadata = with_token((), &realm.staff(Role::Manager).1).metadata().clone();
    realm.verifier().staff(&metadata, Permission::ChangePlans).await.unwrap()
}

async fn open(db: &Db, by: &Staff) -> Proposal {
    let mut tx = db.begin().await.unwrap();
    let change = serde_json::json!({"value": 1});
    let new = NewProposal {
        staff: by,
        address: "",
        kind: "plan.value",
        subject_id: None,
        member_id: None,
        change: &change,
        before: None,
        logged: change.clone(),
    };
    let proposal = proposal::open(&mut tx, new).await.unwrap();
    tx.commit().await.unwrap();
    proposal
}

fn command(id: ProposalId, decision: Decision, by: &Staff) -> DecideProposal {
    let call = StaffCall { staff: by.clone(), address: String::new(), claim: None };
    DecideProposal { call, id, decision }
}

/// A service whose proposals change nothing.
struct NoEffect;

impl Apply for NoEffect {
    type Error = Error;

    async fn apply(&self, _: &mut PgConnection, proposal: Proposal) -> Result<Proposal, Error> {
        Ok(proposal)
    }
}

async fn decide(db: &Db, command: &DecideProposal) -> Result<Proposal, Error> {
    proposal::decide_and_apply(db, command, &NoEffect).await.map(|answer| answer.result)
}

/// [D-O4] [D-R2] Nobody confirms their own proposal: the use case refuses, and so does the database.
#[sqlx::test(migrations = false)]
async fn nobody_confirms_their_own_proposal(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let id = open(&db, &one).await.id;
    let own = decide(&db, &command(id, Decision::Confirm, &one)).await.unwrap_err();
    assert_eq!((own.kind(), own.reason()), (Kind::Forbidden, ErrorReason::SelfConfirmation));
    let direct =
        sqlx::query("UPDATE proposals SET status = 'confirmed', decided_by = $1, decided_at = clock_timestamp()")
            .bind(one.id)
            .execute(&pool)
            .await
            .unwrap_err();
    assert_eq!(db::constraint(&direct), Some("proposals_two_people"));
    let confirmed = decide(&db, &command(id, Decision::Confirm, &two)).await.unwrap();
    assert_eq!((confirmed.status.as_str(), confirmed.decided_by), ("confirmed", Some(two.id)));
    let again = decide(&db, &command(id, Decision::Reject, &one)).await.unwrap_err();
    assert_eq!((again.kind(), again.reason()), (Kind::Conflict, ErrorReason::ProposalClosed));
}

/// [D-R2] The proposer may take it back.
#[sqlx::test(migrations = false)]
async fn a_proposal_may_be_taken_back(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let one = at_work(&realm).await;
    let id = open(&db, &one).await.id;
    assert_eq!(decide(&db, &command(id, Decision::Reject, &one)).await.unwrap().status, "rejected");
}

/// [D-O6] C4: a proposal falls when its proposer loses the role, with the refusal as the answer under the key; it may still
/// be rejected by the one who would have confirmed it.
#[sqlx::test(migrations = false)]
async fn a_proposal_falls_with_the_role_of_its_proposer(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let (confirmed, rejected) = (open(&db, &one).await, open(&db, &one).await);
    realm.give_role(one.id, Some(Role::Auditor));
    let ended = decide(&db, &command(rejected.id, Decision::Reject, &two)).await.unwrap();
    assert_eq!((ended.status.as_str(), ended.decided_by), ("rejected", Some(two.id)));
    let mut confirm = command(confirmed.id, Decision::Confirm, &two);
    confirm.call.claim = claim(two.id, "k", "body", "r");
    for _ in 0..2 {
        let no = decide(&db, &confirm).await.unwrap_err();
        assert_eq!((no.kind(), no.reason()), (Kind::Conflict, ErrorReason::ProposerNotPermitted));
    }
    let other = decide(&db, &command(confirmed.id, Decision::Confirm, &two)).await.unwrap_err();
    assert_eq!(other.reason(), ErrorReason::ProposalClosed);
    let rows: Vec<(String, bool)> = sqlx::query_as("SELECT action, assertion IS NOT NULL FROM audit_rows ORDER BY id")
        .fetch_all(&pool)
        .await
        .unwrap();
    let signed = |action: &str, is_signed| (action.to_owned(), is_signed);
    let proposed = signed("plan.value.propose", false);
    assert_eq!(rows, [proposed.clone(), proposed, signed("plan.value.reject", true), signed("plan.value.drop", false)]);
    assert_eq!(broken_at(&db).await, None);
}

/// [D-B3] What changed between the signature and the transaction is refused and stays; a decision without a signature too.
#[sqlx::test(migrations = false)]
async fn what_was_not_signed_is_not_decided(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let (proposal, other) = (open(&db, &one).await, open(&db, &one).await);
    let confirm = command(proposal.id, Decision::Confirm, &two);
    let elsewhere = proposal::sign::<Error>(&db, &command(other.id, Decision::Confirm, &two)).await.unwrap();
    let rejection = proposal::sign::<Error>(&db, &command(proposal.id, Decision::Reject, &two)).await.unwrap();
    let before = proposal::sign::<Error>(&db, &confirm).await.unwrap();
    pool.execute("UPDATE proposals SET change = '{\"value\": 2}'").await.unwrap();
    for signed in [before, elsewhere, rejection, None] {
        let mut tx = db.begin().await.unwrap();
        let no = proposal::decide::<Error>(&mut tx, &confirm, signed.as_ref()).await.unwrap_err();
        assert_eq!((no.kind(), no.reason()), (Kind::Conflict, ErrorReason::StaleRevision));
    }
    let nobody = Staff::new(two.id, Role::Manager);
    let no = proposal::sign::<Error>(&db, &command(proposal.id, Decision::Confirm, &nobody)).await.unwrap_err();
    assert_eq!(no.kind(), Kind::Forbidden);
    decide(&db, &confirm).await.unwrap();
}

// === the trail of staff ===

async fn append(db: &Db, action: &str) {
    let staff = Staff::new(Uuid::new_v4().into(), Role::Reviewer);
    let mut tx = db.begin().await.unwrap();
    let act = Act {
        staff: &staff,
        action,
        subject_id: "subject".to_owned(),
        member_id: Some(Uuid::new_v4().into()),
        before: Some(serde_json::json!({"status": "pending", "b": 1, "a": [1.5, null]})),
        after: None,
        address: "203.0.113.7",
    };
    audit::append(&mut tx, act).await.unwrap();
    tx.commit().await.unwrap();
}

async fn broken_at(db: &Db) -> Option<i64> {
    audit::broken_at(&mut *db.conn().await.unwrap()).await.unwrap()
}

/// [D-O3] The trail is append-only, for everybody, the owner of the table included.
#[sqlx::test(migrations = false)]
async fn the_trail_is_append_only(pool: PgPool) {
    let db = database(&pool).await;
    append(&db, "deposit.approve").await;
    for sql in ["UPDATE audit_rows SET action = 'x'", "DELETE FROM audit_rows", "TRUNCATE audit_rows"] {
        let error = pool.execute(sql).await.unwrap_err();
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
    assert_eq!(broken_at(&db).await, None);
}

/// [D-O3] Two services' tables may stand beside each other in the schemas of one database: each has its own trail, and neither
/// waits for the other.
#[sqlx::test(migrations = false)]
async fn schemas_of_a_database_do_not_wait_for_each_other(pool: PgPool) {
    let mut all = Vec::new();
    for name in ["one", "two"] {
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE SCHEMA {name}"))).execute(&pool).await.unwrap();
        let options = (*pool.connect_options()).clone().options([("search_path", name)]);
        let schema = PgPoolOptions::new().max_connections(2).connect_with(options).await.unwrap();
        all.push(database(&schema).await);
    }
    let mut tx = all[0].begin().await.unwrap();
    audit::append_own(&mut tx, "hold", "subject", serde_json::json!({})).await.unwrap();
    append(&all[1], "deposit.approve").await;
    tx.commit().await.unwrap();
    for db in &all {
        let newest = audit::newest(&mut db.conn().await.unwrap()).await.unwrap();
        assert_eq!(newest.unwrap().0, 1);
    }
}

async fn note_of(conn: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar("SELECT bucket FROM notes").fetch_one(conn).await
}

async fn notes_of_all(conn: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    Ok(chassis::across!(conn, note_of(conn)))
}

/// [D-H6] A bucket has its own tables and finds the shared ones in the first. A read across all of them comes home; a connection
/// that is dropped away from home is closed, and so is one that was cancelled on its way.
#[sqlx::test(migrations = false)]
async fn a_connection_visits_the_buckets_and_comes_home(pool: PgPool) {
    let note = ("1_note.sql", "CREATE TABLE notes (bucket text); CREATE INDEX notes_bucket ON audit_rows (action)");
    let shared = &["proposals", "audit_rows", "parked_events"];
    let bucketed = Some(Bucketed { name: "part", shared });
    let schema = Schema { migrations: migrator(&[note]).await, definitions: &[], bucketed };
    let buckets = Buckets { name: "part", count: 3 };
    let all = chassis::testing::buckets(pool.clone(), schema, buckets).await;
    for (number, db) in all.iter().enumerate() {
        let mut tx = db.begin().await.unwrap();
        sqlx::query("INSERT INTO notes VALUES ($1)").bind(number.to_string()).execute(&mut *tx).await.unwrap();
        audit::append_own(&mut tx, "note", "subject", serde_json::json!({})).await.unwrap();
        tx.commit().await.unwrap();
    }
    let mut conn = all[1].conn().await.unwrap();
    assert_eq!(notes_of_all(&mut conn).await.unwrap(), ["0", "1", "2"]);
    assert_eq!(note_of(&mut conn).await.unwrap(), "1");
    // One trail for all.
    assert_eq!(audit::newest(&mut conn).await.unwrap().unwrap().0, 3);
    conn.enter(2).await.unwrap();
    drop(conn);
    assert_eq!(note_of(&mut all[1].conn().await.unwrap()).await.unwrap(), "1");
    let shown: Vec<String> =
        sqlx::query_scalar("SELECT bucket FROM part_all.notes ORDER BY bucket").fetch_all(&pool).await.unwrap();
    assert_eq!(shown, ["0", "1", "2"]);
    // What is shared is in one place, and the migration says so.
    pool.execute("CREATE TABLE part_02.proposals ()").await.unwrap();
    let error = db::migrate(&pool, schema).await.unwrap_err().to_string();
    assert_eq!(error, "part_02 is not as the first bucket: proposals");
    pool.execute("DROP TABLE part_02.proposals; DROP TABLE part_02.notes CASCADE").await.unwrap();
    let error = db::migrate(&pool, schema).await.unwrap_err().to_string();
    assert_eq!(error, "part_02 is not as the first bucket: notes");
    // A schema that is missing would be passed over.
    pool.execute("DROP SCHEMA part_02 CASCADE").await.unwrap();
    assert!(notes_of_all(&mut all[0].conn().await.unwrap()).await.is_err());
    let options = (*pool.connect_options()).clone();
    let url = options.to_url_lossy().to_string();
    let lost = Db::connect_buckets(&url, 4, buckets).unwrap().pop().unwrap();
    assert!(!lost.is_up().await);
}

/// [D-O3] A changed, missing or inserted row shows, although the trigger was out of the way.
#[sqlx::test(migrations = false)]
async fn a_tampered_trail_shows(pool: PgPool) {
    let db = database(&pool).await;
    // At once, so that the chain is proved to have one writer at a time.
    join_all((0..6).map(|_| append(&db, "deposit.approve"))).await;
    assert_eq!(broken_at(&db).await, None);
    pool.execute("ALTER TABLE audit_rows DISABLE TRIGGER audit_rows_append_only").await.unwrap();
    for (tamper, undo, broken) in [
        ("UPDATE audit_rows SET action = 'x' WHERE id = 3", "UPDATE audit_rows SET action = 'deposit.approve'", 3),
        ("UPDATE audit_rows SET assertion = 'x' WHERE id = 3", "UPDATE audit_rows SET assertion = NULL", 3),
        ("UPDATE audit_rows SET before = '{\"a\": 2}' WHERE id = 2", "", 2),
        ("DELETE FROM audit_rows WHERE id = 1", "", 2),
    ] {
        pool.execute(tamper).await.unwrap();
        assert_eq!(broken_at(&db).await, Some(broken), "{tamper}");
        if !undo.is_empty() {
            pool.execute(undo).await.unwrap();
            assert_eq!(broken_at(&db).await, None);
        }
    }
}

/// [Q4] That an event took effect is known for ninety days, far longer than it can come again.
#[sqlx::test(migrations = false)]
async fn handled_events_are_known_for_long(pool: PgPool) {
    let db = database(&pool).await;
    let sql = "INSERT INTO inbox SELECT gen_random_uuid(), 'k', clock_timestamp() - days * interval '1 day'
        FROM unnest(ARRAY[0, 8, 89, 90, 400]) AS days";
    pool.execute(sql).await.unwrap();
    assert_eq!(inbox::sweep(&db).await.unwrap(), 2);
    assert_eq!(inbox::sweep(&db).await.unwrap(), 0);
}
