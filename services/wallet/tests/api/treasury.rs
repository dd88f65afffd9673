//! The operator's money, what stands behind plans, and what is owed beside what is held.

use chassis::clock::{Timestamp, to_proto};
use chassis::error::Kind;
use chassis::id::PlanId;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{ChainPayment, Proposal, RejectProposalRequest};
use proto::payment_method::v1::{AssetHolding, GetHoldingsResponse as Observed, Outflow};
use proto::wallet::v1::backing_service_server::BackingService;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::treasury_service_server::TreasuryService;
use proto::wallet::v1::*;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use uuid::Uuid;
use wallet::app::treasury::check_holdings::check_holdings;
use wallet::app::treasury::check_solvency::{check_solvency, pause_if_drained, pause_if_short};

use crate::corrections;
use crate::fixture::{World, code, refusal};
use crate::receipts::owned;
use crate::trades::{fund, settle};

pub const PLAN: PlanId = PlanId::new(Uuid::from_u128(0x91a4));

/// A movement that a document proves.
pub fn movement(kind: &str, cents: i64) -> ProposeMovementRequest {
    ProposeMovementRequest {
        kind: kind.to_owned(),
        amount_cents: cents,
        plan_id: PLAN.to_string(),
        plan_title: "Starter".to_owned(),
        asset: "Bonds".to_owned(),
        document: "Contract note 17".to_owned(),
        issuer: "Broker".to_owned(),
        document_at: Some(Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        note: "as agreed".to_owned(),
        file: "documents/17.pdf".to_owned(),
        file_digest: vec![7; 32],
        ..ProposeMovementRequest::default()
    }
}

async fn propose(world: &World, request: ProposeMovementRequest) -> Result<Proposal, Status> {
    let answer = world.grpc.propose_movement(with_token(request, &world.treasurer)).await?;
    Ok(answer.into_inner().proposal.unwrap())
}

/// Made by two treasurers.
pub async fn moved(world: &World, request: ProposeMovementRequest) -> Result<Proposal, Status> {
    let proposal = propose(world, request).await?;
    corrections::confirm(world, &world.realm.staff(Role::Treasurer).1, &proposal).await
}

/// Capital that becomes cash of the plan.
pub async fn fund_plan(world: &World, cents: i64) {
    moved(world, movement("capital_in", cents)).await.unwrap();
    moved(world, movement("plan_funded", cents)).await.unwrap();
}

async fn backing(world: &World) -> PlanBacking {
    let request = with_token(GetBackingRequest { plan_id: PLAN.to_string() }, &world.realm.service_token("gateway"));
    world.grpc.get_backing(request).await.unwrap().into_inner().backing.unwrap()
}

pub async fn plan_cash(world: &World) -> i64 {
    backing(world).await.cash_cents
}

/// What trade says of the open trades.
pub async fn report(world: &World, cost_cents: i64, value_cents: i64) {
    report_at(world, cost_cents, value_cents, None).await;
}

/// With the moment of the plan's newest value, in seconds.
pub async fn report_at(world: &World, cost_cents: i64, value_cents: i64, value: Option<i64>) {
    report_read_at(world, cost_cents, value_cents, value, OffsetDateTime::now_utc()).await;
}

/// The same as trade read it at a moment.
pub async fn report_read_at(
    world: &World,
    cost_cents: i64,
    value_cents: i64,
    value: Option<i64>,
    read_at: OffsetDateTime,
) {
    let value_at = value.map(|seconds| Timestamp { seconds, nanos: 0 });
    let plan = PlanValue { plan_id: PLAN.to_string(), title: "Starter".to_owned(), cost_cents, value_cents, value_at };
    let message = ReportPlansRequest { plans: vec![plan], read_at: Some(to_proto(read_at)) };
    let request = with_token(message, &world.realm.service_token("trade"));
    world.grpc.report_plans(request).await.unwrap();
}

async fn check(world: &World, cost_cents: i64, value_cents: i64) -> Result<(), Status> {
    let request = CheckBackingRequest { plan_id: PLAN.to_string(), cost_cents, value_cents };
    let request = with_token(request, &world.realm.service_token("trade"));
    world.grpc.check_backing(request).await.map(drop)
}

async fn integrity(world: &World) -> GetIntegrityResponse {
    world.grpc.get_integrity(with_token(GetIntegrityRequest {}, &world.reviewer)).await.unwrap().into_inner()
}

async fn solvency(world: &World) -> Solvency {
    let request = with_token(GetTreasuryRequest {}, &world.treasurer);
    world.grpc.get_treasury(request).await.unwrap().into_inner().solvency.unwrap()
}

/// [D-T1] [D-T2] A gain is paid from the plan's own cash and never below zero: a claim that it does not cover changes nothing, and
/// is paid as it was decided once there is enough.
#[sqlx::test(migrations = false)]
async fn a_gain_waits_for_the_cash_of_its_plan(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let trade = Uuid::now_v7();
    fund(&world, &member, trade, 20_000).await.unwrap();
    fund_plan(&world, 999).await;
    let no = refusal(settle(&world, &member, trade, 20_000, 21_000).await);
    assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, "PLAN_CASH_SHORT"));
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.invested_cents, plan_cash(&world).await), (30_000, 20_000, 999));
    fund_plan(&world, 1).await;
    settle(&world, &member, trade, 20_000, 21_000).await.unwrap();
    assert_eq!((world.wallet(&member).await.available_cents, plan_cash(&world).await), (51_000, 0));
    world.assert_verified().await;
}

