//! Payouts that the chain shows.

use chassis::clock::Timestamp;
use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::{GetReviewRequest, MarkWithdrawalPaidRequest, TransactionStatus};
use sqlx::PgPool;

use crate::fixture::{World, code, refusal, withdrawal};

/// [D-Q4] Of a payout the destination is looked for.
#[sqlx::test(migrations = false)]
async fn payouts_are_looked_for_at_their_destination(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let request = with_token(GetReviewRequest { id: made.id.clone(), ..Default::default() }, &world.reviewer);
    world.grpc.get_review(request).await.unwrap();
    let asked = world.evidence.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.is_payout, Some(asked.address)), (true, made.destination.map(|to| to.address)));
}

/// [D-Q5] Anyone who marks a payout as paid is stopped if another one to the destination has appeared that they have not seen, and
/// not by their own.
#[sqlx::test(migrations = false)]
async fn an_unseen_payout_stops_another(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.withdraw(&world.member_with(20_000).await, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let payout = |txid: &str, seconds| ChainPayment {
        txid: txid.repeat(32),
        seen_at: Some(Timestamp { seconds, nanos: 0 }),
        ..Default::default()
    };
    let pay = async |seconds| {
        let message = MarkWithdrawalPaidRequest {
            id: approved.id.clone(),
            revision: approved.revision,
            txid: format!("0x{}", "AB".repeat(32)),
            client_address: "::1".to_owned(),
            evidence_at: Some(Timestamp { seconds, nanos: 0 }),
            ..Default::default()
        };
        world.grpc.mark_withdrawal_paid(with_token(message, &world.treasurer)).await
    };
    let payments = vec![payout("ab", 1_800_000_020), payout("cd", 1_800_000_010)];
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    assert_eq!(code(pay(1_800_000_009).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let paid = pay(1_800_000_010).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
}

/// [D-N4] A payment to the destination since the approval is the payout, no matter who acts after it, and no matter what they saw: nobody
/// rejects, starts or pays again before it is attached. One that failed, or from before the approval, is not.
#[sqlx::test(migrations = false)]
async fn a_seen_payout_is_attached_first(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.withdraw(&world.member_with(200_000).await, withdrawal(150_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let show = |state: &str, seconds| {
        let payment = ChainPayment {
            txid: "ab".repeat(32),
            index: 3,
            state: state.to_owned(),
            seen_at: Some(Timestamp { seconds, nanos: 0 }),
            ..Default::default()
        };
        *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments: vec![payment], ..Default::default() });
    };
    for undone in ["failed", "replaced", "orphaned"] {
        let made = world.withdraw(&world.member_with(10_000).await, withdrawal(10_000)).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        show(undone, 1_900_000_000);
        let rejected = world.reject(&approved, "PAYOUT_FAILED").await.unwrap();
        assert_eq!(rejected.status(), TransactionStatus::Failed);
    }
    show("final", 1_500_000_000);
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    for state in ["seen", "included", "final"] {
        show(state, 1_900_000_000);
        let other = "cd".repeat(32);
        let refused = [
            refusal(world.lease_as(&world.treasurer, &leased).await),
            refusal(world.reject(&leased, "PAYOUT_FAILED").await),
            refusal(world.pay_as(&world.treasurer, &leased, (&other, None)).await),
            refusal(world.pay_as(&world.treasurer, &leased, (&"ab".repeat(32), Some(4))).await),
        ];
        for no in refused {
            assert_eq!((no.code.as_str(), no.kind), ("PAYOUT_SEEN", Kind::Conflict));
            assert!(no.message.contains(&"ab".repeat(32)), "{}", no.message);
        }
    }
    world.assert_books().await;
    sqlx::query("UPDATE transactions SET paying_until = now() WHERE paying_by IS NOT NULL")
        .execute(&world.pool)
        .await
        .unwrap();
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(world.lease_as(&other, &leased).await), "PAYOUT_SEEN");
    let paid = world.pay_as(&other, &leased, (&"ab".repeat(32), Some(3))).await.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
}

/// [D-N1] [D-N4] A payout takes one output: it is found by the hash where that is the only one, and chosen where the hash pays the
/// destination several times.
#[sqlx::test(migrations = false)]
async fn a_payout_takes_one_output(pool: PgPool) {
    let world = World::new(pool).await;
    let hash = "ab".repeat(32);
    let show = |outputs: &[u32]| {
        let payment = |index: &u32| ChainPayment {
            txid: hash.clone(),
            index: *index,
            asset: "USDT".to_owned(),
            units: "97500000".to_owned(),
            state: "seen".to_owned(),
            seen_at: Some(Timestamp { seconds: 1_900_000_000, nanos: 0 }),
            ..Default::default()
        };
        let payments = outputs.iter().map(payment).collect();
        *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    };
    let approved = async || {
        *world.evidence.shown.lock().unwrap() = None;
        let made = world.withdraw(&world.member_with(20_000).await, withdrawal(10_000)).await.unwrap();
        world.approve(&made).await.unwrap()
    };
    let one = approved().await;
    show(&[3]);
    let paid = world.pay_as(&world.treasurer, &one, (&hash, None)).await.unwrap();
    assert_eq!(paid.vout, Some(3));
    let other = approved().await;
    show(&[5, 6, 7]);
    let no = refusal(world.pay_as(&world.treasurer, &other, (&hash, None)).await);
    assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "vout"));
    let paid = world.pay_as(&world.treasurer, &other, (&hash, Some(6))).await.unwrap();
    assert_eq!(paid.vout, Some(6));
    let consumed: Vec<(i64, Option<String>, Option<String>)> =
        sqlx::query_as("SELECT vout, asset, units::text FROM consumed_payments WHERE direction = 'out' ORDER BY vout")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let both = [3, 6].map(|vout| (vout, Some("USDT".to_owned()), Some("97500000".to_owned())));
    assert_eq!(consumed, both);
    world.assert_books().await;
}
