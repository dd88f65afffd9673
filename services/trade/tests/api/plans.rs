//! Plans and their values: two managers, in order, with a trail.

use chassis::error::Kind;
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{ConfirmProposalRequest, ListAuditRowsRequest, ListProposalsRequest, RejectProposalRequest};
use proto::common::v1::{PageRequest, ProposalStatus};
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::trade_service_server::TradeService;
use proto::trade::v1::{
    BatchListPlanValuesRequest, ListAllPlansRequest, ListPlanValuesRequest, ListPlansRequest, ListTradesRequest,
    ProposePlanRequest, ProposePlanValueRequest,
};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fixture::{World, idempotency, plan_draft, refused, value_draft};

/// [API-12] [D-R2] [D-O4] A plan takes two managers, and is then offered to everybody.
#[sqlx::test(migrations = false)]
async fn a_plan_takes_two_managers(pool: PgPool) {
    let world = World::new(pool).await;
    let proposed = world.grpc.propose_plan(with_token(plan_draft(), &world.managers[0])).await.unwrap();
    let proposal = proposed.into_inner().proposal.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.subject_id.as_str()), ("plan.create", ""));
    let plans =
        async || world.grpc.list_plans(world.realm.visitor(ListPlansRequest {})).await.unwrap().into_inner().plans;
    assert!(plans().await.is_empty());
    let refusal = refused(world.confirm(&proposal.id, 0).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Forbidden, "SELF_CONFIRMATION"));
    assert!(plans().await.is_empty());

    let id = world.confirm(&proposal.id, 1).await.unwrap();
    let [plan] = plans().await.try_into().unwrap();
    assert_eq!((plan.id, plan.min_cents, plan.max_cents, plan.value_micros), (id.clone(), 10_000, 500_000, 0));
    let refusal = refused(world.confirm(&proposal.id, 1).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "PROPOSAL_CLOSED"));
    let keys: Vec<(String, Uuid)> =
        sqlx::query_as("SELECT key, aggregate_id FROM outbox").fetch_all(&world.pool).await.unwrap();
    assert_eq!(keys, [("trade.v1.plan_changed".to_owned(), id.parse().unwrap())]);
    // One person in both parts is refused by the database too.
    let forged = sqlx::query("UPDATE proposals SET decided_by = proposed_by").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&forged.unwrap_err()), Some("proposals_two_people"));
}

/// [D-R2] Who confirms must have seen what is replaced; a rejected proposal has no effect.
#[sqlx::test(migrations = false)]
async fn a_change_is_confirmed_as_seen(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.plan().await;
    let propose = async |title: &str| {
        let draft = ProposePlanRequest { plan_id: id.to_string(), title: title.to_owned(), ..plan_draft() };
        let proposed = world.grpc.propose_plan(with_token(draft, &world.managers[0])).await.unwrap();
        proposed.into_inner().proposal.unwrap().id
    };
    let (one, two, three) = (propose("One").await, propose("Two").await, propose("Three").await);
    world.confirm(&two, 1).await.unwrap();
    // [U8] It is known before anybody tries.
    assert_eq!(blocker(&world, &one).await, "STALE_REVISION");
    assert_eq!(refused(world.confirm(&one, 1).await).code, "STALE_REVISION");
    let message = RejectProposalRequest { proposal_id: three.clone(), ..Default::default() };
    world.grpc.proposals().reject_proposal(with_token(message, &world.managers[0])).await.unwrap();
    assert_eq!(refused(world.confirm(&three, 1).await).code, "PROPOSAL_CLOSED");
    let plans = world.grpc.list_plans(world.realm.visitor(ListPlansRequest {})).await.unwrap().into_inner().plans;
    assert_eq!(plans[0].title, "Two");
    let unknown = ProposePlanRequest { plan_id: Uuid::new_v4().to_string(), ..plan_draft() };
    let refusal = refused(world.grpc.propose_plan(with_token(unknown, &world.managers[0])).await);
    assert_eq!(refusal.kind, Kind::NotFound);
    assert_eq!(refused(world.confirm("x", 1).await).message, "Proposal not found.");
}

