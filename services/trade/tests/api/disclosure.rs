//! What members read about a plan: its disclosure, its past, its exit fee, its maturity, and the risk page.

use chassis::error::Kind;
use chassis::testing::with_token;
use prost::Message;
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::trade_service_server::TradeService;
use proto::trade::v1::{
    AnswerRiskRequest, Disclosure, Extremes, GetPlanRequest, GetPlanResponse, GetRiskAnswerRequest, Matured,
    ProposePlanRequest, TradeClaimed, TradeStatus,
};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use trade::app::announce_maturities::announce_maturities;
use uuid::Uuid;

use crate::fixture::{Member, World, plan_draft, refused, value_draft};
use crate::wallet::Line;

fn disclosure() -> Disclosure {
    Disclosure {
        holdings: "Treasury bills".to_owned(),
        manager: "Harbour Asset Management".to_owned(),
        costs: "Management fee".to_owned(),
        cost_basis_points: 45,
        risk_class: 2,
        document_url: "https://example.com/starter.pdf".to_owned(),
        min_holding_days: 7,
        exit_fee_basis_points: 100,
    }
}

fn draft() -> ProposePlanRequest {
    ProposePlanRequest { disclosure: Some(disclosure()), ..plan_draft() }
}

async fn page(world: &World, plan_id: Uuid) -> Result<GetPlanResponse, Status> {
    let request = world.realm.visitor(GetPlanRequest { plan_id: plan_id.to_string() });
    Ok(world.grpc.get_plan(request).await?.into_inner())
}

/// Moves an open trade into the past.
async fn age(world: &World, by: &str) {
    sqlx::query("ALTER TABLE trades DISABLE TRIGGER trades_transition").execute(&world.pool).await.unwrap();
    sqlx::query("UPDATE trades SET created_at = created_at - $1::interval, matures_at = matures_at - $1::interval")
        .bind(by)
        .execute(&world.pool)
        .await
        .unwrap();
    sqlx::query("ALTER TABLE trades ENABLE TRIGGER trades_transition").execute(&world.pool).await.unwrap();
}

/// [D-T3] [D-R2] The disclosure takes two managers like every term; a wrong field is named; open trades keep what they were
/// opened with.
#[sqlx::test(migrations = false)]
async fn a_disclosure_takes_two_managers(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.propose_and_confirm_plan(draft()).await;
    world.publish(plan_id, 1_000_000, None).await;
    assert_eq!(page(&world, plan_id).await.unwrap().plan.unwrap().disclosure, Some(disclosure()));
    let wrong = Disclosure { risk_class: 8, document_url: "http://x.com".to_owned(), ..disclosure() };
    let proposed = world
        .grpc
        .propose_plan(with_token(ProposePlanRequest { disclosure: Some(wrong), ..plan_draft() }, &world.managers[0]));
    let refusal = refused(proposed.await);
    let fields: Vec<_> = refusal.fields.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!((refusal.kind, fields), (Kind::Invalid, vec!["riskClass", "documentUrl"]));

    let member = world.member(20_000);
    world.create(&member, plan_id, 10_000, None).await.unwrap();
    let free = ProposePlanRequest { plan_id: plan_id.to_string(), ..plan_draft() };
    world.propose_and_confirm_plan(free).await;
    assert_eq!(page(&world, plan_id).await.unwrap().plan.unwrap().disclosure, Some(Disclosure::default()));
    world.create(&member, plan_id, 10_000, None).await.unwrap();
    let fees: Vec<i32> = world.trades(&member, false).await.iter().map(|trade| trade.exit_fee_basis_points).collect();
    assert_eq!(fees, [0, 100]);
    let versions: Vec<Option<i32>> =
        sqlx::query_scalar("SELECT plan_version FROM trades ORDER BY created_at").fetch_all(&world.pool).await.unwrap();
    assert_eq!(versions, [Some(1), Some(2)]);
    let other = sqlx::query("UPDATE trades SET exit_fee_basis_points = 1, min_holding_days = 1").execute(&world.pool);
    assert_eq!(chassis::db::constraint(&other.await.unwrap_err()), Some("trades_transition"));
}

