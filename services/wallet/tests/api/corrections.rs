//! Bonus, release and adjustment: two treasurers, one effect.

use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{ConfirmProposalRequest, ListProposalsRequest, RejectProposalRequest};
use proto::common::v1::{Proposal, ProposalStatus};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{Member, World, code, key};

pub fn correction(member: &Member, kind: CorrectionKind, cents: i64) -> ProposeCorrectionRequest {
    ProposeCorrectionRequest {
        user_id: member.id.to_string(),
        kind: kind.into(),
        amount_cents: cents,
        note: "welcome".into(),
        ..Default::default()
    }
}

pub async fn propose(world: &World, member: &Member, kind: CorrectionKind, cents: i64) -> Result<Proposal, Status> {
    let request = correction(member, kind, cents);
    let answer = world.grpc.propose_correction(with_token(request, &world.treasurer)).await?;
    Ok(answer.into_inner().proposal.unwrap())
}

pub async fn confirm(world: &World, token: &str, proposal: &Proposal) -> Result<Proposal, Status> {
    let request = ConfirmProposalRequest {
        proposal_id: proposal.id.clone(),
        client_address: "192.0.2.1".into(),
        ..Default::default()
    };
    let answer = world.grpc.proposals().confirm_proposal(with_token(request, token)).await?;
    Ok(answer.into_inner().proposal.unwrap())
}

/// [D-L1] [D-R2] [D-O4] A bonus is shown apart, released into the balance, each by two people.
#[sqlx::test(migrations = false)]
async fn a_bonus_is_granted_and_released_by_two_people(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    assert_eq!(code(propose(&world, &member, CorrectionKind::Bonus, 1).await), "NOT_FOUND");
    world.wallet(&member).await;
    assert_eq!(code(propose(&world, &member, CorrectionKind::Release, 1).await), "INSUFFICIENT_BALANCE");
    let bonus = propose(&world, &member, CorrectionKind::Bonus, 5_000).await.unwrap();
    assert_eq!(
        (bonus.kind.as_str(), bonus.status(), bonus.subject_id.clone()),
        ("bonus", ProposalStatus::Open, member.id.to_string())
    );
    assert_eq!(world.wallet(&member).await.bonus_cents, 0);
    assert_eq!(code(confirm(&world, &world.treasurer, &bonus).await), "SELF_CONFIRMATION");
    let results = join_all((0..10).map(|_| confirm(&world, &second, &bonus))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.bonus_cents, wallet.available_cents), (5_000, 0));
    assert!(world.history(&member).await.is_empty());
    assert_eq!(world.house("bonus_expense").await, -5_000);
    let release = propose(&world, &member, CorrectionKind::Release, 2_000).await.unwrap();
    confirm(&world, &second, &release).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.bonus_cents, wallet.available_cents), (3_000, 2_000));
    let line = &world.history(&member).await[0];
    assert_eq!((line.title.as_str(), line.direction(), line.amount_cents), ("Bonus", Direction::Credit, 2_000));
    assert_eq!(world.events().await, ["wallet.v1.bonus_granted", "wallet.v1.bonus_released"]);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows").await, 4);
    world.assert_books().await;
}

/// [D-R2] [D-W7] An adjustment takes no more than there is, also when the balance fell since it was proposed.
#[sqlx::test(migrations = false)]
async fn an_adjustment_never_overdraws(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(10_000).await, world.realm.staff(Role::Treasurer).1);
    assert_eq!(code(propose(&world, &member, CorrectionKind::AdjustmentDebit, 10_001).await), "INSUFFICIENT_BALANCE");
    let first = propose(&world, &member, CorrectionKind::AdjustmentDebit, 6_000).await.unwrap();
    let other = propose(&world, &member, CorrectionKind::AdjustmentDebit, 6_000).await.unwrap();
    confirm(&world, &second, &first).await.unwrap();
    assert_eq!(code(confirm(&world, &second, &other).await), "INSUFFICIENT_BALANCE");
    let open = world.count("SELECT count(*) FROM proposals WHERE status = 'open'").await;
    assert_eq!(open, 1);
    let credit = propose(&world, &member, CorrectionKind::AdjustmentCredit, 1).await.unwrap();
    confirm(&world, &second, &credit).await.unwrap();
    assert_eq!(world.wallet(&member).await.available_cents, 4_001);
    let titles: Vec<_> = world.history(&member).await.into_iter().map(|one| one.title).collect();
    assert_eq!(titles, ["Adjustment", "Adjustment", "Deposit"]);
    assert_eq!(world.house("adjustments").await, 5_999);
    world.assert_books().await;
}

