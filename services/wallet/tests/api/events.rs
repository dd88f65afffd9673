//! Events in and out.

use chassis::bus::{Event, HandleError, Handler};
use prost::Message;
use proto::auth::v1::UserRegistered;
use proto::wallet::v1::{DepositConfirmed, WithdrawalPaid};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::events::consumed::Events;

use crate::fixture::{World, deposit, withdrawal};

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
    world.approve_with(&made, 19_000, "hash-1").await.unwrap();
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
    assert_eq!((facts.title.as_str(), facts.r#type.as_str(), facts.txid.as_str()), ("Deposit", "deposit", "hash-1"));
    assert_eq!((facts.currency.as_str(), facts.network.as_str()), ("USDT", "TRC20"));
    let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&out).await.unwrap();
    world.pay_with(&approved, "hash-2").await.unwrap();
    let event = WithdrawalPaid::decode(payload("wallet.v1.withdrawal_paid").await.as_slice()).unwrap();
    let facts = event.transaction.unwrap();
    assert_eq!((facts.amount_cents, facts.fee_cents, facts.net_amount_cents), (10_000, 250, 9_750));
    assert!(facts.address.starts_with("TDESTINATION") && facts.txid == "hash-2");
    assert_eq!(world.events().await.len(), 5);
}
