//! Faults between the steps of opening and ending a trade.

use chassis::error::Kind;
use proto::trade::v1::TradeStatus;
use sqlx::PgPool;

use crate::fixture::{World, refused, refused_before, settled};
use crate::wallet::{Fault, Line};

/// [K6] [Q1] While wallet is away nothing is lost: the key says so, and shows the end once it is back.
#[sqlx::test(migrations = false)]
async fn an_opening_survives_an_absent_wallet(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(50_000);
    world.wallet.fail(Fault::Away);
    assert_eq!(refused(world.create(&member, plan_id, 20_000, Some("k")).await).kind, Kind::Unavailable);
    assert_eq!(refused(world.create(&member, plan_id, 20_000, Some("k")).await).code, "IDEMPOTENCY_KEY_IN_FLIGHT");
    world.sweep().await;
    assert_eq!(world.statuses().await, ["opening"]);
    // It is not invested yet, but shown as being opened.
    assert!(world.trades(&member, false).await.is_empty());
    assert_eq!(world.trades(&member, true).await[0].status(), TradeStatus::Opening);

    world.wallet.fail(None);
    world.sweep().await;
    let answer = settled(|| world.create(&member, plan_id, 20_000, Some("k"))).await;
    assert!(answer.replayed);
    assert_eq!(answer.trade.status(), TradeStatus::Open);
    assert_eq!(world.balance(&member), 30_000);
    assert_eq!(world.events().await, ["trade.v1.trade_opened"]);
}

/// [K6] [T1] Wallet took the money, and its answer was lost or the process died before recording it: the trade is opened
/// once.
#[sqlx::test(migrations = false)]
async fn an_opening_survives_a_lost_answer(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(50_000);
    world.wallet.fail(Fault::LostAnswer);
    assert_eq!(refused(world.create(&member, plan_id, 20_000, Some("k")).await).kind, Kind::Unavailable);
    assert_eq!(world.balance(&member), 30_000);
    world.wallet.fail(None);
    // Two sweepers at once.
    tokio::join!(world.sweep(), world.sweep());
    assert_eq!(world.balance(&member), 30_000);
    assert_eq!(world.statuses().await, ["open"]);
    assert_eq!(world.events().await, ["trade.v1.trade_opened"]);
    assert!(settled(|| world.create(&member, plan_id, 20_000, Some("k"))).await.replayed);
}

/// [K6] [T1] A refusal whose answer was lost becomes the key's answer.
#[sqlx::test(migrations = false)]
async fn a_lost_refusal_is_told_later(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(5_000);
    world.wallet.fail(Fault::LostAnswer);
    assert_eq!(refused(world.create(&member, plan_id, 20_000, Some("k")).await).kind, Kind::Unavailable);
    world.wallet.fail(None);
    world.sweep().await;
    let told = world.create(&member, plan_id, 20_000, Some("k")).await;
    assert!(refused_before(&told));
    assert_eq!(refused(told).code, "INSUFFICIENT_BALANCE");
    assert_eq!(world.statuses().await, ["failed"]);
    assert!(world.events().await.is_empty());
}

/// [K6] A wallet that does not trust the caller decides nothing: the member has to come back, the saga goes on.
#[sqlx::test(migrations = false)]
async fn distrust_is_no_decision(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(50_000);
    world.wallet.fail(Fault::Distrust);
    let refusal = refused(world.create(&member, plan_id, 20_000, None).await);
    assert_eq!(refusal.kind, Kind::Internal);
    assert!(!refusal.message.contains("wallet"));
    assert_eq!(world.statuses().await, ["opening"]);
    world.wallet.fail(None);
    world.sweep().await;
    assert_eq!(world.statuses().await, ["open"]);
}