/// What the list says against the confirmation of a proposal; empty if nothing.
async fn blocker(world: &World, id: &str) -> String {
    let request = with_token(ListProposalsRequest::default(), &world.managers[1]);
    let listed = world.grpc.proposals().list_proposals(request).await.unwrap().into_inner().proposals;
    let blocker = listed.into_iter().find(|one| one.id == id).unwrap().blocker;
    blocker.map(|blocker| blocker.code).unwrap_or_default()
}

/// [D-R4] [D-I1] [D-I5] Values are published in order and never in the future, several a day, with their source.
#[sqlx::test(migrations = false)]
async fn values_are_published_in_order(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.plan().await;
    let now = OffsetDateTime::now_utc();
    let hours = |hours| Some(now - Duration::hours(hours));
    world.publish(plan_id, 1_000_000, hours(30)).await;
    world.publish(plan_id, 1_100_000, hours(29)).await;
    let future = value_draft(plan_id, 1_200_000, hours(-1));
    let refusal = refused(world.grpc.propose_plan_value(with_token(future, &world.managers[0])).await);
    assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "at"));
    for at in [hours(29), hours(31)] {
        let draft = value_draft(plan_id, 1_200_000, at);
        let refusal = refused(world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "VALUE_OUT_OF_ORDER"));
    }
    for (micros, source) in [(0, "Exchange"), (-1, "Exchange"), (1, ""), (1, " \n ")] {
        let draft = ProposePlanValueRequest { source: source.to_owned(), ..value_draft(plan_id, micros, None) };
        let refusal = refused(world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"));
    }
    let request = world.realm.visitor(ListPlanValuesRequest { plan_id: plan_id.to_string() });
    let values = world.grpc.list_plan_values(request).await.unwrap().into_inner().values;
    let shown: Vec<_> = values.iter().map(|value| (value.value_micros, value.source.as_str())).collect();
    assert_eq!(shown, [(1_000_000, "Exchange close"), (1_100_000, "Exchange close")]);
    let plans = world.grpc.list_plans(world.realm.visitor(ListPlansRequest {})).await.unwrap().into_inner().plans;
    assert_eq!(plans[0].value_micros, 1_100_000);
    let request = world.realm.visitor(ListPlanValuesRequest { plan_id: Uuid::new_v4().to_string() });
    assert_eq!(refused(world.grpc.list_plan_values(request).await).message, "Plan not found");
}

/// [D-I5] The courses of several plans are one request: all points, or the first, the last and some between.
#[sqlx::test(migrations = false)]
async fn the_courses_of_plans_are_one_request(pool: PgPool) {
    let world = World::new(pool).await;
    let (long, short, empty) = (world.plan().await, world.valued_plan().await, world.plan().await);
    // Four hundred values that nobody proposed.
    sqlx::query("ALTER TABLE plan_values DROP CONSTRAINT plan_values_proposal_key, DISABLE TRIGGER USER")
        .execute(&world.pool)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO plan_values (plan_id, at, value_micros, source, proposal_id)
         SELECT $1, now() - interval '1 day' * (500 - place), 1000000 + place, 'Exchange close', proposals.id
         FROM generate_series(1, 400) AS place, (SELECT id FROM proposals LIMIT 1) AS proposals",
    )
    .bind(long)
    .execute(&world.pool)
    .await
    .unwrap();
    let list = async |plan_ids: Vec<String>, points| {
        let request = world.realm.visitor(BatchListPlanValuesRequest { plan_ids, points });
        world.grpc.batch_list_plan_values(request).await.map(|answer| answer.into_inner().plans)
    };
    let wanted = [long, short, empty, Uuid::new_v4(), long].map(|id| id.to_string()).to_vec();
    for (points, counts) in [(0, [400, 1]), (1_000, [400, 1]), (60, [58, 1]), (2, [2, 1]), (1, [2, 1])] {
        let plans = list([wanted.clone(), vec!["no id".to_owned()]].concat(), points).await.unwrap();
        assert_eq!(plans.len(), 2);
        for (plan_id, count) in [long, short].into_iter().zip(counts) {
            let values = &plans.iter().find(|plan| plan.plan_id == plan_id.to_string()).unwrap().values;
            assert_eq!(values.len(), count, "{points} points");
            assert!(values.is_sorted_by_key(|value| value.at.unwrap().seconds));
            if plan_id == long {
                let ends = (values[0].value_micros, values.last().unwrap().value_micros);
                assert_eq!(ends, (1_000_001, 1_000_400));
            }
        }
    }
    let many = list((0..101).map(|_| Uuid::new_v4().to_string()).collect(), 0).await;
    assert_eq!(refused(many).fields[0].0, "ids");
}