/// [U8] [D-R2] What the confirmation of an open proposal would be refused with stands in the list before anybody confirms.
#[sqlx::test(migrations = false)]
async fn a_proposal_that_would_be_refused_says_so(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(10_000).await, world.realm.staff(Role::Treasurer).1);
    let debit = async |cents| propose(&world, &member, CorrectionKind::AdjustmentDebit, cents).await.unwrap();
    let (one, two, small) = (debit(8_000).await, debit(8_000).await, debit(500).await);
    let blocker = async |proposal: &Proposal| {
        let list = ListProposalsRequest::default();
        let found = world.grpc.proposals().list_proposals(with_token(list, &second)).await.unwrap().into_inner();
        let found = found.proposals.into_iter().find(|one| one.id == proposal.id).unwrap();
        found.blocker.map(|blocker| (blocker.code, blocker.message))
    };
    assert_eq!((blocker(&one).await, blocker(&two).await), (None, None));
    confirm(&world, &second, &one).await.unwrap();
    let refused = chassis::error::from_status(&confirm(&world, &second, &two).await.unwrap_err());
    assert_eq!(refused.code, "INSUFFICIENT_BALANCE");
    assert_eq!(blocker(&two).await, Some((refused.code, refused.message)));
    assert_eq!((blocker(&one).await, blocker(&small).await), (None, None), "decided, and possible");
    sqlx::query("INSERT INTO closed_wallets (user_id, closed_at) VALUES ($1, now())")
        .bind(member.id)
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(blocker(&small).await.unwrap().0, code(confirm(&world, &second, &small).await));
}

/// [D-R2] A rejected proposal is over; amounts and notes that cannot be are refused; a repetition is one proposal.
#[sqlx::test(migrations = false)]
async fn proposals_end_and_are_not_doubled(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    world.wallet(&member).await;
    for cents in [0, -1, i64::MIN, 1_000_000_000_000] {
        assert_eq!(code(propose(&world, &member, CorrectionKind::Bonus, cents).await), "VALIDATION_FAILED");
    }
    assert_eq!(code(propose(&world, &member, CorrectionKind::Unspecified, 1).await), "VALIDATION_FAILED");
    let request = ProposeCorrectionRequest {
        user_id: member.id.to_string(),
        kind: CorrectionKind::Bonus.into(),
        amount_cents: 100,
        note: "twice".into(),
        idempotency: key("one"),
        ..Default::default()
    };
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = world.grpc.propose_correction(with_token(request.clone(), &world.treasurer)).await.unwrap();
        ids.push(answer.into_inner().proposal.unwrap());
    }
    assert_eq!(ids[0], ids[1]);
    let reject = RejectProposalRequest { proposal_id: ids[0].id.clone(), ..Default::default() };
    world.grpc.proposals().reject_proposal(with_token(reject, &second)).await.unwrap();
    assert_eq!(code(confirm(&world, &second, &ids[0]).await), "PROPOSAL_CLOSED");
    let unknown = Proposal { id: uuid::Uuid::now_v7().to_string(), ..ids[0].clone() };
    assert_eq!(code(confirm(&world, &second, &unknown).await), "NOT_FOUND");
    let list = ListProposalsRequest { status: ProposalStatus::Rejected.into(), page: None };
    let found = world.grpc.proposals().list_proposals(with_token(list, &second)).await.unwrap().into_inner();
    assert_eq!(found.proposals.len(), 1);
    assert_eq!(world.count("SELECT count(*) FROM entries").await, 0);
}

/// [D-O6] [D-G4] [A8] A decision on a proposal is answered again under its key, also a refusal; the effect stays one.
#[sqlx::test(migrations = false)]
async fn a_decision_on_a_proposal_replays_under_its_key(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(10_000).await, world.realm.staff(Role::Treasurer).1);
    let credit = propose(&world, &member, CorrectionKind::AdjustmentCredit, 500).await.unwrap();
    let request = |id: &str, text: &str| ConfirmProposalRequest {
        proposal_id: id.to_owned(),
        idempotency: key(text),
        ..Default::default()
    };
    let confirm = async |id: &str, text: &str| {
        world.grpc.proposals().confirm_proposal(with_token(request(id, text), &second)).await
    };
    let first = confirm(&credit.id, "one").await.unwrap();
    let again = confirm(&credit.id, "one").await.unwrap();
    assert!(first.metadata().get(REPLAYED).is_none() && again.metadata().get(REPLAYED).is_some());
    assert_eq!(first.into_inner(), again.into_inner());
    assert_eq!(code(confirm(&credit.id, "two").await), "PROPOSAL_CLOSED");
    let refused = confirm(&credit.id, "two").await.unwrap_err();
    assert!(refused.metadata().get(REPLAYED).is_some());
    assert_eq!(world.wallet(&member).await.available_cents, 10_500);
    let debit = propose(&world, &member, CorrectionKind::AdjustmentDebit, 500).await.unwrap();
    let reject = RejectProposalRequest { proposal_id: debit.id, idempotency: key("end"), ..Default::default() };
    for replayed in [false, true] {
        let answer = world.grpc.proposals().reject_proposal(with_token(reject.clone(), &second)).await.unwrap();
        assert_eq!(answer.metadata().get(REPLAYED).is_some(), replayed);
        assert_eq!(answer.into_inner().proposal.unwrap().status(), ProposalStatus::Rejected);
    }
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action LIKE 'adjustment%'").await, 4);
    world.assert_books().await;
}