/// [D-T1] Every kind of movement moves what it says between house, plan and what is held, by two people, and only what is there.
#[sqlx::test(migrations = false)]
async fn movements_go_through_the_books(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    world.buy_course(&member).await.unwrap();
    fund(&world, &member, Uuid::now_v7(), 50_000).await.unwrap();
    report(&world, 50_000, 50_000).await;
    let proposal = propose(&world, movement("capital_in", 40_000)).await.unwrap();
    assert_eq!(code(corrections::confirm(&world, &world.treasurer, &proposal).await), "SELF_CONFIRMATION");
    assert_eq!(world.house("capital").await, 0);
    corrections::confirm(&world, &world.realm.staff(Role::Treasurer).1, &proposal).await.unwrap();
    let revenue =
        |cents| ProposeMovementRequest { source: "course_revenue".to_owned(), ..movement("revenue_out", cents) };
    for request in [
        movement("capital_out", 40_001),
        revenue(8_701),
        movement("plan_funded", 40_001),
        movement("plan_bought", 50_001),
        movement("plan_returned", 1),
    ] {
        assert_eq!(code(propose(&world, request.clone()).await), "INSUFFICIENT_BALANCE", "{}", request.kind);
    }
    for request in [movement("plan_proceeds", 1), movement("plan_valued", 1), revenue(0)] {
        assert_eq!(code(propose(&world, request.clone()).await), "VALIDATION_FAILED", "{}", request.kind);
    }
    for request in [
        movement("capital_out", 5_000),
        revenue(700),
        movement("network_fee", 30),
        movement("loss", 70),
        movement("plan_funded", 10_000),
        movement("plan_bought", 60_000),
        movement("plan_valued", 72_000),
        movement("plan_proceeds", 65_000),
        movement("plan_returned", 4_000),
    ] {
        moved(&world, request).await.unwrap();
    }
    let plan = backing(&world).await;
    // $650.00 for what had cost $600.00; $70.00 of its proven value are left.
    assert_eq!((plan.cash_cents, plan.assets_cents), (10_000 + 5_000 - 4_000, 7_000));
    assert_eq!(
        (world.house("capital").await, world.house("network_fees").await),
        (40_000 - 5_000 - 70 - 10_000 + 4_000, -30)
    );
    assert_eq!(world.house("course_revenue").await, 8_000);
    // What came from the member and the operator, without what left; the plan's purchase and its proceeds too.
    assert_eq!(world.house("settlement").await, -(100_000 + 40_000 - 5_000 - 700 - 30 - 70 - 60_000 + 65_000));
    world.assert_verified().await;
}

