//! The money side of trades: funded once, settled once, no matter what is repeated or raced.

use chassis::testing::with_token;
use futures::future::join_all;
use proto::wallet::v1::trade_settlement_service_server::TradeSettlementService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::fixture::{Member, World, code};
use crate::treasury::{PLAN, fund_plan, plan_cash};

pub async fn fund(world: &World, member: &Member, trade_id: Uuid, cents: i64) -> Result<(), Status> {
    let request = FundTradeRequest {
        trade_id: trade_id.to_string(),
        user_id: member.id.to_string(),
        amount_cents: cents,
        plan_title: "Starter".into(),
    };
    let token = world.realm.service_token("trade");
    world.grpc.fund_trade(with_token(request, &token)).await.map(|_| ())
}

pub async fn settle(world: &World, member: &Member, trade_id: Uuid, cents: i64, value: i64) -> Result<(), Status> {
    let request = SettleTradeRequest {
        trade_id: trade_id.to_string(),
        user_id: member.id.to_string(),
        amount_cents: cents,
        value_cents: value,
        plan_title: "Starter".into(),
        plan_id: PLAN.to_string(),
    };
    let token = world.realm.service_token("trade");
    world.grpc.settle_trade(with_token(request, &token)).await.map(|_| ())
}

/// How many fundings of the trade have this status.
async fn fundings(world: &World, trade_id: Uuid, status: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM trade_fundings WHERE trade_id = $1 AND status = $2")
        .bind(trade_id)
        .bind(status)
        .fetch_one(&world.pool)
        .await
        .unwrap()
}

async fn lines(world: &World, member: &Member, trade_id: Uuid) -> Vec<(String, i64, i64)> {
    let mut lines: Vec<_> = world
        .history(member)
        .await
        .into_iter()
        .filter(|one| one.related_id == trade_id.to_string())
        .map(|one| (one.title.clone(), i64::from(one.direction), one.amount_cents))
        .collect();
    lines.sort();
    lines
}

const CREDIT: i64 = Direction::Credit as i64;
const DEBIT: i64 = Direction::Debit as i64;

/// [D-I3] [D-I4] [T1] [T2] A gain: the principal as Trade, the gain as Profit from the cash of the plan.
#[sqlx::test(migrations = false)]
async fn a_gain_pays_principal_and_profit(pool: PgPool) {
    let world = World::new(pool).await;
    fund_plan(&world, 1_500).await;
    let member = world.member_with(50_000).await;
    let trade = Uuid::now_v7();
    assert_eq!(code(settle(&world, &member, trade, 20_000, 21_000).await), "NOT_FOUND");
    for _ in 0..3 {
        fund(&world, &member, trade, 20_000).await.unwrap();
    }
    assert_eq!(fundings(&world, trade, "funded").await, 1);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.invested_cents), (30_000, 20_000));
    for _ in 0..3 {
        settle(&world, &member, trade, 20_000, 21_000).await.unwrap();
    }
    assert_eq!(fundings(&world, trade, "settled").await, 1);
    fund(&world, &member, trade, 20_000).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.invested_cents), (51_000, 0));
    assert_eq!(plan_cash(&world).await, 500);
    let expected = [("Profit", CREDIT, 1_000), ("Trade", CREDIT, 20_000), ("Trade", DEBIT, 20_000)];
    assert_eq!(lines(&world, &member, trade).await, expected.map(|(title, way, cents)| (title.to_owned(), way, cents)));
    assert_eq!(world.count("SELECT count(*) FROM outbox WHERE key LIKE 'wallet.v1.trade_%'").await, 2);
    world.assert_books().await;
}

/// [D-I4] [D-T2] A loss: the value as Trade, the rest to the cash of the plan; a total loss has no line.
#[sqlx::test(migrations = false)]
async fn a_loss_goes_to_the_plan(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    for (value, expected) in [(19_999, 2), (20_000, 2), (0, 1)] {
        let trade = Uuid::now_v7();
        fund(&world, &member, trade, 20_000).await.unwrap();
        settle(&world, &member, trade, 20_000, value).await.unwrap();
        assert_eq!(lines(&world, &member, trade).await.len(), expected);
    }
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.invested_cents), (29_999, 0));
    assert_eq!(plan_cash(&world).await, 20_001);
    world.assert_books().await;
}