/// [D-R4] [D-I5] A value waits for the trades that are being opened on its plan, and is published after them: steady trading does
/// not keep values out.
#[sqlx::test(migrations = false)]
async fn a_value_comes_after_the_trades_it_waited_for(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(100_000);
    world.create(&member, plan_id, 10_000, None).await.unwrap();
    let draft = value_draft(plan_id, 1_200_000, None);
    let proposed = world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await.unwrap();
    let proposal = proposed.into_inner().proposal.unwrap().id;

    let mut opening = world.pool.begin_with("BEGIN").await.unwrap();
    sqlx::query("SELECT FROM plans WHERE id = $1 FOR KEY SHARE").bind(plan_id).execute(&mut *opening).await.unwrap();
    let open_meanwhile = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&world.pool).await.unwrap() {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql(
            "CREATE TEMPORARY TABLE another AS SELECT * FROM trades;
             UPDATE another SET id = gen_random_uuid(), created_at = clock_timestamp();
             INSERT INTO trades SELECT * FROM another",
        )
        .execute(&mut *opening)
        .await
        .unwrap();
        opening.commit().await.unwrap();
    };
    let (confirmed, ()) = tokio::join!(world.confirm(&proposal, 1), open_meanwhile);
    confirmed.unwrap();
    let is_after: bool = sqlx::query_scalar(
        "SELECT (SELECT max(at) FROM plan_values WHERE plan_id = $1) > (SELECT max(created_at) FROM trades)",
    )
    .bind(plan_id)
    .fetch_one(&world.pool)
    .await
    .unwrap();
    assert!(is_after);
}

/// [D-R4] The order is checked again at confirmation, and by the database; published values stay.
#[sqlx::test(migrations = false)]
async fn the_order_is_checked_again_at_confirmation(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.plan().await;
    let now = OffsetDateTime::now_utc();
    let draft = value_draft(plan_id, 1_000_000, Some(now - Duration::hours(2)));
    let proposed = world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await.unwrap();
    let overtaken = proposed.into_inner().proposal.unwrap().id;
    world.publish(plan_id, 1_100_000, Some(now - Duration::hours(1))).await;
    assert_eq!(blocker(&world, &overtaken).await, "VALUE_OUT_OF_ORDER");
    assert_eq!(refused(world.confirm(&overtaken, 1).await).code, "VALUE_OUT_OF_ORDER");
    let status: String = sqlx::query_scalar("SELECT status FROM proposals WHERE id = $1::uuid")
        .bind(&overtaken)
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(status, "open");
    for (sql, constraint) in [
        (
            "INSERT INTO plan_values SELECT id, now() - interval '3 hours', 1, 'x', $1::uuid FROM plans",
            "plan_values_in_order",
        ),
        (
            "INSERT INTO plan_values SELECT id, now() + interval '3 hours', 1, 'x', $1::uuid FROM plans",
            "plan_values_in_order",
        ),
        ("INSERT INTO plan_values SELECT id, now(), 0, 'x', $1::uuid FROM plans", "plan_values_positive"),
    ] {
        let error = sqlx::query(sql).bind(&overtaken).execute(&world.pool).await.unwrap_err();
        assert_eq!(chassis::db::constraint(&error), Some(constraint), "{sql}");
    }
    for sql in ["UPDATE plan_values SET value_micros = 2", "DELETE FROM plan_values", "TRUNCATE plan_values"] {
        assert!(sqlx::query(sql).execute(&world.pool).await.is_err(), "{sql}");
    }
}

