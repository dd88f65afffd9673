//! Payments that no transaction claims, and the outputs that an approval takes.

use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, PageRequest};
use proto::payment_method::v1::ListedPayment;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::{
    ApproveTransactionRequest, GetReviewRequest, ListUnclaimedPaymentsRequest, RequestDepositRequest,
};
use sqlx::PgPool;

use crate::evidence::shown;
use crate::fixture::{ANY_TXID, World, code, deposit, refusal};

/// [D-N1] [D-Q6] Where the chain is observed, an approval takes the outputs that it names: of a batch, the second payment stays
/// unclaimed, and is offered to the next request of the same hash.
#[sqlx::test(migrations = false)]
async fn an_approval_takes_only_its_outputs(pool: PgPool) {
    let world = World::new(pool).await;
    let one = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let other = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let method = one.method.clone().unwrap();
    let payment = |index: u32| ChainPayment { index, address: method.address.clone(), ..shown().payments[0].clone() };
    *world.evidence.shown.lock().unwrap() =
        Some(ChainEvidence { payments: vec![payment(4), payment(7), payment(9)], ..shown() });
    let listed = |index: u32| ListedPayment { number: index.into(), payment: Some(payment(index)) };
    *world.evidence.listed.lock().unwrap() = vec![listed(9), listed(7), listed(4)];
    let unclaimed = async || {
        let request = with_token(ListUnclaimedPaymentsRequest { page: None }, &world.reviewer);
        let found = world.grpc.list_unclaimed_payments(request).await.unwrap().into_inner().payments;
        found.into_iter().map(|one| one.payment.unwrap().index).collect::<Vec<_>>()
    };
    let no = refusal(world.approve_as(&world.reviewer, &one, 10_000, (ANY_TXID, None)).await);
    assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "vout"));
    assert_eq!(unclaimed().await, [9, 7, 4]);
    let both = ApproveTransactionRequest {
        id: one.id.clone(),
        revision: one.revision,
        received_amount_cents: Some(10_000),
        txid: ANY_TXID.to_owned(),
        outputs: vec![7, 4],
        ..Default::default()
    };
    world.grpc.approve_transaction(with_token(both, &world.reviewer)).await.unwrap();
    assert_eq!(unclaimed().await, [9]);
    assert_eq!(code(world.approve_as(&world.reviewer, &other, 10_000, (ANY_TXID, Some(7))).await), "TXID_USED");
    let done = world.approve_as(&world.reviewer, &other, 10_000, (ANY_TXID, None)).await.unwrap();
    assert_eq!((done.vout, unclaimed().await), (Some(9), vec![]));
    let consumed: Vec<(i64, String, String)> =
        sqlx::query_as("SELECT vout, asset, units::text FROM consumed_payments ORDER BY vout")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let all = [4, 7, 9].map(|vout| (vout, "USDT".to_owned(), "100000000".to_owned()));
    assert_eq!(consumed, all);
    world.assert_books().await;
}

/// [D-Q6] A payment of the chain backs one transaction: an output that was approved is claimed, the others of its transaction are
/// not, unless all of it was approved. One whose hash or quote an open transaction has is claimed too. Each of the rest names the
/// open transactions that were shown its address.
#[sqlx::test(migrations = false)]
async fn payments_that_nobody_claims_are_listed(pool: PgPool) {
    let world = World::new(pool).await;
    let hash = |digit: char| digit.to_string().repeat(64);
    let one = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let method = one.method.clone().unwrap();
    world.approve_as(&world.reviewer, &one, 10_000, (&hash('a'), Some(1))).await.unwrap();
    let whole = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    world.approve_as(&world.reviewer, &whole, 10_000, (&hash('b'), None)).await.unwrap();
    let claim = format!("0x{}", hash('c').to_uppercase());
    let claiming =
        world.deposit(&world.member(), RequestDepositRequest { txid: claim, ..deposit(10_000) }).await.unwrap();
    let open = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let numbers = [('a', 1), ('a', 2), ('b', 0), ('b', 7), ('c', 0), ('d', 0)];
    let listed = numbers.iter().enumerate().map(|(place, (digit, index))| ListedPayment {
        number: 100 - i64::try_from(place).unwrap(),
        payment: Some(ChainPayment {
            chain: "tron".to_owned(),
            txid: hash(*digit),
            index: *index,
            asset: method.currency.clone(),
            units: "100000000".to_owned(),
            address: method.address.clone(),
            ..Default::default()
        }),
    });
    *world.evidence.listed.lock().unwrap() = listed.collect();
    let list = async |size: i32, cursor: &str| {
        let page = Some(PageRequest { size, cursor: cursor.to_owned() });
        let request = with_token(ListUnclaimedPaymentsRequest { page }, &world.reviewer);
        world.grpc.list_unclaimed_payments(request).await.unwrap().into_inner()
    };
    let all = list(50, "").await;
    let keys: Vec<_> =
        all.payments.iter().map(|one| one.payment.clone().unwrap()).map(|one| (one.txid, one.index)).collect();
    assert_eq!((keys, all.next_cursor.as_str()), (vec![(hash('a'), 2), (hash('d'), 0)], ""));
    for payment in &all.payments {
        let ids: Vec<_> = payment.candidates.iter().map(|one| one.id.clone()).collect();
        assert_eq!(ids, [open.id.clone(), claiming.id.clone()]);
    }
    let first = list(1, "").await;
    assert_eq!((&first.payments[..], first.next_cursor.as_str()), (&all.payments[..1], "99"));
    assert_eq!(list(1, &first.next_cursor).await.payments, all.payments[1..]);
    // To attach it, a reviewer looks at the transaction with the payment, and approves it with its hash and output.
    let message = GetReviewRequest { id: open.id.clone(), txid: hash('a'), vout: Some(2) };
    world.grpc.get_review(with_token(message, &world.reviewer)).await.unwrap();
    let asked = world.evidence.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.txid, asked.vout), (hash('a'), Some(2)));
    world.approve_as(&world.reviewer, &open, 10_000, (&hash('a'), Some(2))).await.unwrap();
    assert_eq!(list(50, "").await.payments.len(), 1);
    assert_eq!(code(world.approve_as(&world.reviewer, &claiming, 10_000, (&hash('a'), Some(2))).await), "TXID_USED");
}