async fn open(world: &World, cents: i64) -> (Uuid, Member, String) {
    let plan_id = world.propose_and_confirm_plan(draft()).await;
    world.publish(plan_id, 1_000_000, None).await;
    let member = world.member(cents);
    let trade = world.create(&member, plan_id, cents, None).await.unwrap().trade;
    (plan_id, member, trade.id)
}

/// [D-T1] [T2] Who leaves early is paid the value less the exit fee, as shown before; later there is none.
#[sqlx::test(migrations = false)]
async fn leaving_early_costs_the_exit_fee(pool: PgPool) {
    let world = World::new(pool).await;
    let (plan_id, member, id) = open(&world, 10_000).await;
    world.publish(plan_id, 1_050_000, None).await;
    let [shown] = world.trades(&member, false).await.try_into().unwrap();
    assert_eq!((shown.current_value_cents, shown.exit_fee_cents), (10_500, 105));
    assert!(shown.exit_fee_until.is_some());
    let claimed = world.claim(&member, &id, Some("a")).await.unwrap().trade;
    assert_eq!(
        (claimed.status(), claimed.current_value_cents, claimed.exit_fee_cents),
        (TradeStatus::Claimed, 10_395, 105)
    );
    assert_eq!(world.balance(&member), 10_395);
    assert_eq!(world.claim(&member, &id, Some("a")).await.unwrap().trade, claimed);
    let payload: Vec<u8> =
        sqlx::query_scalar("SELECT payload FROM outbox ORDER BY id DESC LIMIT 1").fetch_one(&world.pool).await.unwrap();
    let facts = TradeClaimed::decode(payload.as_slice()).unwrap().trade.unwrap();
    assert_eq!((facts.value_cents, facts.exit_fee_cents), (10_395, 105));

    // A gain smaller than the fee is claimed at a loss; the value before the fee decides.
    let (plan_id, member, id) = open(&world, 10_000).await;
    world.publish(plan_id, 1_001_000, None).await;
    assert_eq!(refused(world.close(&member, &id, None).await).code, "TRADE_IN_PROFIT");
    world.claim(&member, &id, None).await.unwrap();
    assert_eq!(world.wallet.books().trades[&id], Line::Settled(10_000, 9_910));

    let (_, member, id) = open(&world, 10_000).await;
    age(&world, "7 days").await;
    assert_eq!(world.trades(&member, false).await[0].exit_fee_cents, 0);
    world.close(&member, &id, None).await.unwrap();
    assert_eq!(world.balance(&member), 10_000);
}

/// [D-T3] The past of a plan: worst and best periods, the first value, and how many trades ended at a loss.
#[sqlx::test(migrations = false)]
async fn the_past_of_a_plan_is_computed(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.propose_and_confirm_plan(plan_draft()).await;
    let days = |days| Some(OffsetDateTime::now_utc() - Duration::days(days));
    let facts = async || page(&world, plan_id).await.unwrap().facts.unwrap();
    assert_eq!((facts().await.first_value_micros, facts().await.over_30_days), (0, None));
    for (ago, micros) in [(50, 1_000_000), (40, 900_000), (10, 1_100_000)] {
        world.publish(plan_id, micros, days(ago)).await;
    }
    let now = facts().await;
    assert_eq!((now.first_value_micros, now.over_90_days), (1_000_000, None));
    assert_eq!(now.over_30_days, Some(Extremes { worst_basis_points: -1_000, best_basis_points: 2_222 }));

    let member = world.member(20_000);
    for micros in [1_000_000, 1_200_000] {
        let id = world.create(&member, plan_id, 10_000, None).await.unwrap().trade.id;
        world.publish(plan_id, micros, None).await;
        match world.close(&member, &id, None).await {
            Ok(_) => {}
            Err(_) => drop(world.claim(&member, &id, None).await.unwrap()),
        }
    }
    assert_eq!((facts().await.ended_trades, facts().await.ended_at_loss), (2, 1));
    assert_eq!(refused(page(&world, Uuid::new_v4()).await).message, "Plan not found");
}

