//! Opening a trade.

use chassis::error::Kind;
use chassis::testing::{session, with_token};
use proto::trade::v1::trade_service_server::TradeService;
use proto::trade::v1::{CreateTradeRequest, ListTradesRequest, ProposePlanRequest, TradeStatus};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{World, plan_draft, refused, refused_before, settled};
use crate::wallet::Line;

/// [API-13] [D-I3] [T3] The amount leaves the balance once; the trade copies the plan's terms and value.
#[sqlx::test(migrations = false)]
async fn a_trade_copies_the_terms_and_takes_the_amount(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.plan().await;
    world.publish(plan_id, 1_234_567, None).await;
    let member = world.member(50_000);
    let trade = world.create(&member, plan_id, 20_000, None).await.unwrap().trade;
    assert_eq!(trade.status(), TradeStatus::Open);
    assert_eq!((trade.amount_cents, trade.current_value_cents), (20_000, 20_000));
    assert_eq!((trade.opening_value_micros, trade.duration_days, trade.roi_basis_points), (1_234_567, 30, 1_250));
    let (created, matures) = (trade.created_at.unwrap(), trade.matures_at.unwrap());
    assert_eq!(matures.seconds - created.seconds, 30 * 24 * 3_600);
    assert_eq!(world.balance(&member), 30_000);
    assert_eq!(world.wallet.books().trades[&trade.id], Line::Funded(20_000));
    assert_eq!(world.events().await, ["trade.v1.trade_opened"]);

    let other_terms = ProposePlanRequest {
        plan_id: plan_id.to_string(),
        title: "Renamed".to_owned(),
        duration_days: 60,
        roi_basis_points: 1,
        ..plan_draft()
    };
    world.propose_and_confirm_plan(other_terms).await;
    assert_eq!(world.trades(&member, false).await, [trade]);
}

/// [INV-06] [D-I3] The range is checked before the balance, inclusive, with the exact sentence.
#[sqlx::test(migrations = false)]
async fn the_amount_must_be_within_the_range(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let poor = world.member(0);
    for cents in [9_999, 500_001, 0, -10_000, i64::MIN, i64::MAX] {
        let refusal = refused(world.create(&poor, plan_id, cents, None).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "AMOUNT_OUT_OF_RANGE"));
        assert_eq!(refusal.message, "Amount must be between $100.00 and $5,000.00");
        assert_eq!(refusal.fields, [("amount".to_owned(), refusal.message.clone())]);
    }
    assert!(world.statuses().await.is_empty());
    let rich = world.member(510_000);
    world.create(&rich, plan_id, 10_000, None).await.unwrap();
    world.create(&rich, plan_id, 500_000, None).await.unwrap();
    assert_eq!(world.balance(&rich), 0);
}

/// [INV-06] [L8] [L9] An amount above the balance is wallet's refusal, and the key repeats it.
#[sqlx::test(migrations = false)]
async fn an_insufficient_balance_is_refused_and_replayed(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(10_000);
    let first = world.create(&member, plan_id, 10_001, Some("k")).await;
    assert!(!refused_before(&first));
    let refusal = refused(first);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "INSUFFICIENT_BALANCE"));
    assert_eq!(refusal.message, "Insufficient balance");
    assert_eq!(refusal.fields, [("amount".to_owned(), "Insufficient balance".to_owned())]);
    // Money that comes later does not change the answer of the key.
    world.wallet.books().balances.insert(member.id.to_string(), 90_000);
    let again = world.create(&member, plan_id, 10_001, Some("k")).await;
    assert!(refused_before(&again));
    assert_eq!(refused(again), refusal);
    world.sweep().await;
    assert_eq!(world.statuses().await, ["failed"]);
    assert_eq!(world.balance(&member), 90_000);
    assert!(world.trades(&member, true).await.is_empty());
    assert!(world.events().await.is_empty());
}

/// [INV-05] [D-I1] Without a plan that is offered and has a value nothing can be invested.
#[sqlx::test(migrations = false)]
async fn a_plan_must_be_offered_and_have_a_value(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member(90_000);
    let unvalued = world.plan().await;
    let refusal = refused(world.create(&member, unvalued, 20_000, None).await);
    assert_eq!((refusal.kind, refusal.message.as_str()), (Kind::Invalid, "This plan has no published value yet"));
    let inactive = world.propose_and_confirm_plan(ProposePlanRequest { active: false, ..plan_draft() }).await;
    for plan_id in [Uuid::new_v4(), inactive] {
        let refusal = refused(world.create(&member, plan_id, 20_000, None).await);
        assert_eq!((refusal.kind, refusal.message.as_str()), (Kind::NotFound, "Plan not found"));
    }
    let message = CreateTradeRequest { plan_id: "1".to_owned(), amount_cents: 20_000, idempotency: None };
    let refusal = refused(world.grpc.create_trade(with_token(message, &member.token)).await);
    assert_eq!(refusal.kind, Kind::NotFound);
    assert_eq!(world.balance(&member), 90_000);
}

