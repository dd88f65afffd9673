//! Events in and out.

use chassis::bus::{Event, HandleError, Handler};
use prost::Message;
use proto::auth::v1::{ActivityDisowned, UserRegistered};
use proto::wallet::v1::{DepositConfirmed, TransactionStatus, WithdrawalPaid};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use wallet::events::consumed::Events;

use crate::fixture::{World, deposit, hash, withdrawal};

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
    let events = Events { db: world.grpc.db.clone() };
    let (known, fresh) = (world.member(), Uuid::new_v4());
    world.wallet(&known).await;
    for event in [registered(&known.id.to_string()), registered(&fresh.to_string())] {
        for _ in 0..3 {
            events.handle(&event).await.unwrap();
        }
    }
    assert_eq!(world.count("SELECT count(*) FROM accounts WHERE user_id IS NOT NULL").await, 8);
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, 2);
}

fn disowned(user_id: Uuid, at: OffsetDateTime) -> Event {
    let payload = ActivityDisowned { user_id: user_id.to_string() }.encode_to_vec();
    Event { key: "auth.v1.activity_disowned".into(), payload, at, ..registered("") }
}

/// [D-A6] [L1] "This was not me" cancels a withdrawal to a destination that was never confirmed: its hold is released once,
/// and the owner can request one at once. What they requested after their report stays, and so does a confirmed one.
#[sqlx::test(migrations = false)]
async fn a_disowned_withdrawal_is_cancelled_unless_it_was_confirmed(pool: PgPool) {
    let world = World::new(pool).await;
    let events = Events { db: world.grpc.db.clone() };
    let member = world.member_with(50_000).await;
    let stolen = world.withdraw_anywhere(&member, withdrawal(40_000)).await.unwrap();
    let report = disowned(member.id, OffsetDateTime::now_utc());
    for _ in 0..3 {
        events.handle(&report).await.unwrap();
    }
    let seen = world.transaction(&member, &stolen.id).await.unwrap();
    assert_eq!((seen.status(), seen.reason_code.as_str()), (TransactionStatus::Failed, "MEMBER_REQUEST"));
    assert!(seen.description.starts_with("Cancelled because"), "{}", seen.description);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents), (50_000, 0));
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.withdrawal_rejected");
    let cancelled = "SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.cancel' AND actor_role = 'system'";
    assert_eq!(world.count(cancelled).await, 1);

    world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    events.handle(&disowned(member.id, OffsetDateTime::now_utc() - Duration::hours(1))).await.unwrap();
    assert_eq!(world.wallet(&member).await.held_cents, 10_000, "requested after the report");
    world.know(&member, "TDESTINATIONxxxxxxxxxxxxxxxxxxxxxx", "").await;
    events.handle(&disowned(member.id, OffsetDateTime::now_utc())).await.unwrap();
    assert_eq!(world.wallet(&member).await.held_cents, 10_000, "confirmed");
    assert_eq!(world.count(cancelled).await, 1);
    events.handle(&disowned(Uuid::new_v4(), OffsetDateTime::now_utc())).await.unwrap();
    world.assert_books().await;
}

/// [Q6] What can never take effect is poison, and kept as a dead letter.
#[sqlx::test(migrations = false)]
async fn nonsense_is_poison(pool: PgPool) {
    let world = World::new(pool).await;
    let events = Events { db: world.grpc.db.clone() };
    let garbage = Event { payload: vec![0xff], ..registered("x") };
    let foreign = Event { key: "auth.v1.password_changed".into(), ..registered("x") };
    for event in [registered("no id"), garbage, foreign] {
        assert!(matches!(events.handle(&event).await, Err(HandleError::Poison(_))));
    }
    events.keep_dead_letter("some-id", "key", &[1], "cause").await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM parked_events").await, 1);
}

/// [D-E2] [Q2] An event tells everything the mail needs, one row a change.
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
