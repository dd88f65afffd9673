//! Events in and out.

use chassis::bus::{Event, HandleError, Handler};
use chassis::clock;
use chassis::identity::PayoutState;
use prost::Message;
use proto::auth::v1::{ActivityDisowned, UserRegistered};
use proto::common::v1::{ChainEvidence, ChainPayment};
use proto::wallet::v1::{DepositConfirmed, TransactionStatus, WithdrawalPaid};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fixture::{World, code, deposit, hash, withdrawal};

fn registered(user_id: &str) -> Event {
    Event {
        id: Uuid::now_v7(),
        key: "auth.v1.user_registered".into(),
        aggregate_id: Uuid::new_v4(),
        payload: UserRegistered { user_id: user_id.into() }.encode_to_vec(),
        at: OffsetDateTime::now_utc(),
    }
}

/// [D-E3] [Q4] A registration makes the accounts, however often it is delivered, also after their first need.
#[sqlx::test(migrations = false)]
async fn a_registration_makes_the_accounts_once(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let (known, fresh) = (world.member(), Uuid::new_v4());
    world.wallet(&known).await;
    for event in [registered(&known.id.to_string()), registered(&fresh.to_string())] {
        for _ in 0..3 {
            events.handle(&event).await.unwrap();
        }
    }
    assert_eq!(world.count_all("SELECT count(*) FROM accounts WHERE user_id IS NOT NULL").await, 8);
    assert_eq!(world.count_all("SELECT count(*) FROM inbox").await, 2);
}

fn disowned(user_id: impl std::fmt::Display, at: OffsetDateTime) -> Event {
    let message = ActivityDisowned { user_id: user_id.to_string(), reported_at: Some(clock::to_proto(at)) };
    // That of the message has whole seconds.
    let at = at.replace_nanosecond(0).unwrap();
    Event { key: "auth.v1.activity_disowned".into(), payload: message.encode_to_vec(), at, ..registered("") }
}

/// Puts everything that the member did so far this many hours back.
async fn age(world: &World, hours: i32) {
    let statement = format!(
        "SET session_replication_role = replica;
         UPDATE transactions SET created_at = created_at - interval '{hours} hours';
         UPDATE destinations SET known_at = known_at - interval '{hours} hours'; SET session_replication_role = DEFAULT"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&world.pool).await.unwrap();
}

const CANCELLED: &str = "SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.cancel' AND actor_role = 'system'";

/// [D-A6] [D-M10] [L1] "This was not me" cancels the open withdrawal, confirmed, approved or not: its hold is released once,
/// and the owner can request one at once. Its destination has to be confirmed again.
#[sqlx::test(migrations = false)]
async fn a_disowned_withdrawal_is_cancelled(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let member = world.member_with(50_000).await;
    for (number, step) in ["requested", "confirmed", "approved"].into_iter().enumerate() {
        let stolen = world.withdraw_anywhere(&member, withdrawal(40_000)).await.unwrap();
        if step != "requested" {
            world.know(&member, &withdrawal(1).address, "").await;
        }
        if step == "approved" {
            world.approve(&stolen).await.unwrap();
        }
        // Interpolated, the time of the request may be a little ahead.
        let report = disowned(member.id, OffsetDateTime::now_utc() + Duration::SECOND);
        for _ in 0..3 {
            events.handle(&report).await.unwrap();
        }
        let seen = world.transaction(&member, &stolen.id).await.unwrap();
        assert_eq!((seen.status(), seen.reason_code.as_str()), (TransactionStatus::Failed, "MEMBER_REQUEST"), "{step}");
        assert!(seen.description.starts_with("Cancelled because"), "{}", seen.description);
        let wallet = world.wallet(&member).await;
        assert_eq!((wallet.available_cents, wallet.held_cents), (50_000, 0), "{step}");
        assert_eq!(world.events().await.last().unwrap(), "wallet.v1.withdrawal_rejected");
        assert_eq!(world.count(CANCELLED).await, i64::try_from(number).unwrap() + 1);
    }
    assert_eq!(world.count("SELECT count(*) FROM destinations").await, 0);
    assert_eq!(world.count("SELECT count(*) FROM disowned_destinations").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'destination.disown'").await, 2);
    let own = world.withdraw_anywhere(&member, withdrawal(40_000)).await.unwrap();
    assert!(own.needs_confirmation);
    events.handle(&disowned(Uuid::new_v4(), OffsetDateTime::now_utc())).await.unwrap();
    world.assert_books().await;
}

/// [D-M10] What is older than the links of security emails, and what the owner does after the report, stays.
#[sqlx::test(migrations = false)]
async fn a_report_leaves_the_rest(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let member = world.member_with(50_000).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let reported = OffsetDateTime::now_utc() - Duration::hours(1);
    events.handle(&disowned(member.id, reported)).await.unwrap();
    assert_eq!(world.wallet(&member).await.held_cents, 10_000, "requested after the report");
    world.know(&member, &withdrawal(1).address, "").await;
    age(&world, 73).await;
    events.handle(&disowned(member.id, OffsetDateTime::now_utc())).await.unwrap();
    assert_eq!(world.wallet(&member).await.held_cents, 10_000, "requested and confirmed long before");
    assert_eq!(world.count("SELECT count(*) FROM destinations").await, 1);
    assert_eq!(world.count(CANCELLED).await, 0);
    world.assert_books().await;
}

/// [D-M10] [D-D2] A payout that may be on its way is not given back by a machine: the lease ends and is not renewed, and staff
/// see why; one that the chain shows stays.
#[sqlx::test(migrations = false)]
async fn a_disowned_payout_that_is_being_paid_is_left_to_staff(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let member = world.member_with(500_000).await;
    let stolen = world.withdraw(&member, withdrawal(200_000)).await.unwrap();
    let leased = world.lease_as(&world.treasurer, &world.approve(&stolen).await.unwrap()).await.unwrap();
    let reported = OffsetDateTime::now_utc();
    world.realm.tell_payouts(member.id, PayoutState { disowned_at: Some(reported), ..PayoutState::default() });
    events.handle(&disowned(member.id, reported)).await.unwrap();
    let seen = world.review(&stolen.id).await;
    let check = seen.checks.iter().find(|check| check.name == "activity_disowned").unwrap();
    assert!(!check.ok && check.detail.contains("reject it, unless it was already paid"), "{}", check.detail);
    let seen = seen.transaction.unwrap();
    assert!(seen.status() == TransactionStatus::Pending && seen.paying.is_none() && seen.revision > leased.revision);
    assert_eq!(code(world.lease_as(&world.treasurer, &seen).await), "PAYOUTS_STOPPED");
    assert_eq!(code(world.pay_as(&world.treasurer, &leased, (&world.new_txid(), None)).await), "STALE_REVISION");
    world.reject(&seen, "MEMBER_REQUEST").await.unwrap();
    assert_eq!(world.wallet(&member).await.available_cents, 500_000);

    let own = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let check = world.review(&own.id).await.checks.into_iter().find(|check| check.name == "activity_disowned").unwrap();
    assert!(!check.ok && check.detail.contains("requested afterwards"), "{}", check.detail);
    world.approve(&own).await.unwrap();
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence {
        payments: vec![ChainPayment { state: "seen".to_owned(), ..Default::default() }],
        ..Default::default()
    });
    events.handle(&disowned(member.id, OffsetDateTime::now_utc())).await.unwrap();
    assert_eq!(world.wallet(&member).await.held_cents, 10_000, "on its way");
    world.assert_books().await;
}

/// [D-M10] Saved methods are taken back, too; that payment-method is away delays no cancellation.
#[sqlx::test(migrations = false)]
async fn a_report_takes_saved_methods_back(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let member = world.member_with(50_000).await;
    world.withdraw_anywhere(&member, withdrawal(40_000)).await.unwrap();
    let report = disowned(member.id, OffsetDateTime::now_utc());
    world.methods_away.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(events.handle(&report).await, Err(HandleError::Transient(_))));
    assert_eq!(world.wallet(&member).await.held_cents, 0);
    world.methods_away.store(false, std::sync::atomic::Ordering::Relaxed);
    events.handle(&report).await.unwrap();
    let asked = world.taken_back.lock().unwrap().clone();
    let [asked] = &asked[..] else { panic!("asked {} times", asked.len()) };
    let (since, until) = (asked.since.unwrap(), asked.until.unwrap());
    assert_eq!((&*asked.user_id, until.seconds - since.seconds), (&*member.id.to_string(), 72 * 3_600));
}

