//! Claim and close.

use chassis::error::Kind;
use chassis::testing::with_token;
use prost::Message;
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::{TradeClaimed, TradeClosed, TradeStatus};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use trade::app::report_plans::report_plans;
use uuid::Uuid;

use crate::fixture::{Member, World, refused, refused_before, settled, value_draft};
use crate::wallet::Line;

async fn open(world: &World, plan_id: Uuid, cents: i64) -> (Member, String) {
    let member = world.member(cents);
    let trade = world.create(&member, plan_id, cents, None).await.unwrap().trade;
    (member, trade.id)
}

/// [API-14] [D-I4] [T2] A trade above its amount pays principal and gain and has ended.
#[sqlx::test(migrations = false)]
async fn a_claim_pays_the_value_and_ends_the_trade(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (member, id) = open(&world, plan_id, 10_001).await;
    world.publish(plan_id, 1_050_000, None).await;
    assert_eq!(world.trades(&member, false).await[0].current_value_cents, 10_501);
    let refusal = refused(world.close(&member, &id, None).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "TRADE_IN_PROFIT"));

    let claimed = world.claim(&member, &id, None).await.unwrap().trade;
    assert_eq!((claimed.status(), claimed.current_value_cents), (TradeStatus::Claimed, 10_501));
    assert!(claimed.closed_at.is_some());
    assert_eq!(world.balance(&member), 10_501);
    assert_eq!(world.events().await, ["trade.v1.trade_opened", "trade.v1.trade_claimed"]);
    let payload: Vec<u8> =
        sqlx::query_scalar("SELECT payload FROM outbox ORDER BY id DESC LIMIT 1").fetch_one(&world.pool).await.unwrap();
    let facts = TradeClaimed::decode(payload.as_slice()).unwrap().trade.unwrap();
    assert_eq!((facts.amount_cents, facts.value_cents), (10_001, 10_501));

    // The value is frozen, and no end is possible any more.
    world.publish(plan_id, 9_000_000, None).await;
    for result in [world.claim(&member, &id, None).await, world.close(&member, &id, None).await] {
        let refusal = refused(result);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "TRADE_ALREADY_CLOSED"));
    }
    assert!(world.trades(&member, false).await.is_empty());
    assert_eq!(world.trades(&member, true).await, [claimed]);
    assert_eq!(world.balance(&member), 10_501);
}

/// [API-15] [D-I4] A trade not above its amount pays what it is worth, even nothing.
#[sqlx::test(migrations = false)]
async fn a_close_pays_what_is_left(pool: PgPool) {
    let world = World::new(pool).await;
    for (micros, cents) in [(1_000_000, 20_000), (999_999, 19_999), (500_000, 10_000), (1, 0)] {
        let plan_id = world.valued_plan().await;
        let (member, id) = open(&world, plan_id, 20_000).await;
        world.publish(plan_id, micros, None).await;
        let refusal = refused(world.claim(&member, &id, None).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "NOT_IN_PROFIT"));
        let closed = world.close(&member, &id, None).await.unwrap().trade;
        assert_eq!((closed.status(), closed.current_value_cents), (TradeStatus::Closed, cents));
        assert_eq!(world.balance(&member), cents);
        assert_eq!(world.wallet.books().trades[&id], Line::Settled(20_000, cents));
        let payload: Vec<u8> = sqlx::query_scalar(
            "SELECT payload FROM outbox WHERE key = 'trade.v1.trade_closed' ORDER BY id DESC LIMIT 1",
        )
        .fetch_one(&world.pool)
        .await
        .unwrap();
        assert_eq!(TradeClosed::decode(payload.as_slice()).unwrap().trade.unwrap().value_cents, cents);
    }
}

/// [T2] [D-I4] Fifty claims and closes at once: one payout, the others are refused.
#[sqlx::test(migrations = false)]
async fn of_many_ends_one_pays(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (member, id) = open(&world, plan_id, 10_000).await;
    world.publish(plan_id, 1_500_000, None).await;
    let (claims, closes) = tokio::join!(
        futures::future::join_all((0..50).map(|_| world.claim(&member, &id, None))),
        futures::future::join_all((0..50).map(|_| world.close(&member, &id, None))),
    );
    assert_eq!(claims.iter().filter(|result| result.is_ok()).count(), 1);
    for status in claims.into_iter().chain(closes).filter_map(Result::err) {
        let code = chassis::error::from_status(&status).code;
        assert!(code == "TRADE_ALREADY_CLOSED" || code == "TRADE_IN_PROFIT", "{code}");
    }
    assert_eq!(world.balance(&member), 15_000);
    assert_eq!(world.events().await, ["trade.v1.trade_opened", "trade.v1.trade_claimed"]);
}

