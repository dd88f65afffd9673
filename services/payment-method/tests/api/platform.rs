//! Platform methods: two treasurers, versions, a trail.

use chassis::error::Kind;
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use prost::Message;
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{ConfirmProposalRequest, ListAuditRowsRequest, ListProposalsRequest, RejectProposalRequest};
use proto::common::v1::{Idempotency, ProposalStatus};
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    ListPlatformMethodsRequest, MethodFields, PlatformMethod, PlatformMethodChanged, ProposePlatformMethodRequest,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{EVM, EVM_2, TRON, World, fields, refused};

async fn methods(world: &World) -> Vec<PlatformMethod> {
    let request = with_token(ListPlatformMethodsRequest {}, &world.treasurers[0]);
    world.grpc.list_platform_methods(request).await.unwrap().into_inner().methods
}

/// [D-M1] [D-O4] A deposit address takes two treasurers; one person in both parts is refused by the database too.
#[sqlx::test(migrations = false)]
async fn an_address_takes_two_treasurers(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, member) = world.member();
    let proposal = world.propose("", Some(fields("USDT", "TRC20", TRON))).await.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.status()), ("payment_method.create", ProposalStatus::Open));
    let refusal = refused(world.confirm(&proposal.id, 0).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Forbidden, "SELF_CONFIRMATION"));
    assert!(world.list(&member).await.is_empty());
    let id = world.confirm(&proposal.id, 1).await.unwrap();
    assert_eq!(world.list(&member).await[0].id, id);
    assert_eq!(refused(world.confirm(&proposal.id, 1).await).code, "PROPOSAL_CLOSED");
    let forged = sqlx::query("UPDATE proposals SET decided_by = proposed_by").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&forged.unwrap_err()), Some("proposals_two_people"));
}

/// [D-M1] A change makes a new version, an end keeps them all; staff hear of each.
#[sqlx::test(migrations = false)]
async fn a_change_makes_a_version_and_an_event(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, member) = world.member();
    let typed = MethodFields { image_key: "images/usdt".to_owned(), ..fields("USDT", "ERC20", EVM) };
    let proposal = world.propose("", Some(typed)).await.unwrap();
    let id = world.confirm(&proposal.id, 1).await.unwrap();
    let change = world.propose(&id, Some(fields("USDT", "ERC20", EVM_2))).await.unwrap();
    assert!(change.before_json.contains(EVM) && change.change_json.contains(EVM_2));
    assert_eq!(world.list(&member).await[0].address, EVM);
    world.confirm(&change.id, 1).await.unwrap();
    let shown = &world.list(&member).await[0];
    // A proposal without a picture keeps the one there is.
    assert_eq!((shown.address.as_str(), shown.version, shown.image_key.as_str()), (EVM_2, 2, "images/usdt"));
    let end = world.propose(&id, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    assert!(world.list(&member).await.is_empty());

    let [method] = methods(&world).await.try_into().unwrap();
    assert!(!method.active);
    assert_eq!(method.versions.iter().map(|version| version.address.as_str()).collect::<Vec<_>>(), [EVM_2, EVM]);
    assert_eq!(method.current.unwrap(), method.versions[0]);
    let rows: Vec<(String, Uuid, Vec<u8>)> =
        sqlx::query_as("SELECT key, aggregate_id, payload FROM outbox ORDER BY id")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let told: Vec<_> = rows
        .iter()
        .map(|(key, aggregate, payload)| {
            assert_eq!(key, "payment_method.v1.platform_method_changed");
            assert_eq!(aggregate.to_string(), id);
            let event = PlatformMethodChanged::decode(payload.as_slice()).unwrap();
            assert_ne!(event.proposed_by, event.confirmed_by);
            (event.change, event.address)
        })
        .collect();
    let expected = [("created", EVM), ("updated", EVM_2), ("archived", EVM_2)];
    assert_eq!(told, expected.map(|(change, address)| (change.to_owned(), address.to_owned())));
}

/// [D-R2] Who confirms must have seen what is replaced; a rejected proposal has no effect; what is gone cannot change.
#[sqlx::test(migrations = false)]
async fn a_change_is_confirmed_as_seen(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "ERC20", EVM).await;
    let one = world.propose(&id, Some(fields("USDT", "ERC20", EVM_2))).await.unwrap();
    let two = world.propose(&id, Some(fields("USDC", "ERC20", EVM))).await.unwrap();
    let end = world.propose(&id, None).await.unwrap();
    world.confirm(&two.id, 1).await.unwrap();
    for stale in [&one.id, &end.id] {
        let refusal = refused(world.confirm(stale, 1).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "STALE_REVISION"));
    }
    let reject = RejectProposalRequest { proposal_id: one.id.clone(), ..Default::default() };
    world.grpc.proposals().reject_proposal(with_token(reject, &world.treasurers[0])).await.unwrap();
    assert_eq!(refused(world.confirm(&one.id, 1).await).code, "PROPOSAL_CLOSED");
    assert_eq!(methods(&world).await[0].current.as_ref().unwrap().currency, "USDC");
    let end = world.propose(&id, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    assert_eq!(refused(world.propose(&id, None).await).kind, Kind::NotFound);
    assert_eq!(refused(world.confirm("x", 1).await).message, "Proposal not found.");
}

