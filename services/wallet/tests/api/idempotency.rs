//! One effect and one answer under a key.

use chassis::grpc::REPLAYED;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::Idempotency;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use std::sync::atomic::Ordering;

use crate::fixture::{World, code, deposit, hash, key, receipt, withdrawal};

/// [D-G4] [L7] [L9] Fifty times the same key: one effect; afterwards the same answer, marked as given before.
#[sqlx::test(migrations = false)]
async fn fifty_times_the_same_key_is_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let request = RequestWithdrawalRequest { idempotency: key("w"), ..withdrawal(10_000) };
    let results = join_all((0..50).map(|_| world.withdraw(&member, request.clone()))).await;
    let made: Vec<_> = results.iter().flatten().collect();
    assert!(!made.is_empty() && made.iter().all(|one| *one == made[0]));
    assert!(results.iter().filter(|one| one.is_err()).all(|no| code(no.clone()) == "IDEMPOTENCY_KEY_IN_FLIGHT"));
    assert_eq!(world.count("SELECT count(*) FROM transactions WHERE kind = 'withdrawal'").await, 1);
    let again = world.grpc.request_withdrawal(with_token(request, &member.token)).await.unwrap();
    assert!(again.metadata().get(REPLAYED).is_some());
    assert_eq!(again.into_inner().transaction.as_ref(), Some(made[0]));
    world.assert_books().await;
}

/// [D-G4] A business refusal is answered again although it would pass now; another body is refused.
#[sqlx::test(migrations = false)]
async fn a_refusal_is_replayed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(10_000).await;
    let request = RequestWithdrawalRequest { idempotency: key("w"), ..withdrawal(20_000) };
    assert_eq!(code(world.withdraw(&member, request.clone()).await), "INSUFFICIENT_BALANCE");
    let more = world.deposit(&member, deposit(50_000)).await.unwrap();
    world.approve(&more).await.unwrap();
    let no = world.withdraw(&member, request.clone()).await.unwrap_err();
    assert!(no.metadata().get(REPLAYED).is_some());
    assert_eq!(code::<()>(Err(no)), "INSUFFICIENT_BALANCE");
    let other = Idempotency { fingerprint: vec![2], ..key("w").unwrap() };
    let request = RequestWithdrawalRequest { idempotency: Some(other), ..request };
    assert_eq!(code(world.withdraw(&member, request.clone()).await), "IDEMPOTENCY_KEY_REUSED");
    let route = Idempotency { route: "POST /v1/other".into(), fingerprint: vec![2], ..key("w").unwrap() };
    let request = RequestWithdrawalRequest { idempotency: Some(route), ..request };
    assert!(world.withdraw(&member, request.clone()).await.is_ok());
    let stranger = world.member_with(50_000).await;
    assert!(world.withdraw(&stranger, request).await.is_ok());
    world.assert_books().await;
}

/// [D-R10] An empty or endless key is refused.
#[sqlx::test(migrations = false)]
async fn a_key_has_1_to_255_characters(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    for bad in [String::new(), "k".repeat(256)] {
        let request = RequestDepositRequest { idempotency: key(&bad), ..deposit(10_000) };
        assert_eq!(code(world.deposit(&member, request).await), "VALIDATION_FAILED");
    }
    let request = RequestDepositRequest { idempotency: key(&"k".repeat(255)), ..deposit(10_000) };
    assert!(world.deposit(&member, request).await.is_ok());
}

/// [D-G4] A repetition is answered although the payment methods cannot be looked up any more; every keyed call replays.
#[sqlx::test(migrations = false)]
async fn a_replay_needs_no_other_service(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let paid = RequestDepositRequest { idempotency: key("d"), ..deposit(10_000) };
    let first = world.deposit(&member, paid.clone()).await.unwrap();
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = PayWithdrawalFeeRequest {
        withdrawal_id: open.id,
        amount_cents: 250,
        method: "USDT".into(),
        receipt: receipt(2),
        txid: String::new(),
        idempotency: key("f"),
        ..Default::default()
    };
    let buy = PurchaseCourseRequest { idempotency: key("c") };
    let fee_made = world.grpc.pay_withdrawal_fee(with_token(fee.clone(), &member.token)).await.unwrap().into_inner();
    let bought = world.grpc.purchase_course(with_token(buy.clone(), &member.token)).await.unwrap().into_inner();
    world.methods_away.store(true, Ordering::Relaxed);
    assert_eq!(world.deposit(&member, paid).await.unwrap(), first);
    assert_eq!(world.grpc.pay_withdrawal_fee(with_token(fee, &member.token)).await.unwrap().into_inner(), fee_made);
    assert_eq!(world.grpc.purchase_course(with_token(buy, &member.token)).await.unwrap().into_inner(), bought);
    assert_eq!(world.count("SELECT count(*) FROM transactions").await, 5);
    world.assert_books().await;
}

/// [D-G4] Staff's decisions replay too: an approval sent again is no second decision.
#[sqlx::test(migrations = false)]
async fn a_decision_is_replayed(pool: PgPool) {
    use proto::wallet::v1::staff_service_server::StaffService;
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let request = ApproveTransactionRequest {
        id: made.id,
        revision: made.revision,
        received_amount_cents: Some(10_000),
        txid: hash("hash-1"),
        note: "seen at an explorer".into(),
        idempotency: key("a"),
        ..Default::default()
    };
    let first =
        world.grpc.approve_transaction(with_token(request.clone(), &world.reviewer)).await.unwrap().into_inner();
    let again = world.grpc.approve_transaction(with_token(request, &world.reviewer)).await.unwrap().into_inner();
    assert_eq!(first, again);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows").await, 1);
    world.assert_books().await;
}