/// [D-O3] Every act leaves a row, chained to the one before.
#[sqlx::test(migrations = false)]
async fn every_act_leaves_a_trail(pool: PgPool) {
    let world = World::new(pool).await;
    world.valued_plan().await;
    let (_, auditor) = world.realm.staff(Role::Auditor);
    let page = |size, cursor: &str| Some(PageRequest { size, cursor: cursor.to_owned() });
    let list = async |page| {
        let request = with_token(ListAuditRowsRequest { page, filter: None }, &auditor);
        world.grpc.audit_log().list_audit_rows(request).await.unwrap().into_inner()
    };
    let first = list(page(3, "")).await;
    let second = list(page(3, &first.next_cursor)).await;
    let actions: Vec<_> = first.rows.iter().chain(&second.rows).map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["plan.value.confirm", "plan.value.propose", "plan.create.confirm", "plan.create.propose"]);
    assert!(first.rows.iter().all(|row| row.actor_role == "manager" && row.address == "::1"));
    assert_eq!(second.next_cursor, "");
    assert_eq!(chassis::audit::broken_at(&mut *world.pool.acquire().await.unwrap()).await.unwrap(), None);
    let request = with_token(ListAuditRowsRequest { page: page(3, "x"), filter: None }, &auditor);
    assert_eq!(refused(world.grpc.audit_log().list_audit_rows(request).await).kind, Kind::Invalid);
}

/// [D-G4] A proposal's key answers what it answered first, also after the decision.
#[sqlx::test(migrations = false)]
async fn a_proposal_is_made_once_a_key(pool: PgPool) {
    let world = World::new(pool).await;
    let draft = ProposePlanRequest { idempotency: Some(idempotency("POST /v1/admin/plans", "k", "x")), ..plan_draft() };
    let propose = async || {
        let answer = world.grpc.propose_plan(with_token(draft.clone(), &world.managers[0])).await.unwrap();
        answer.into_inner().proposal.unwrap()
    };
    let first = propose().await;
    world.confirm(&first.id, 1).await.unwrap();
    assert_eq!(propose().await, first);
    let open = ListProposalsRequest { status: ProposalStatus::Confirmed.into(), page: None };
    let listed =
        world.grpc.proposals().list_proposals(with_token(open, &world.managers[0])).await.unwrap().into_inner();
    assert_eq!(listed.proposals.len(), 1);
}

/// [D-O1] [D-O2] Which role may do what; a member may do nothing of it.
#[sqlx::test(migrations = false)]
async fn roles_are_kept_apart(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.plan().await;
    let mut callers: Vec<(Option<Role>, String)> =
        Role::ALL.iter().map(|&role| (Some(role), world.realm.staff(role).1)).collect();
    callers.push((None, world.realm.member().1));
    for (role, token) in callers {
        let grpc = &world.grpc;
        let manager = role == Some(Role::Manager);
        let trail = matches!(role, Some(Role::Auditor | Role::Admin));
        let unknown = Uuid::new_v4().to_string();
        let confirm = ConfirmProposalRequest { proposal_id: unknown.clone(), ..Default::default() };
        let reject = RejectProposalRequest { proposal_id: unknown, ..Default::default() };
        let outcomes = [
            (manager, grpc.propose_plan(with_token(plan_draft(), &token)).await.err()),
            (manager, grpc.propose_plan_value(with_token(value_draft(plan_id, 1, None), &token)).await.err()),
            (manager, grpc.proposals().confirm_proposal(with_token(confirm, &token)).await.err()),
            (manager, grpc.proposals().reject_proposal(with_token(reject, &token)).await.err()),
            (role.is_some(), grpc.list_all_plans(with_token(ListAllPlansRequest {}, &token)).await.err()),
            (
                role.is_some(),
                grpc.proposals().list_proposals(with_token(ListProposalsRequest::default(), &token)).await.err(),
            ),
            (trail, grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), &token)).await.err()),
        ];
        assert_permitted(role, outcomes);
    }
}

