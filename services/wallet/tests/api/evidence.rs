//! What the chain shows about a transaction, for staff and for its member.

mod payouts;
mod unclaimed;
mod unproven;

use chassis::clock::Timestamp;
use chassis::error::Kind;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    ApproveTransactionRequest, GetPaymentsRequest, GetReviewRequest, StepState, TakeBackDepositRequest,
    TransactionStatus,
};
use sqlx::PgPool;

use crate::fixture::{ANY_TXID, Member, World, code, course_payment, deposit, refusal, withdrawal};

fn shown() -> ChainEvidence {
    let payment = ChainPayment {
        chain: "tron".to_owned(),
        txid: ANY_TXID.to_owned(),
        state: "final".to_owned(),
        asset: "USDT".to_owned(),
        units: "100000000".to_owned(),
        ..Default::default()
    };
    ChainEvidence {
        payments: vec![payment],
        checks: vec![EvidenceCheck { name: "payment_found".to_owned(), state: "ok".to_owned(), ..Default::default() }],
        suggested_cents: Some(10_000),
        ..Default::default()
    }
}

/// [D-N7] The confirmations of a deposit follow from what the member claims by others within an hour, refused ones aside.
#[sqlx::test(migrations = false)]
async fn deposits_of_an_hour_are_added(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let made = world.deposit(&member, deposit(70_000)).await.unwrap();
    world.deposit(&member, deposit(80_000)).await.unwrap();
    world.deposit(&member, deposit(10_000)).await.unwrap();
    world.deposit(&other, deposit(90_000)).await.unwrap();
    let review = GetReviewRequest { id: made.id.clone(), ..Default::default() };
    let lately = async || {
        world.grpc.get_review(with_token(review.clone(), &world.reviewer)).await.unwrap();
        world.evidence.asked.lock().unwrap().last().unwrap().claimed_lately_cents
    };
    assert_eq!(lately().await, 90_000);
    sqlx::query("UPDATE transactions SET created_at = created_at - interval '2 hours' WHERE amount_cents = 80000")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(lately().await, 10_000);
}

/// [D-Q4] [D-R17] Staff see what the chain shows with the other checks, each with its state; the member sees the payment, and
/// nothing that was checked. Nobody else does.
#[sqlx::test(migrations = false)]
async fn evidence_is_for_staff_and_the_member(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let review = |token: &str| with_token(GetReviewRequest { id: made.id.clone(), ..Default::default() }, token);
    let none = world.grpc.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(none.evidence, None);
    let unknown = none.checks.iter().find(|check| check.name == "payment_found").unwrap();
    assert_eq!((unknown.ok, unknown.state.as_str()), (false, "unknown"));
    assert!(none.checks.iter().all(|check| check.ok == (check.state == "ok")));
    *world.evidence.shown.lock().unwrap() = Some(shown());
    let found = world.grpc.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(found.evidence, Some(shown()));
    let payments = |token: &str| with_token(GetPaymentsRequest { id: made.id.clone() }, token);
    let told = world.grpc.get_payments(payments(&member.token)).await.unwrap().into_inner();
    let keys: Vec<_> = told.steps.iter().map(|step| step.key.as_str()).collect();
    assert_eq!(keys, ["requested", "seen", "confirmed", "reviewed", "credited"]);
    let told = told.evidence.unwrap();
    assert_eq!((told.payments, told.checks), (shown().payments, vec![]));
    assert_eq!(refusal(world.grpc.get_payments(payments(&other.token)).await).kind, Kind::NotFound);
    let asked = world.evidence.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.is_payout, asked.claimed_cents), (false, 10_000));
    assert!(!asked.address.is_empty() && asked.requested_at.is_some());
    // Nothing that a member reads has a node asked.
    let asked: Vec<_> = world.evidence.asked.lock().unwrap().iter().map(|asked| asked.is_for_member).collect();
    assert_eq!(asked, [false, false, true]);
}

/// [D-M5] [D-M6] A member takes back a pending deposit or course payment that nothing was seen of, again without effect; never one
/// whose payment is on the chain or was approved once, a fee, a decided one or another member's.
#[sqlx::test(migrations = false)]
async fn a_member_takes_back_what_nothing_was_seen_of(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(20_000).await, world.member());
    let take_back = async |by: &Member, id: &str| {
        let request = with_token(TakeBackDepositRequest { id: id.to_owned() }, &by.token);
        world.grpc.take_back_deposit(request).await.map(|answer| answer.into_inner().transaction.unwrap())
    };
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    assert_eq!(code(take_back(&other, &made.id).await), "NOT_FOUND");
    *world.evidence.shown.lock().unwrap() = Some(shown());
    let refused = refusal(take_back(&member, &made.id).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Conflict, "PAYMENT_SEEN"));
    // What the chain has lost was not paid.
    let lost = ChainPayment { state: "replaced".to_owned(), ..shown().payments[0].clone() };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments: vec![lost], ..shown() });
    for _ in 0..2 {
        let ended = take_back(&member, &made.id).await.unwrap();
        assert_eq!((ended.status(), ended.reason_code.as_str()), (TransactionStatus::Failed, "MEMBER_REQUEST"));
        assert_eq!(
            ended.steps.last().map(|step| (step.key.as_str(), step.state())),
            Some(("ended", StepState::Failed))
        );
    }
    let told = world.events().await;
    assert_eq!(told.iter().filter(|key| *key == "wallet.v1.deposit_taken_back").count(), 1);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'deposit.take_back'").await, 1);
    assert_eq!(code(world.approve(&made).await), "ALREADY_DECIDED");
    *world.evidence.shown.lock().unwrap() = None;
    let course = world.deposit(&member, course_payment()).await.unwrap();
    take_back(&member, &course.id).await.unwrap();
    world.deposit(&member, course_payment()).await.unwrap();
    let large = world.deposit(&member, deposit(1_000_000)).await.unwrap();
    world.approve_as(&world.reviewer, &large, 1_000_000, (&world.new_txid(), None)).await.unwrap();
    assert_eq!(code(take_back(&member, &large.id).await), "PAYMENT_SEEN");
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &open).await.unwrap();
    for id in [&open.id, &fee.id] {
        assert_eq!(code(take_back(&member, id).await), "NOT_FOUND");
    }
    let paid = world.history(&member).await.into_iter().find(|one| one.status() == TransactionStatus::Success).unwrap();
    assert_eq!(code(take_back(&member, &paid.id).await), "ALREADY_DECIDED");
    world.assert_books().await;
}

/// [D-Q5] An approval reads the evidence again: if the payment changed since the reviewer saw it, nothing is decided. Evidence
/// that cannot be read decides nothing either; who saw none is not held up by it.
#[sqlx::test(migrations = false)]
async fn stale_evidence_decides_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let changed = |seconds| Some(Timestamp { seconds, nanos: 700_000 });
    let approve = async |evidence_at: Option<Timestamp>| {
        let message = ApproveTransactionRequest {
            id: made.id.clone(),
            revision: made.revision,
            received_amount_cents: Some(10_000),
            txid: "ab".repeat(32),
            client_address: "::1".to_owned(),
            evidence_at,
            ..Default::default()
        };
        world.grpc.approve_transaction(with_token(message, &world.reviewer)).await
    };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { changed_at: changed(1_800_000_010), ..shown() });
    let seen = |seconds| Some(Timestamp { seconds, nanos: 0 });
    assert_eq!(code(approve(seen(1_800_000_009)).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let done = approve(seen(1_800_000_010)).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(done.status(), TransactionStatus::Success);
}