/// [D-T1] A document comes with its file, whose hash both treasurers sign with the movement; the file belongs to the movement for
/// good, also if it is rejected.
#[sqlx::test(migrations = false)]
async fn a_document_is_a_stored_file(pool: PgPool) {
    let world = World::new(pool).await;
    let stated = |file: &str, digest: &[u8]| ProposeMovementRequest {
        file: file.to_owned(),
        file_digest: digest.to_vec(),
        ..movement("holding_stated", 1)
    };
    for wrong in [stated("", &[]), stated("receipts/a.pdf", &[7; 32]), stated("documents/a.pdf", &[7; 31])] {
        assert_eq!(code(propose(&world, wrong).await), "VALIDATION_FAILED");
    }
    let mut dated = stated("documents/a.pdf", &[7; 32]);
    dated.document_at = Some(to_proto(OffsetDateTime::now_utc() + Duration::days(2)));
    assert_eq!(code(propose(&world, dated).await), "VALIDATION_FAILED");
    let proposal = propose(&world, stated("documents/a.pdf", &[7; 32])).await.unwrap();
    let change: Value = serde_json::from_str(&proposal.change_json).unwrap();
    assert_eq!(
        (&change["document_file"], &change["document_sha256"]),
        (&json!("documents/a.pdf"), &json!("07".repeat(32)))
    );
    let keys = ["documents/a.pdf", "documents/b.pdf"];
    assert_eq!(owned(&world, &keys).await, [keys[0]]);
    let request = RejectProposalRequest { proposal_id: proposal.id, ..RejectProposalRequest::default() };
    world.grpc.proposals().reject_proposal(with_token(request, &world.treasurer)).await.unwrap();
    assert_eq!(owned(&world, &keys).await, [keys[0]]);
}

/// [D-T3] A value that cash and assets at their last proven value do not cover is refused with what is missing; so is taking back
/// cash that open trades need.
#[sqlx::test(migrations = false)]
async fn a_plan_stays_backed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(14_000).await;
    fund(&world, &member, Uuid::now_v7(), 10_000).await.unwrap();
    let no = refusal(check(&world, 10_000, 15_000).await);
    assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, "NOT_BACKED"));
    assert_eq!(no.facts.unwrap().get("missing"), Some(&json!(50)));
    fund_plan(&world, 3_000).await;
    report(&world, 10_000, 10_000).await;
    moved(&world, movement("plan_bought", 12_000)).await.unwrap();
    assert_eq!(code(check(&world, 10_000, 15_000).await), "NOT_BACKED");
    moved(&world, movement("plan_valued", 14_000)).await.unwrap();
    check(&world, 10_000, 15_000).await.unwrap();
    assert_eq!(code(check(&world, 10_000, 15_001).await), "NOT_BACKED");
    report(&world, 10_000, 15_000).await;
    assert_eq!(code(propose(&world, movement("plan_returned", 1)).await), "NOT_BACKED");
    assert!(integrity(&world).await.ok);
    // What it owns is worth less than it was.
    moved(&world, movement("plan_valued", 13_000)).await.unwrap();
    let report = integrity(&world).await;
    assert!(
        !report.ok && report.faults.iter().any(|fault| fault.subject_id == PLAN.to_string()),
        "{:?}",
        report.faults
    );
}