/// [D-O6] [D-G4] [A8] A decision on a proposal is answered again under its key; its effect stays one.
#[sqlx::test(migrations = false)]
async fn a_decision_on_a_proposal_replays_under_its_key(pool: PgPool) {
    let world = World::new(pool).await;
    let propose = async || {
        let proposed = world.grpc.propose_plan(with_token(plan_draft(), &world.managers[0])).await.unwrap();
        proposed.into_inner().proposal.unwrap().id
    };
    let (plan, other) = (propose().await, propose().await);
    for replayed in [false, true] {
        let confirm = ConfirmProposalRequest {
            proposal_id: plan.clone(),
            idempotency: Some(idempotency("POST /v1/admin/proposals/{id}/confirm", "one", &plan)),
            ..Default::default()
        };
        let answer = world.grpc.proposals().confirm_proposal(with_token(confirm, &world.managers[1])).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
        assert!(!answer.into_inner().proposal.unwrap().subject_id.is_empty());
        let reject = RejectProposalRequest {
            proposal_id: other.clone(),
            idempotency: Some(idempotency("POST /v1/admin/proposals/{id}/reject", "one", &other)),
            ..Default::default()
        };
        let answer = world.grpc.proposals().reject_proposal(with_token(reject, &world.managers[1])).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
    }
    let plans = world.grpc.list_plans(world.realm.visitor(ListPlansRequest {})).await.unwrap().into_inner().plans;
    assert_eq!(plans.len(), 1);
}

/// [D-I1] [D-R4] No value is published behind the opening or the maturity of a live trade: its money would change.
#[sqlx::test(migrations = false)]
async fn no_value_is_published_behind_a_live_trade(pool: PgPool) {
    let world = World::new(pool).await;
    let (plan_id, other) = (world.plan().await, world.plan().await);
    let ago = |hours| Some(OffsetDateTime::now_utc() - Duration::hours(hours));
    world.publish(plan_id, 1_000_000, ago(100)).await;
    world.publish(other, 1_000_000, ago(100)).await;
    let member = world.member(100_000);
    world.create(&member, plan_id, 10_000, None).await.unwrap();
    let propose = async |plan_id, at| {
        let draft = value_draft(plan_id, 1_200_000, at);
        world.grpc.propose_plan_value(with_token(draft, &world.managers[0])).await
    };
    assert_eq!(refused(propose(plan_id, ago(1)).await).code, "VALUE_OUT_OF_ORDER");
    assert!(propose(other, ago(1)).await.is_ok());
    for sql in [
        "ALTER TABLE trades DISABLE TRIGGER trades_transition",
        "UPDATE trades SET created_at = created_at - interval '50 hours', matures_at = created_at - interval '20 hours'",
    ] {
        sqlx::query(sql).execute(&world.pool).await.unwrap();
    }
    assert_eq!(refused(propose(plan_id, ago(30)).await).code, "VALUE_OUT_OF_ORDER");
    let behind_none = propose(plan_id, ago(10)).await.unwrap().into_inner().proposal.unwrap();
    world.confirm(&behind_none.id, 1).await.unwrap();
}

/// A status that this build does not know is a failure, never another status.
#[sqlx::test(migrations = false)]
async fn an_unknown_status_is_a_failure(pool: PgPool) {
    let world = World::new(pool).await;
    let plan_id = world.valued_plan().await;
    let member = world.member(100_000);
    world.create(&member, plan_id, 10_000, None).await.unwrap();
    for sql in [
        "ALTER TABLE trades DISABLE TRIGGER trades_transition",
        "ALTER TABLE trades DROP CONSTRAINT trades_settle_kind, DROP CONSTRAINT trades_claim_pays_a_gain,
            DROP CONSTRAINT trades_close_pays_no_gain",
        "UPDATE trades SET status = 'settling', settle_kind = 'lost', settle_value_cents = 1,
            resume_at = now() + interval '1 hour'",
    ] {
        sqlx::query(sql).execute(&world.pool).await.unwrap();
    }
    let request = with_token(ListTradesRequest { include_ended: true }, &member.token);
    assert_eq!(refused(world.grpc.list_trades(request).await).kind, Kind::Internal);
}