/// [D-G4] [L9] Fifty times the same key: one payout, one answer; a refusal is repeated too.
#[sqlx::test(migrations = false)]
async fn one_key_ends_once(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (member, id) = open(&world, plan_id, 10_000).await;
    let first = world.claim(&member, &id, Some("early")).await;
    assert!(!refused_before(&first));
    world.publish(plan_id, 1_500_000, None).await;
    let again = world.claim(&member, &id, Some("early")).await;
    assert!(refused_before(&again));
    assert_eq!(refused(again).code, "NOT_IN_PROFIT");

    let calls = (0..50).map(|_| world.claim(&member, &id, Some("late")));
    let answers = futures::future::join_all(calls).await;
    let (paid, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(paid.iter().flatten().filter(|answer| !answer.replayed).count(), 1);
    for status in refused.into_iter().filter_map(Result::err) {
        assert_eq!(chassis::error::from_status(&status).code, "IDEMPOTENCY_KEY_IN_FLIGHT");
    }
    let last = settled(|| world.claim(&member, &id, Some("late"))).await;
    assert!(last.replayed && paid.iter().flatten().all(|answer| answer.trade == last.trade));
    assert_eq!(world.balance(&member), 15_000);
}

/// [D-G3] [S3] Another member's trade is unknown, and nothing happens to it.
#[sqlx::test(migrations = false)]
async fn another_members_trade_is_unknown(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (member, id) = open(&world, plan_id, 10_000).await;
    let stranger = world.member(0);
    for id in [id.as_str(), &Uuid::new_v4().to_string(), "x", ""] {
        for result in [world.claim(&stranger, id, None).await, world.close(&stranger, id, None).await] {
            let refusal = refused(result);
            assert_eq!((refusal.kind, refusal.message.as_str()), (Kind::NotFound, "Trade not found"));
        }
    }
    assert!(world.trades(&stranger, true).await.is_empty());
    assert_eq!(world.trades(&member, false).await[0].status(), TradeStatus::Open);
    assert_eq!(world.balance(&stranger), 0);
}

/// [D-I1] After maturity the value in force at maturity counts, no matter what is published later.
#[sqlx::test(migrations = false)]
async fn the_value_is_frozen_at_maturity(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.plan().await;
    let now = OffsetDateTime::now_utc();
    for (days, micros) in [(40, 1_000_000), (12, 1_200_000), (5, 3_000_000)] {
        world.publish(plan_id, micros, Some(now - Duration::days(days))).await;
    }
    let member = world.member(0);
    let id = Uuid::now_v7();
    sqlx::query(
        "INSERT INTO trades (id, user_id, plan_id, plan_title, plan_min_cents, plan_max_cents, roi_basis_points,
                             duration_days, amount_cents, opening_value_micros, status, created_at, matures_at)
         VALUES ($1, $2, $3, 'Starter', 1, 100000, 0, 30, 10000, 1000000, 'open', $4, $5)",
    )
    .bind(id)
    .bind(member.id)
    .bind(plan_id)
    .bind(now - Duration::days(40))
    .bind(now - Duration::days(10))
    .execute(&world.pool)
    .await
    .unwrap();
    world.wallet.books().trades.insert(id.to_string(), Line::Funded(10_000));
    assert_eq!(world.trades(&member, false).await[0].current_value_cents, 12_000);
    assert_eq!(world.claim(&member, &id.to_string(), None).await.unwrap().trade.current_value_cents, 12_000);
    assert_eq!(world.balance(&member), 12_000);
}

