//! Payments that the chain does not prove.

use std::sync::Mutex;

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::{ApproveTransactionRequest, ApproveTransactionResponse, Transaction, TransactionStatus};
use sqlx::PgPool;
use tonic::{Response, Status};
use wallet::domain::limits::Limits;

use crate::evidence::shown;
use crate::fixture::{World, code, course_payment, deposit, refusal, withdrawal};

/// [D-Q5] [D-R17] [D-N8] A payment that the chain does not prove takes a note, and from $1,000.00 a second reviewer, also where
/// the chain is not observed. The chain is asked
/// about the hash that the reviewer enters, not about the one that the member claimed.
#[sqlx::test(migrations = false)]
async fn unproven_payments_take_a_note_and_a_second_reviewer(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.limit(|limits| *limits = Limits::default());
    let hash = Mutex::new(0_u64);
    let approve = async |reviewer: &str, one: &Transaction, cents: i64, note: &str| {
        let txid = match &one.first_approval {
            Some(first) => first.txid.clone(),
            None => {
                let mut count = hash.lock().unwrap();
                *count += 1;
                format!("{:064x}", *count)
            }
        };
        let message = ApproveTransactionRequest {
            id: one.id.clone(),
            revision: one.revision,
            received_amount_cents: Some(cents),
            txid: txid.clone(),
            note: note.to_owned(),
            client_address: "::1".to_owned(),
            ..Default::default()
        };
        let answer = world.grpc.approve_transaction(with_token(message, reviewer)).await;
        assert_eq!(world.evidence.asked.lock().unwrap().last().unwrap().txid, txid);
        answer
    };
    let deposit = async |cents: i64| world.deposit(&world.member(), deposit(cents)).await.unwrap();
    let status = |answer: Result<Response<_>, Status>| {
        let approved: ApproveTransactionResponse = answer.unwrap().into_inner();
        approved.transaction.unwrap().status()
    };
    let proof = |cents| ChainEvidence { suggested_cents: Some(cents), ..shown() };
    let check =
        |state: &str| EvidenceCheck { name: "payment_asset".to_owned(), state: state.to_owned(), ..Default::default() };
    let included = ChainPayment { state: "included".to_owned(), ..shown().payments[0].clone() };
    let unproven = [
        ChainEvidence { payments: vec![], ..proof(100_000) },
        ChainEvidence { checks: vec![check("ok"), check("unknown")], ..proof(100_000) },
        ChainEvidence { checks: vec![check("fail")], ..proof(100_000) },
        ChainEvidence { payments: vec![included], ..proof(100_000) },
        ChainEvidence { suggested_cents: None, ..proof(100_000) },
        proof(99_998),
    ];
    let second = world.realm.staff(Role::Reviewer).1;
    for evidence in unproven {
        *world.evidence.shown.lock().unwrap() = Some(evidence.clone());
        let (small, reviewer) = (deposit(99_999).await, world.realm.staff(Role::Reviewer).1);
        let refused = refusal(approve(&reviewer, &small, 99_999, "  ").await);
        assert_eq!(
            (refused.code.as_str(), refused.fields[0].0.as_str()),
            ("VALIDATION_FAILED", "note"),
            "{evidence:?}"
        );
        world.assert_books().await;
        assert_eq!(
            status(approve(&reviewer, &small, 99_999, "seen at a public explorer").await),
            TransactionStatus::Success
        );
    }
    let large = deposit(100_000).await;
    let first = approve(&world.reviewer, &large, 100_000, "seen").await.unwrap().into_inner().transaction.unwrap();
    assert!(first.status() == TransactionStatus::Pending && first.first_approval.is_some());
    assert_eq!(refusal(approve(&second, &first, 100_000, "").await).fields[0].0, "note");
    assert_eq!(code(approve(&world.reviewer, &first, 100_000, "seen").await), "SECOND_PERSON_REQUIRED");
    assert_eq!(status(approve(&second, &first, 100_000, "seen too").await), TransactionStatus::Success);
    *world.evidence.shown.lock().unwrap() =
        Some(ChainEvidence { checks: vec![check("ok"), check("warn")], ..proof(100_000) });
    let made = deposit(100_000).await;
    assert_eq!(status(approve(&world.reviewer, &made, 100_000, "").await), TransactionStatus::Success);
    *world.evidence.shown.lock().unwrap() = None;
    let made = deposit(100_000).await;
    assert_eq!(refusal(approve(&world.reviewer, &made, 100_000, "").await).fields[0].0, "note");
    assert_eq!(status(approve(&world.reviewer, &made, 100_000, "seen").await), TransactionStatus::Pending);
    // A quote of another member fits the payment better.
    let contested = EvidenceCheck { name: "payment_quote".to_owned(), ..check("fail") };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { checks: vec![contested], ..proof(10_000) });
    let made = deposit(10_000).await;
    let first = approve(&second, &made, 10_000, "a signed message").await;
    assert_eq!(status(first), TransactionStatus::Pending);
    world.assert_books().await;
}

/// [D-N8] What one reviewer approves alone without proof adds up, for a member to $1,000.00 and for all to $5,000.00 within a day,
/// whether it is a deposit, a fee or the course. What two approve does not count.
#[sqlx::test(migrations = false)]
async fn approvals_by_one_reviewer_add_up(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.limit(|limits| *limits = Limits::default());
    let approve = async |reviewer: &str, made: &Transaction, cents: i64| {
        let txid = world.new_txid();
        world.approve_as(reviewer, made, cents, (&txid, None)).await.unwrap()
    };
    let member = world.member();
    let mut approved = Vec::new();
    for cents in [60_000, 30_000, 10_000] {
        let made = world.deposit(&member, deposit(cents)).await.unwrap();
        approved.push(approve(&world.reviewer, &made, cents).await);
    }
    let pending = approved.pop().unwrap();
    assert!(approved.iter().all(|one| one.status() == TransactionStatus::Success));
    assert_eq!(pending.status(), TransactionStatus::Pending);
    let course = world.deposit(&member, course_payment()).await.unwrap();
    assert_eq!(approve(&world.reviewer, &course, 0).await.status(), TransactionStatus::Success);
    let out = world.withdraw(&member, withdrawal(80_000)).await.unwrap();
    let fee = world.pay_fee(&member, &out).await.unwrap();
    let fee = approve(&world.reviewer, &fee, 0).await;
    assert!(fee.status() == TransactionStatus::Pending && fee.first_approval.is_some());
    let second = world.realm.staff(Role::Reviewer).1;
    let txid = pending.first_approval.clone().unwrap().txid;
    let done = world.approve_as(&second, &pending, 10_000, (&txid, None)).await.unwrap();
    assert_eq!(done.status(), TransactionStatus::Success);
    let mut alone = 98_700;
    for _ in 0..4 {
        let made = world.deposit(&world.member(), deposit(99_000)).await.unwrap();
        assert_eq!(approve(&world.reviewer, &made, 99_000).await.status(), TransactionStatus::Success);
        alone += 99_000;
    }
    assert!(alone < 500_000 && alone + 10_000 > 500_000);
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    assert_eq!(approve(&world.reviewer, &made, 10_000).await.status(), TransactionStatus::Pending);
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    assert_eq!(approve(&second, &made, 10_000).await.status(), TransactionStatus::Success);
    world.assert_books().await;
}