/// [D-T4] [D-R6] With owed above held by one cent, the integrity report is not ok, and says so; a larger shortfall pauses withdrawals.
#[sqlx::test(migrations = false)]
async fn owed_above_held_is_a_fault(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(14_000).await;
    assert!(integrity(&world).await.ok);
    let bonus = corrections::propose(&world, &member, CorrectionKind::Bonus, 2_001).await.unwrap();
    corrections::confirm(&world, &world.realm.staff(Role::Treasurer).1, &bonus).await.unwrap();
    moved(&world, movement("capital_in", 2_000)).await.unwrap();
    let found = solvency(&world).await;
    assert_eq!((found.owed_cents, found.held_cents, found.missing_cents), (16_001, 16_000, 1));
    let report = integrity(&world).await;
    assert!(!report.ok && report.faults.iter().any(|fault| fault.subject_id == "solvency"), "{:?}", report.faults);
    moved(&world, movement("capital_in", 1)).await.unwrap();
    assert!(integrity(&world).await.ok);
    // Gains of open trades are owed.
    report_gain(&world, 1_000_000).await;
    assert!(!integrity(&world).await.withdrawals_stopped);
    report_gain(&world, 1_000_001).await;
    assert!(integrity(&world).await.withdrawals_stopped);
}

/// What the loop does once trade reported a gain.
async fn report_gain(world: &World, cents: i64) {
    report(world, 0, cents).await;
    let (db, tolerance) = (&world.grpc.db, world.grpc.tolerance);
    let found = check_solvency(db, None, tolerance).await.unwrap();
    pause_if_short(db, &found, tolerance).await.unwrap();
}

fn stolen() -> Observed {
    let payment = ChainPayment {
        chain: "tron".to_owned(),
        txid: "d".repeat(64),
        asset: "USDT".to_owned(),
        units: "20000000000".to_owned(),
        decimals: 6,
        address: "ours".to_owned(),
        counterparty: "theirs".to_owned(),
        state: "final".to_owned(),
        seen_at: Some(Timestamp { seconds: 1_800_000_000, nanos: 0 }),
        ..ChainPayment::default()
    };
    let asset = AssetHolding {
        chain: "tron".to_owned(),
        asset: "USDT".to_owned(),
        decimals: 6,
        units: "0".to_owned(),
        recorded: "-20000000000".to_owned(),
        at: Some(Timestamp { seconds: 1_800_000_060, nanos: 0 }),
        rate_micros: Some(1_000_000),
        rate_at: Some(Timestamp { seconds: 1_800_000_060, nanos: 0 }),
        value_cents: Some(0),
        ..AssetHolding::default()
    };
    let outflow = Outflow { number: 4, payment: Some(payment), replaces: Vec::new() };
    Observed { holdings: vec![asset], outflows: vec![outflow], undone: Vec::new(), shared: Vec::new() }
}

/// [D-N6] An outflow without an explanation is an alarm and, above a limit, pauses withdrawals. A treasury movement of two people
/// that consumes its payment explains it, once.
#[sqlx::test(migrations = false)]
async fn a_movement_explains_an_outflow(pool: PgPool) {
    let world = World::new(pool).await;
    *world.evidence.held.lock().unwrap() = stolen();
    let look = async || {
        let (db, tolerance) = (&world.grpc.db, world.grpc.tolerance);
        let holdings = check_holdings(db, world.grpc.chains.holdings().await.unwrap()).await.unwrap();
        pause_if_drained(db, &holdings, tolerance).await.unwrap();
        (holdings.outflows.len(), holdings.matched)
    };
    assert_eq!(look().await, (1, vec![]));
    assert!(integrity(&world).await.withdrawals_stopped);
    let swept = ProposeMovementRequest {
        network: "TRC20".to_owned(),
        txid: "D".repeat(64),
        vout: Some(0),
        document: String::new(),
        ..movement("sweep", 0)
    };
    let proposal = propose(&world, swept.clone()).await.unwrap();
    assert_eq!(look().await, (1, vec![]));
    corrections::confirm(&world, &world.realm.staff(Role::Treasurer).1, &proposal).await.unwrap();
    let (left, matched) = look().await;
    assert_eq!((left, matched.len()), (0, 1));
    assert_eq!(matched[0].1.to_string(), proposal.id);
    assert_eq!(code(moved(&world, swept).await), "TXID_USED");
    let bare = ProposeMovementRequest { document: String::new(), ..movement("sweep", 0) };
    assert_eq!(code(propose(&world, bare).await), "VALIDATION_FAILED");
}