/// [T2] The same trade under other terms is refused, before and after its settlement.
#[sqlx::test(migrations = false)]
async fn other_terms_are_refused(pool: PgPool) {
    let world = World::new(pool).await;
    fund_plan(&world, 10_000).await;
    let (member, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let trade = Uuid::now_v7();
    fund(&world, &member, trade, 20_000).await.unwrap();
    let refused = [
        fund(&world, &member, trade, 20_001).await,
        fund(&world, &other, trade, 20_000).await,
        settle(&world, &member, trade, 20_001, 1).await,
        settle(&world, &other, trade, 20_000, 1).await,
    ];
    assert!(refused.iter().all(|one| one.as_ref().is_err_and(|no| no.code() == Code::FailedPrecondition)));
    settle(&world, &member, trade, 20_000, 20_500).await.unwrap();
    let no = settle(&world, &member, trade, 20_000, 20_501).await.unwrap_err();
    assert_eq!(no.code(), Code::FailedPrecondition);
    assert_eq!(world.wallet(&member).await.available_cents, 50_500);
    assert_eq!(world.wallet(&other).await.available_cents, 50_000);
    world.assert_books().await;
}

/// [INV-06] [D-I3] Fifty trades over the balance: as many as it allows.
#[sqlx::test(migrations = false)]
async fn fifty_trades_spend_the_balance_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let results = join_all((0..50).map(|_| fund(&world, &member, Uuid::now_v7(), 20_000))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 2);
    assert!(results.into_iter().filter(Result::is_err).all(|no| code(no) == "INSUFFICIENT_BALANCE"));
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.invested_cents), (10_000, 40_000));
    world.assert_books().await;
}

/// [K6] A refused trade stays refused: a late repetition does not fund what was given up.
#[sqlx::test(migrations = false)]
async fn a_refused_trade_stays_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(10_000).await;
    let trade = Uuid::now_v7();
    assert_eq!(code(fund(&world, &member, trade, 20_000).await), "INSUFFICIENT_BALANCE");
    let more = world.deposit(&member, crate::fixture::deposit(50_000)).await.unwrap();
    world.approve(&more).await.unwrap();
    assert_eq!(code(fund(&world, &member, trade, 20_000).await), "INSUFFICIENT_BALANCE");
    assert_eq!(fundings(&world, trade, "refused").await, 1);
    assert_eq!(code(settle(&world, &member, trade, 20_000, 1).await), "NOT_FOUND");
    world.assert_books().await;
}

/// [T2] Fifty settlements at once pay once; fifty fundings of one trade take once.
#[sqlx::test(migrations = false)]
async fn repetitions_at_once_count_once(pool: PgPool) {
    let world = World::new(pool).await;
    fund_plan(&world, 5_000).await;
    let member = world.member_with(50_000).await;
    let trade = Uuid::now_v7();
    let results = join_all((0..50).map(|_| fund(&world, &member, trade, 20_000))).await;
    assert!(results.iter().all(Result::is_ok));
    let results = join_all((0..50).map(|_| settle(&world, &member, trade, 20_000, 25_000))).await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(world.wallet(&member).await.available_cents, 55_000);
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind LIKE 'trade_%'").await, 3);
    world.assert_books().await;
}

/// [K12] Only the service trade may call, and only with amounts that can be.
#[sqlx::test(migrations = false)]
async fn only_trade_settles_trades(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let request = || FundTradeRequest {
        trade_id: Uuid::now_v7().to_string(),
        user_id: member.id.to_string(),
        amount_cents: 1_000,
        plan_title: "Starter".into(),
    };
    for token in [member.token.clone(), world.reviewer.clone(), world.realm.service_token("auth")] {
        let no = world.grpc.fund_trade(with_token(request(), &token)).await.unwrap_err();
        assert_eq!(no.code(), Code::PermissionDenied);
    }
    for cents in [0, -1, i64::MIN] {
        assert_eq!(code(fund(&world, &member, Uuid::now_v7(), cents).await), "VALIDATION_FAILED");
    }
    assert_eq!(world.wallet(&member).await.available_cents, 50_000);
}
