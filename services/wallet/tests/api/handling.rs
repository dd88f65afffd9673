//! How staff works together: times, who looks at what, and events that could not take effect.

use chassis::bus::Handler;
use chassis::identity::Role;
use chassis::testing::with_token;
use prost::Message;
use proto::auth::v1::UserRegistered;
use proto::common::v1::AuditFilter;
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::dead_letter_service_server::DeadLetterService;
use proto::common::v1::{ListAuditRowsRequest, ListDeadLettersRequest, ReplayDeadLetterRequest};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{World, code, course_payment, deposit, withdrawal};

async fn queue_times(world: &World) -> Vec<(String, i64, i64)> {
    let answer = world.grpc.get_queue(with_token(GetQueueRequest {}, &world.reviewer)).await.unwrap();
    tell(answer.into_inner().times)
}

fn tell(times: Vec<HandlingTime>) -> Vec<(String, i64, i64)> {
    times.into_iter().map(|one| (one.kind, one.median_seconds, one.p90_seconds)).collect()
}

/// [D-O2] Median and 90th percentile of the last 24 hours, by kind, for staff; in whole seconds. Of a kind of which
/// fewer than ten were handled nothing is said: such figures would mean nothing.
#[sqlx::test(migrations = false)]
async fn staff_sees_how_long_decisions_took(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    assert!(queue_times(&world).await.is_empty());
    let member = world.member();
    // Waited 100, 200, … 1,000 seconds, one of them rejected; one course payment among them.
    for n in 1..=10i32 {
        let made = match n {
            4 => world.deposit(&member, course_payment()).await.unwrap(),
            _ => world.deposit(&member, deposit(100_000)).await.unwrap(),
        };
        sqlx::query(
            "UPDATE transactions SET created_at = created_at - $2::int * interval '100 seconds' WHERE id::text = $1",
        )
        .bind(&made.id)
        .bind(n)
        .execute(&pool)
        .await
        .unwrap();
        if n == 7 {
            world.reject(&made, "OTHER").await.unwrap()
        } else {
            world.approve(&made).await.unwrap()
        };
        assert_eq!(queue_times(&world).await.is_empty(), n < 10, "{n}");
    }
    let of = |kind: &str, median, p90| (kind.to_owned(), median, p90);
    // What an approval froze is moved into the past here.
    let unfreeze = "ALTER TABLE transactions DISABLE TRIGGER transactions_paid_as_approved";
    sqlx::query(unfreeze).execute(&pool).await.unwrap();
    for n in 1..=10 {
        let made = world.withdraw(&member, withdrawal(5_000)).await.unwrap();
        let age = async |sql: &'static str| sqlx::query(sql).bind(&made.id).execute(&pool).await.unwrap();
        age("UPDATE transactions SET created_at = created_at - interval '1 hour' WHERE id::text = $1").await;
        let approved = world.approve(&made).await.unwrap();
        age("UPDATE transactions SET approved_at = approved_at - interval '10 minutes' WHERE id::text = $1").await;
        if n == 10 {
            // Approved counts as reviewed before it is paid; nine payouts are too few.
            assert_eq!(queue_times(&world).await, [of("deposit", 500, 900), of("withdrawal", 3_000, 3_000)]);
        }
        world.pay(&approved).await.unwrap();
    }
    assert_eq!(
        queue_times(&world).await,
        [of("deposit", 500, 900), of("payout", 600, 600), of("withdrawal", 3_000, 3_000)]
    );
    // A member sees the whole way; the answer is the same for a minute.
    let ask = async || {
        let answer = world.grpc.get_times(with_token(GetTimesRequest {}, &member.token)).await.unwrap();
        tell(answer.into_inner().times)
    };
    let told = [of("deposit", 500, 900), of("withdrawal", 3_600, 3_600)];
    assert_eq!(ask().await, told);
    for _ in 0..2 {
        let made = world.deposit(&member, deposit(10_000)).await.unwrap();
        world.approve(&made).await.unwrap();
    }
    assert_eq!(ask().await, told);
    // An open request says when nine of ten were over, of both kinds.
    let open = world.deposit(&member, deposit(10_000)).await.unwrap();
    let history = world.history(&member).await;
    let line = history.iter().find(|line| line.id == open.id).unwrap();
    let review = line.steps.iter().find(|step| step.key == "reviewed").unwrap();
    let asked = line.created_at.unwrap().seconds;
    assert_eq!(review.expected_by.map(|by| by.seconds), Some(asked + 900));
    assert!(
        history.iter().filter(|line| line.status() == TransactionStatus::Success).all(|line| {
            line.steps.iter().all(|step| step.state() == StepState::Done && step.expected_by.is_none())
        })
    );
    assert_ne!(queue_times(&world).await[0], told[0]);
    // Visitors and staff have no such times.
    assert_eq!(code(world.grpc.get_times(with_token(GetTimesRequest {}, &world.reviewer)).await), "PERMISSION_DENIED");
}