/// [T2] [T3] The database itself refuses another end, other terms, a wrong side, and the loss of a row.
#[sqlx::test(migrations = false)]
async fn the_database_guards_trades(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (member, id) = open(&world, plan_id, 10_000).await;
    let refuses = async |sql: &'static str| {
        let id: Uuid = id.parse().unwrap();
        assert!(sqlx::query(sql).bind(id).execute(&world.pool).await.is_err(), "{sql}");
    };
    refuses("UPDATE trades SET amount_cents = 20000 WHERE id = $1").await;
    refuses("UPDATE trades SET user_id = gen_random_uuid() WHERE id = $1").await;
    refuses("UPDATE trades SET opening_value_micros = 1 WHERE id = $1").await;
    refuses("UPDATE trades SET status = 'claimed' WHERE id = $1").await;
    refuses("UPDATE trades SET status = 'settling', settle_kind = 'claim', settle_value_cents = 10000, resume_at = now() WHERE id = $1").await;
    refuses("UPDATE trades SET status = 'settling', settle_kind = 'close', settle_value_cents = 10001, resume_at = now() WHERE id = $1").await;
    refuses("DELETE FROM trades WHERE id = $1").await;
    world.close(&member, &id, None).await.unwrap();
    refuses("UPDATE trades SET settle_value_cents = 9999 WHERE id = $1").await;
    refuses("UPDATE trades SET status = 'open', settle_kind = NULL, settle_value_cents = NULL, ended_at = NULL WHERE id = $1").await;
    assert!(sqlx::query("TRUNCATE trades").execute(&world.pool).await.is_err());
}

/// [D-T2] A claim that the cash of its plan does not cover is accepted and waits: as settling, with the time since when, also under
/// its key. The one that has waited for longest is paid first, and a smaller one does not overtake it.
#[sqlx::test(migrations = false)]
async fn claims_wait_for_cash_in_order(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (first, large) = open(&world, plan_id, 40_000).await;
    let (second, small) = open(&world, plan_id, 10_000).await;
    let (third, lost) = open(&world, plan_id, 10_000).await;
    world.publish(plan_id, 1_100_000, None).await;
    world.wallet.books().cash = Some(3_999);
    for _ in 0..2 {
        let claimed = world.claim(&first, &large, Some("key")).await.unwrap().trade;
        assert_eq!((claimed.status(), claimed.current_value_cents), (TradeStatus::Settling, 44_000));
        assert!(claimed.waiting_since.is_some());
    }
    let claimed = world.claim(&second, &small, None).await.unwrap().trade;
    assert!(claimed.status() == TradeStatus::Settling && claimed.waiting_since.is_some());
    world.sweep().await;
    assert_eq!((world.balance(&first), world.balance(&second)), (0, 0));
    // What is not a gain waits for nothing.
    world.publish(plan_id, 900_000, None).await;
    assert_eq!(world.close(&third, &lost, None).await.unwrap().trade.status(), TradeStatus::Closed);
    world.wallet.books().cash = Some(4_999);
    world.sweep().await;
    world.sweep().await;
    assert_eq!((world.balance(&first), world.balance(&second)), (44_000, 0));
    world.wallet.books().cash = Some(1_000);
    world.sweep().await;
    assert_eq!((world.balance(&first), world.balance(&second)), (44_000, 11_000));
    let paid = &world.trades(&second, true).await[0];
    assert_eq!((paid.status(), paid.waiting_since), (TradeStatus::Claimed, None));
    // [D-M7] Each of those that waited was said once.
    let told: i64 = sqlx::query_scalar("SELECT count(*) FROM outbox WHERE key = 'trade.v1.payout_delayed'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(told, 2);
}

/// [D-T3] A higher value is published only while the plan is backed at it, a lower one always. Wallet receives what open trades cost
/// and are worth, claims that wait among them.
#[sqlx::test(migrations = false)]
async fn a_value_is_published_while_the_plan_is_backed(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let (first, one) = open(&world, plan_id, 40_000).await;
    open(&world, plan_id, 10_001).await;
    let publish = async |micros| {
        let draft = value_draft(plan_id, micros, None);
        let proposed = world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await.unwrap();
        world.confirm(&proposed.into_inner().proposal.unwrap().id, 1).await
    };
    world.wallet.books().cash = Some(5_000);
    publish(1_100_000).await.unwrap();
    let no = refused(publish(1_100_100).await);
    assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, "NOT_BACKED"));
    world.wallet.books().cash = Some(0);
    publish(1_099_999).await.unwrap();
    world.claim(&first, &one, None).await.unwrap();
    publish(500_000).await.unwrap();
    report_plans(&world.db, &world.grpc.wallet).await.unwrap();
    assert_eq!(world.wallet.books().reported, [(plan_id.to_string(), 50_001, 43_999 + 5_000)]);
    // [D-T5] What each gained at the newest value is reported once: the first waits for its gain, the others lost.
    assert_eq!(world.wallet.books().gains, [(one.clone(), 3_999)]);
    report_plans(&world.db, &world.grpc.wallet).await.unwrap();
    assert_eq!(world.wallet.books().gains.len(), 1);
}