/// [D-T3] Who confirms a value sees what the members gain at it: losses pay no gains, and what has matured is frozen.
#[sqlx::test(migrations = false)]
async fn a_proposed_value_says_what_members_gain(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(100_000);
    let early = world.create(&member, plan_id, 10_001, None).await.unwrap().trade.id;
    world.publish(plan_id, 2_000_000, None).await;
    world.create(&member, plan_id, 20_000, None).await.unwrap();
    let gains = async |micros| {
        let draft = with_token(value_draft(plan_id, micros, None), &world.managers[0]);
        let proposal = world.grpc.propose_plan_value(draft).await.unwrap().into_inner().proposal.unwrap();
        serde_json::from_str::<serde_json::Value>(&proposal.change_json).unwrap()["gainsCents"].as_i64().unwrap()
    };
    // The first doubled its value, the second would be halved.
    assert_eq!(gains(1_000_001).await, 0);
    assert_eq!(gains(1_500_000).await, 5_000);
    assert_eq!(gains(3_000_000).await, 20_002 + 10_000);
    let claimed = sqlx::query("UPDATE trades SET status = 'settling', settle_kind = 'claim', settle_value_cents = 20002, resume_at = now() + interval '1 hour' WHERE id = $1::uuid")
        .bind(early)
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!((claimed.rows_affected(), gains(2_000_000).await), (1, 10_001));
}

/// [D-M7] [Q2] A trade that is open at its maturity is announced once, with its frozen value.
#[sqlx::test(migrations = false)]
async fn a_maturity_is_announced_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (plan_id, _, _) = open(&world, 10_000).await;
    world.publish(plan_id, 1_050_000, None).await;
    assert_eq!(announce_maturities(&world.db).await.unwrap(), 0);
    age(&world, "30 days").await;
    // The value of today is newer than the maturity: it does not count.
    sqlx::query("ALTER TABLE plan_values DISABLE TRIGGER USER").execute(&world.pool).await.unwrap();
    sqlx::query("UPDATE plan_values SET at = at - interval '1 hour' WHERE value_micros = 1000000")
        .execute(&world.pool)
        .await
        .unwrap();
    let (one, other) = tokio::join!(announce_maturities(&world.db), announce_maturities(&world.db));
    assert_eq!(one.unwrap() + other.unwrap(), 1);
    assert_eq!(announce_maturities(&world.db).await.unwrap(), 0);
    assert_eq!(world.events().await, ["trade.v1.trade_opened", "trade.v1.matured"]);
    let payload: Vec<u8> = sqlx::query_scalar("SELECT payload FROM outbox WHERE key = 'trade.v1.matured'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    let facts = Matured::decode(payload.as_slice()).unwrap().trade.unwrap();
    assert_eq!((facts.amount_cents, facts.plan_title.as_str()), (10_000, "Starter"));
}

/// [D-T3] The answer to the risk page is kept once, for the current page alone; investing does not demand it.
#[sqlx::test(migrations = false)]
async fn the_risk_page_is_answered_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member(10_000);
    let stored = async |member: &Member| {
        let request = with_token(GetRiskAnswerRequest {}, &member.token);
        world.grpc.get_risk_answer(request).await.unwrap().into_inner()
    };
    let answer = async |version| world.grpc.answer_risk(with_token(AnswerRiskRequest { version }, &member.token)).await;
    let unanswered = stored(&member).await;
    assert_eq!(unanswered.answered_at, None);
    let refusal = refused(answer(unanswered.version + 1).await);
    assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "version"));
    let first = answer(unanswered.version).await.unwrap().into_inner().answered_at;
    let second = answer(unanswered.version).await.unwrap().into_inner().answered_at;
    assert_eq!(first, second);
    assert_eq!(stored(&member).await.answered_at, first);
    assert_eq!(stored(&world.member(0)).await.answered_at, None);
    let plan_id = world.valued_plan().await;
    let other = world.member(10_000);
    assert!(world.create(&other, plan_id, 10_000, None).await.is_ok());
}