/// What was handled more than a day ago, and what nobody handled, does not count.
#[sqlx::test(migrations = false)]
async fn only_the_last_day_counts(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member();
    for _ in 0..10 {
        let made = world.deposit(&member, deposit(10_000)).await.unwrap();
        world.approve(&made).await.unwrap();
        world.buy_course(&world.member_with(10_000).await).await.unwrap();
    }
    assert_eq!(queue_times(&world).await.len(), 1);
    sqlx::raw_sql(
        "ALTER TABLE transactions DISABLE TRIGGER ALL;
         UPDATE transactions SET decided_at = decided_at - interval '25 hours' WHERE kind = 'deposit';
         ALTER TABLE transactions ENABLE TRIGGER ALL",
    )
    .execute(&pool)
    .await
    .unwrap();
    assert!(queue_times(&world).await.is_empty());
}

/// [D-O2] Two who look at the same transaction see each other, for 20 seconds; nobody sees themselves.
#[sqlx::test(migrations = false)]
async fn two_reviewers_see_each_other(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member();
    let (made, other) = (
        world.deposit(&member, deposit(10_000)).await.unwrap(),
        world.deposit(&member, deposit(10_000)).await.unwrap(),
    );
    let (first, second) = (world.realm.staff(Role::Reviewer), world.realm.staff(Role::Auditor));
    let look = async |token: &str, id: &str| {
        let request = with_token(NoteViewingRequest { transaction_id: id.to_owned() }, token);
        world.grpc.note_viewing(request).await.map(|answer| answer.into_inner().viewer_ids)
    };
    assert!(look(&first.1, &made.id).await.unwrap().is_empty());
    assert_eq!(look(&second.1, &made.id).await.unwrap(), [first.0.to_string()]);
    assert_eq!(look(&first.1, &made.id).await.unwrap(), [second.0.to_string()]);
    assert!(look(&first.1, &other.id).await.unwrap().is_empty());
    sqlx::query("UPDATE viewings SET seen_at = seen_at - interval '21 seconds' WHERE staff_id = $1")
        .bind(second.0)
        .execute(&pool)
        .await
        .unwrap();
    assert!(look(&first.1, &made.id).await.unwrap().is_empty());
    sqlx::query("UPDATE viewings SET seen_at = seen_at - interval '2 minutes'").execute(&pool).await.unwrap();
    look(&second.1, &other.id).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM viewings").await, 2, "what is over is forgotten");
    assert_eq!(code(look(&first.1, &Uuid::new_v4().to_string()).await), "NOT_FOUND");
    assert_eq!(code(look(&member.token, &made.id).await), "PERMISSION_DENIED");
}