/// [D-G4] [L7] [L9] Fifty times the same key: one trade, one answer.
#[sqlx::test(migrations = false)]
async fn one_key_opens_one_trade(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(1_000_000);
    let calls = (0..50).map(|_| world.create(&member, plan_id, 10_000, Some("same")));
    let answers = futures::future::join_all(calls).await;
    let mut opened = Vec::new();
    for answer in answers {
        match answer {
            Ok(answer) => opened.push(answer),
            Err(status) => {
                let refusal = chassis::error::from_status(&status);
                assert_eq!(refusal.code, "IDEMPOTENCY_KEY_IN_FLIGHT");
                assert!(refusal.retry_after.is_some());
            }
        }
    }
    assert_eq!(opened.iter().filter(|answer| !answer.replayed).count(), 1);
    let last = settled(|| world.create(&member, plan_id, 10_000, Some("same"))).await;
    assert!(last.replayed);
    assert!(opened.iter().all(|answer| answer.trade == last.trade));
    assert_eq!(world.balance(&member), 990_000);
    assert_eq!(world.statuses().await, ["open"]);
}

/// [D-G4] However late a key is repeated, it answers what it answered first.
#[sqlx::test(migrations = false)]
async fn a_key_answers_the_same_after_the_end(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(10_000);
    let first = world.create(&member, plan_id, 10_000, Some("k")).await.unwrap();
    world.publish(plan_id, 2_000_000, None).await;
    world.claim(&member, &first.trade.id, None).await.unwrap();
    let again = settled(|| world.create(&member, plan_id, 10_000, Some("k"))).await;
    assert_eq!(again.trade, first.trade);
    assert!(again.replayed && !first.replayed);
}

/// [D-G4] A key stands for one body, one member and one route.
#[sqlx::test(migrations = false)]
async fn a_key_is_bound_to_its_call(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(100_000);
    let first = world.create(&member, plan_id, 10_000, Some("k")).await.unwrap();
    let refusal = refused(world.create(&member, plan_id, 10_001, Some("k")).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "IDEMPOTENCY_KEY_REUSED"));
    let other = world.member(100_000);
    assert!(!world.create(&other, plan_id, 10_000, Some("k")).await.unwrap().replayed);
    assert!(!world.close(&member, &first.trade.id, Some("k")).await.unwrap().replayed);
    for key in ["", &"k".repeat(256)] {
        let refusal = refused(world.create(&member, plan_id, 10_000, Some(key)).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"));
    }
    assert_eq!(world.balance(&member), 100_000);
}

/// [D-G4] Fifty trades at once over the balance: as many as it allows.
#[sqlx::test(migrations = false)]
async fn trades_never_exceed_the_balance(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(73_000);
    let calls = (0..50).map(|_| world.create(&member, plan_id, 10_000, None));
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 7);
    assert_eq!(world.balance(&member), 3_000);
    let open = world.statuses().await.iter().filter(|status| *status == "open").count();
    assert_eq!(open, 7);
    assert_eq!(world.events().await.len(), 7);
}

/// [D-S1] [D-R13] [D-O1] Only a verified member who is not frozen invests; a frozen one still reads.
#[sqlx::test(migrations = false)]
async fn only_members_in_good_standing_invest(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let message = || CreateTradeRequest { plan_id: plan_id.to_string(), amount_cents: 10_000, idempotency: None };
    let mut unverified = session(None);
    unverified.verified = false;
    let mut frozen = session(None);
    frozen.frozen = true;
    let frozen = world.realm.sign_in(frozen);
    for (token, kind, code) in [
        (world.realm.sign_in(unverified), Kind::Forbidden, "EMAIL_NOT_VERIFIED"),
        (frozen.clone(), Kind::Forbidden, "ACCOUNT_FROZEN"),
        (world.managers[0].clone(), Kind::Forbidden, "PERMISSION_DENIED"),
        ("nonsense".to_owned(), Kind::Unauthenticated, "UNAUTHENTICATED"),
    ] {
        let refusal = refused(world.grpc.create_trade(with_token(message(), &token)).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (kind, code));
    }
    world.grpc.list_trades(with_token(ListTradesRequest::default(), &frozen)).await.unwrap();
    assert!(world.statuses().await.is_empty());
}