/// [A15] A saga that wallet answers against its contract is put off longer each time, with the cause beside it, and counts
/// as stuck until it is finished; one whose wallet is away is not.
#[sqlx::test(migrations = false)]
async fn a_saga_that_needs_people_is_put_off(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(50_000);
    let seconds_left = async || -> i64 {
        let sql = "SELECT extract(epoch FROM resume_at - clock_timestamp())::bigint FROM trades";
        sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap()
    };
    let stuck = async || trade::store::trades::stuck(&mut world.db.conn().await.unwrap()).await.unwrap();
    world.wallet.fail(Fault::Away);
    refused(world.create(&member, plan_id, 20_000, None).await);
    world.sweep().await;
    assert!((0..=5).contains(&seconds_left().await));
    assert_eq!(stuck().await, 0);
    world.wallet.fail(Fault::Distrust);
    let mut before = 0;
    for _ in 0..4 {
        world.sweep().await;
        let left = seconds_left().await;
        assert!(left > before, "{left} s after {before} s");
        before = left;
    }
    assert_eq!(stuck().await, 1);
    let cause: String = sqlx::query_scalar("SELECT stuck_cause FROM trades").fetch_one(&pool).await.unwrap();
    assert!(!cause.is_empty());
    world.wallet.fail(None);
    world.sweep().await;
    assert_eq!((world.statuses().await, stuck().await), (vec!["open".to_owned()], 0));
}

/// [K6] [T2] [D-I4] The value that was decided is paid once, however late, and no matter what the plan is worth by then.
#[sqlx::test(migrations = false)]
async fn an_end_survives_absence_and_lost_answers(pool: PgPool) {
    for fault in [Fault::Away, Fault::LostAnswer] {
        let world = World::new(fresh(&pool).await).await;
        let plan_id = world.valued_plan().await;
        let member = world.member(20_000);
        let id = world.create(&member, plan_id, 20_000, None).await.unwrap().trade.id;
        world.publish(plan_id, 1_100_000, None).await;
        world.wallet.fail(fault);
        assert_eq!(refused(world.claim(&member, &id, Some("k")).await).kind, Kind::Unavailable);
        assert_eq!(refused(world.claim(&member, &id, Some("k")).await).code, "IDEMPOTENCY_KEY_IN_FLIGHT");
        assert_eq!(refused(world.claim(&member, &id, None).await).code, "TRADE_ALREADY_CLOSED");
        world.publish(plan_id, 400_000, None).await;
        assert_eq!(refused(world.close(&member, &id, None).await).code, "TRADE_ALREADY_CLOSED");
        let shown = world.trades(&member, false).await;
        assert_eq!((shown[0].status(), shown[0].current_value_cents), (TradeStatus::Settling, 22_000));

        world.wallet.fail(None);
        tokio::join!(world.sweep(), world.sweep());
        let answer = settled(|| world.claim(&member, &id, Some("k"))).await;
        assert!(answer.replayed);
        assert_eq!((answer.trade.status(), answer.trade.current_value_cents), (TradeStatus::Claimed, 22_000));
        assert_eq!(world.balance(&member), 22_000);
        assert_eq!(world.wallet.books().trades[&id], Line::Settled(20_000, 22_000));
        assert_eq!(world.events().await, ["trade.v1.trade_opened", "trade.v1.trade_claimed"]);
    }
}

/// [K6] A saga is left alone until its driver's time is over, and its next time comes within five seconds.
#[sqlx::test(migrations = false)]
async fn a_saga_belongs_to_one_driver_at_a_time(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(20_000);
    world.wallet.fail(Fault::Away);
    refused(world.create(&member, plan_id, 20_000, None).await);
    assert_eq!(trade::app::resume_trades::resume_trades(&world.db, &world.grpc.wallet).await.unwrap(), 0);
    for _ in 0..20 {
        world.sweep().await;
    }
    let seconds: i64 =
        sqlx::query_scalar("SELECT extract(epoch FROM resume_at - clock_timestamp())::bigint FROM trades")
            .fetch_one(&world.pool)
            .await
            .unwrap();
    assert!((0..=5).contains(&seconds), "{seconds}");
}

/// The database of this test, emptied for another round.
async fn fresh(pool: &PgPool) -> PgPool {
    sqlx::raw_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public").execute(pool).await.unwrap();
    pool.clone()
}