/// [D-M3] [D-M1] A proposal's fields are checked like a member's; a member's own method cannot be proposed for.
#[sqlx::test(migrations = false)]
async fn only_valid_platform_methods_are_proposed(pool: PgPool) {
    let world = World::new(pool).await;
    let refusal = refused(world.propose("", Some(fields("USDT", "TRC20", EVM))).await);
    assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "address"));
    assert_eq!(refused(world.propose("", None).await).kind, Kind::Invalid);
    let theirs = world.create(&world.member().1, fields("USDT", "ERC20", EVM)).await.unwrap().id;
    for id in [theirs, Uuid::new_v4().to_string(), "1".to_owned()] {
        assert_eq!(refused(world.propose(&id, None).await).kind, Kind::NotFound);
        assert_eq!(refused(world.propose(&id, Some(fields("USDT", "ERC20", EVM_2))).await).kind, Kind::NotFound);
    }
}

/// [D-O3] Every act leaves a row, chained to the one before.
#[sqlx::test(migrations = false)]
async fn every_act_leaves_a_trail(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", TRON).await;
    let end = world.propose(&id, None).await.unwrap();
    let reject = RejectProposalRequest { proposal_id: end.id, client_address: "::1".to_owned(), ..Default::default() };
    world.grpc.proposals().reject_proposal(with_token(reject, &world.treasurers[1])).await.unwrap();
    let (_, auditor) = world.realm.staff(Role::Auditor);
    let request = with_token(ListAuditRowsRequest { page: None, filter: None }, &auditor);
    let rows = world.grpc.audit_log().list_audit_rows(request).await.unwrap().into_inner().rows;
    let actions: Vec<_> = rows.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(
        actions,
        [
            "payment_method.archive.reject",
            "payment_method.archive.propose",
            "payment_method.create.confirm",
            "payment_method.create.propose"
        ]
    );
    assert!(rows.iter().all(|row| row.actor_role == "treasurer" && row.address == "::1"));
    assert_eq!(chassis::audit::broken_at(&mut *world.pool.acquire().await.unwrap()).await.unwrap(), None);
    sqlx::query("ALTER TABLE audit_rows DISABLE TRIGGER ALL").execute(&world.pool).await.unwrap();
    sqlx::query("UPDATE audit_rows SET address = 'elsewhere' WHERE id = 2").execute(&world.pool).await.unwrap();
    assert_eq!(chassis::audit::broken_at(&mut *world.pool.acquire().await.unwrap()).await.unwrap(), Some(2));
}

/// [D-O1] [D-O2] Which role may do what; a member may do nothing of it.
#[sqlx::test(migrations = false)]
async fn roles_are_kept_apart(pool: PgPool) {
    let world = World::new(pool).await;
    let mut callers: Vec<(Option<Role>, String)> =
        Role::ALL.iter().map(|&role| (Some(role), world.realm.staff(role).1)).collect();
    callers.push((None, world.member().1));
    for (role, token) in callers {
        let grpc = &world.grpc;
        let treasurer = role == Some(Role::Treasurer);
        let trail = matches!(role, Some(Role::Auditor | Role::Admin));
        let unknown = Uuid::new_v4().to_string();
        let propose =
            ProposePlatformMethodRequest { fields: Some(fields("USDT", "TRC20", TRON)), ..Default::default() };
        let confirm = ConfirmProposalRequest { proposal_id: unknown.clone(), ..Default::default() };
        let reject = RejectProposalRequest { proposal_id: unknown, ..Default::default() };
        let outcomes = [
            (treasurer, grpc.propose_platform_method(with_token(propose, &token)).await.err()),
            (treasurer, grpc.proposals().confirm_proposal(with_token(confirm, &token)).await.err()),
            (treasurer, grpc.proposals().reject_proposal(with_token(reject, &token)).await.err()),
            (role.is_some(), grpc.list_platform_methods(with_token(ListPlatformMethodsRequest {}, &token)).await.err()),
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
    let propose = async || world.propose("", Some(fields("USDT", "TRC20", TRON))).await.unwrap().id;
    let (method, other) = (propose().await, propose().await);
    let key = |id: &str| {
        Some(Idempotency { key: "one".to_owned(), route: format!("POST {id}"), fingerprint: id.as_bytes().to_vec() })
    };
    for replayed in [false, true] {
        let confirm =
            ConfirmProposalRequest { proposal_id: method.clone(), idempotency: key(&method), ..Default::default() };
        let answer = world.grpc.proposals().confirm_proposal(with_token(confirm, &world.treasurers[1])).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
        let reject =
            RejectProposalRequest { proposal_id: other.clone(), idempotency: key(&other), ..Default::default() };
        let answer = world.grpc.proposals().reject_proposal(with_token(reject, &world.treasurers[1])).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
    }
    assert_eq!(methods(&world).await.len(), 1);
}