/// [Q6] What can never take effect is poison, and kept as a dead letter.
#[sqlx::test(migrations = false)]
async fn nonsense_is_poison(pool: PgPool) {
    let world = World::new(pool).await;
    let events = world.consumer();
    let garbage = Event { payload: vec![0xff], ..registered("x") };
    let foreign = Event { key: "auth.v1.password_changed".into(), ..registered("x") };
    for event in [registered("no id"), garbage, foreign] {
        assert!(matches!(events.handle(&event).await, Err(HandleError::Poison(_))));
    }
    events.keep_dead_letter("some-id", "key", &[1], "cause").await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM dead_letters").await, 1);
}

/// [D-E2] [Q2] An event carries everything the mail needs, one row a change.
#[sqlx::test(migrations = false)]
async fn an_event_tells_the_facts(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(20_000)).await.unwrap();
    world.approve_with(&made, 19_000, &hash("hash-1")).await.unwrap();
    let payload = |key: &'static str| {
        let pool = pool.clone();
        async move {
            let sql = "SELECT payload FROM outbox WHERE key = $1";
            sqlx::query_scalar::<_, Vec<u8>>(sql).bind(key).fetch_all(&pool).await.unwrap().remove(0)
        }
    };
    let event = DepositConfirmed::decode(payload("wallet.v1.deposit_confirmed").await.as_slice()).unwrap();
    let facts = event.transaction.unwrap();
    assert_eq!((facts.transaction_id, facts.user_id), (made.id, member.id.to_string()));
    assert_eq!((facts.amount_cents, facts.claimed_amount_cents), (19_000, 20_000));
    assert_eq!((facts.title.as_str(), facts.r#type.as_str(), facts.txid), ("Deposit", "deposit", hash("hash-1")));
    assert_eq!((facts.currency.as_str(), facts.network.as_str()), ("USDT", "TRC20"));
    let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&out).await.unwrap();
    world.pay_with(&approved, &hash("hash-2")).await.unwrap();
    let event = WithdrawalPaid::decode(payload("wallet.v1.withdrawal_paid").await.as_slice()).unwrap();
    let facts = event.transaction.unwrap();
    assert_eq!((facts.amount_cents, facts.fee_cents, facts.net_amount_cents), (10_000, 250, 9_750));
    assert!(facts.address.starts_with("TDESTINATION") && facts.txid == hash("hash-2"));
    assert_eq!(world.events().await.len(), 5);
}