/// [Q4] [Q6] [D-O3] A dead letter is shown, and takes effect once when it is replayed; what is still poison stays.
#[sqlx::test(migrations = false)]
async fn a_dead_letter_is_replayed_once(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let events = world.consumer();
    let (good, user_id) = (Uuid::now_v7().to_string(), Uuid::new_v4());
    let payload = UserRegistered { user_id: user_id.to_string() }.encode_to_vec();
    events.keep_dead_letter(&good, "auth.v1.user_registered", &payload, "the database was full").await.unwrap();
    let poison = Uuid::now_v7().to_string();
    events.keep_dead_letter(&poison, "auth.v1.user_registered", &[0xff], "first look").await.unwrap();
    events.keep_dead_letter("", "auth.v1.user_registered", &payload, "no message id").await.unwrap();
    let (admin_id, admin) = world.realm.staff(Role::Admin);
    let list = async || {
        let request = with_token(ListDeadLettersRequest {}, &world.treasurer);
        let letters = world.grpc.dead_letters().list_dead_letters(request).await.unwrap().into_inner().dead_letters;
        letters.into_iter().map(|one| (one.id, one.queue, one.cause)).collect::<Vec<_>>()
    };
    let before = list().await;
    assert_eq!(before.len(), 3);
    assert!(before.contains(&(good.clone(), "wallet.events".to_owned(), "the database was full".to_owned())));
    let replay = async |id: &str, token: &str| {
        let request =
            ReplayDeadLetterRequest { id: id.to_owned(), client_address: "192.0.2.1".to_owned(), ..Default::default() };
        world.grpc.dead_letters().replay_dead_letter(with_token(request, token)).await.map(drop)
    };
    for role in [Role::Reviewer, Role::Treasurer, Role::Manager, Role::Auditor] {
        assert_eq!(code(replay(&good, &world.realm.staff(role).1).await), "PERMISSION_DENIED");
    }
    let (one, other) = tokio::join!(replay(&good, &admin), replay(&good, &admin));
    assert!(one.is_ok() != other.is_ok(), "one of two takes it");
    assert_eq!(code(replay(&good, &admin).await), "NOT_FOUND");
    assert_eq!(code(replay(&poison, &admin).await), "DEAD_LETTER_UNUSABLE");
    assert_eq!(code(replay("", &admin).await), "DEAD_LETTER_UNUSABLE");
    let after = list().await;
    assert_eq!(after.len(), 2);
    assert!(after.iter().all(|(id, _, cause)| *id != good && cause != "first look"));
    assert_eq!(world.count_all("SELECT count(*) FROM accounts WHERE user_id IS NOT NULL").await, 4);
    assert_eq!(world.count_all("SELECT count(*) FROM inbox").await, 1);
    let filter = Some(AuditFilter { actor_id: admin_id.to_string(), ..Default::default() });
    let request = with_token(ListAuditRowsRequest { page: None, filter }, &admin);
    let rows = world.grpc.audit_log().list_audit_rows(request).await.unwrap().into_inner().rows;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].action.as_str(), rows[0].subject_id.as_str()), ("event.replay", good.as_str()));
    assert!(rows[0].before_json.contains("the database was full") && rows[0].address == "192.0.2.1");
}

/// [D-O3] The trail is filtered by who, what, whom and when.
#[sqlx::test(migrations = false)]
async fn the_trail_is_filtered(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let made = world.withdraw(&one, withdrawal(10_000)).await.unwrap();
    world.pay(&world.approve(&made).await.unwrap()).await.unwrap();
    let auditor = world.realm.staff(Role::Auditor).1;
    let find = async |filter: AuditFilter| {
        let request = with_token(ListAuditRowsRequest { page: None, filter: Some(filter) }, &auditor);
        let rows = world.grpc.audit_log().list_audit_rows(request).await?.into_inner().rows;
        Ok::<_, tonic::Status>(rows.into_iter().map(|row| (row.action, row.actor_id, row.at)).collect::<Vec<_>>())
    };
    let all = find(AuditFilter::default()).await.unwrap();
    assert_eq!(all.len(), 4);
    let count = async |filter| find(filter).await.unwrap().len();
    assert_eq!(count(AuditFilter { action: "withdrawal.".into(), ..Default::default() }).await, 2);
    assert_eq!(count(AuditFilter { action: "withdrawal.paid".into(), ..Default::default() }).await, 1);
    assert_eq!(count(AuditFilter { member_id: two.id.to_string(), ..Default::default() }).await, 1);
    assert_eq!(count(AuditFilter { actor_id: all[0].1.clone(), ..Default::default() }).await, 1);
    assert_eq!(count(AuditFilter { since: all[1].2, ..Default::default() }).await, 2);
    assert_eq!(count(AuditFilter { until: all[1].2, ..Default::default() }).await, 2);
    let bad = AuditFilter { member_id: "x".into(), ..Default::default() };
    assert_eq!(code(find(bad).await), "VALIDATION_FAILED");
}
