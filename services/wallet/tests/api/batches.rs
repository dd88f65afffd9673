//! Payouts that are paid together.

use std::sync::atomic::Ordering;

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment};
use proto::payment_method::v1::PayoutOnChain;
use proto::wallet::v1::treasury_service_server::TreasuryService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use wallet::app::payout::settle_payouts::settle_payouts;

use crate::fixture::{World, code, hash, key, refusal, withdrawal};

/// Withdrawals of different members that the treasurer has leased.
async fn leased(world: &World, count: i64) -> Vec<Transaction> {
    let mut all = Vec::new();
    for number in 0..count {
        let member = world.member_with(100_000).await;
        let request = RequestWithdrawalRequest {
            address: format!("TDESTINATION{number}xxxxxxxxxxxxxxxxxxxxx"),
            ..withdrawal(50_000 + number)
        };
        let made = world.withdraw(&member, request).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        all.push(world.lease_as(&world.treasurer, &approved).await.unwrap());
    }
    // A node shows payouts: they are final later.
    *world.evidence.payout.lock().unwrap() = Some(PayoutOnChain { state: "missing".to_owned(), outputs: Vec::new() });
    all
}

fn named(all: &[Transaction]) -> Vec<PayoutOfBatch> {
    all.iter().map(|one| PayoutOfBatch { id: one.id.clone(), revision: one.revision }).collect()
}

async fn prepare(world: &World, by: &str, all: &[Transaction]) -> Result<PreparePayoutsResponse, Status> {
    let request = PreparePayoutsRequest { payouts: named(all) };
    Ok(world.grpc.prepare_payouts(with_token(request, by)).await?.into_inner())
}

async fn send(world: &World, by: &str, all: &[Transaction], psbt: &str) -> Result<SendPayoutsResponse, Status> {
    let request = SendPayoutsRequest { payouts: named(all), psbt: psbt.to_owned(), ..Default::default() };
    Ok(world.grpc.send_payouts(with_token(request, by)).await?.into_inner())
}

async fn dissolve(world: &World, by: &str, all: &[Transaction]) -> Result<Vec<Transaction>, Status> {
    let request = DissolvePayoutsRequest { payouts: named(all), ..Default::default() };
    Ok(world.grpc.dissolve_payouts(with_token(request, by)).await?.into_inner().transactions)
}

const PAID: &str = "SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.paid'";
const CONSUMED: &str = "SELECT count(*) FROM consumed_payments WHERE freed_at IS NULL";

/// [D-N5] What one treasurer has leased is prepared with exactly the units that the leases fixed; nothing else is.
#[sqlx::test(migrations = false)]
async fn a_batch_is_what_its_treasurer_leased(pool: PgPool) {
    let world = World::new(pool).await;
    let all = leased(&world, 3).await;
    assert_eq!(prepare(&world, &world.treasurer, &all).await.unwrap().psbt, "unsigned");
    let asked = world.batches.prepared.lock().unwrap().clone();
    for (one, asked) in all.iter().zip(&asked) {
        let (payout, to) = (one.payout.clone().unwrap(), one.destination.clone().unwrap().address);
        let expected = (to, payout.units, payout.contract, payout.decimals.unsigned_abs());
        assert_eq!((asked.address.clone(), asked.units.clone(), asked.contract.clone(), asked.decimals), expected);
    }
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(prepare(&world, &other, &all).await), "NOT_BEING_PAID");
    assert_eq!(code(prepare(&world, &world.reviewer, &all).await), "PERMISSION_DENIED");
    assert_eq!(code(send(&world, &world.reviewer, &all, "a").await), "PERMISSION_DENIED");
    let stale = [Transaction { revision: 1, ..all[0].clone() }];
    assert_eq!(code(prepare(&world, &world.treasurer, &stale).await), "STALE_REVISION");
    for wrong in [vec![], vec![all[0].clone(), all[0].clone()], vec![all[0].clone(); 21]] {
        assert_eq!(code(prepare(&world, &world.treasurer, &wrong).await), "VALIDATION_FAILED");
    }
    sqlx::query("UPDATE transactions SET paying_until = now() - interval '1 second' WHERE id = $1::uuid")
        .bind(&all[1].id)
        .execute(&world.pool)
        .await
        .unwrap();
    let no = refusal(prepare(&world, &world.treasurer, &all).await);
    assert_eq!(no.code, "NOT_BEING_PAID");
    assert!(no.message.contains(&all[1].id[..6]), "{}", no.message);
}

/// [D-N5] All payouts of a batch are recorded with the outputs of its transaction, or none. Recorded again, they are only sent again.
#[sqlx::test(migrations = false)]
async fn a_batch_is_recorded_as_a_whole(pool: PgPool) {
    let world = World::new(pool).await;
    let all = leased(&world, 3).await;
    // By the deposits.
    let before = world.count(CONSUMED).await;
    assert_eq!(code(send(&world, &world.treasurer, &all, "other").await), "VALIDATION_FAILED");
    let mut stale = all.clone();
    stale[2].revision -= 1;
    assert_eq!(code(send(&world, &world.treasurer, &stale, "a").await), "STALE_REVISION");
    assert_eq!((world.count(PAID).await, world.count(CONSUMED).await), (0, before));
    assert!(world.batches.sent.lock().unwrap().is_empty());

    let done = send(&world, &world.treasurer, &all, "a").await.unwrap();
    assert_eq!((done.txid.as_str(), done.is_sent, done.transactions.len()), (&*hash("a"), true, 3));
    for (one, vout) in all.iter().zip(1..) {
        let found = world.review(&one.id).await.transaction.unwrap();
        assert!(found.sent_at.is_some() && found.status() == TransactionStatus::Pending);
        assert_eq!((found.txid, found.vout), (hash("a"), Some(vout)));
    }
    assert_eq!((world.count(PAID).await, world.count(CONSUMED).await), (3, before + 3));
    // The file was uploaded twice, with another key.
    assert!(send(&world, &world.treasurer, &all, "a").await.unwrap().is_sent);
    assert_eq!((world.count(PAID).await, world.count(CONSUMED).await), (3, before + 3));
    assert_eq!(*world.batches.sent.lock().unwrap(), [hash("a"), hash("a")]);
    // Another transaction of the same payouts would pay twice.
    assert_eq!(code(send(&world, &world.treasurer, &all, "b").await), "ALREADY_DECIDED");
    assert_eq!(world.batches.sent.lock().unwrap().len(), 2);
    world.assert_books().await;
}

/// [D-N5] What was recorded and not sent, because the process or the node died between both, is sent by the look at payouts.
#[sqlx::test(migrations = false)]
async fn what_was_recorded_is_sent_later(pool: PgPool) {
    let world = World::new(pool).await;
    let all = leased(&world, 2).await;
    world.batches.away.store(true, Ordering::Relaxed);
    let request = || SendPayoutsRequest {
        payouts: named(&all),
        psbt: "a".to_owned(),
        client_address: "::1".to_owned(),
        idempotency: key("once"),
    };
    for _ in 0..2 {
        let sent = world.grpc.send_payouts(with_token(request(), &world.treasurer)).await.unwrap().into_inner();
        assert!(!sent.is_sent);
    }
    assert_eq!(world.count(PAID).await, 2);
    settle_payouts(&world.home().db, &world.grpc.chains).await.unwrap();
    world.batches.away.store(false, Ordering::Relaxed);
    settle_payouts(&world.home().db, &world.grpc.chains).await.unwrap();
    assert_eq!(*world.batches.sent.lock().unwrap(), [hash("a")]);
    world.assert_books().await;
}

/// [D-N5] A process that dies before the batch is recorded has sent nothing, and the payouts can be sent or given up; one that dies
/// between the record and the sending loses nothing: the next process sends that one transaction, and no other pays them again.
#[sqlx::test(migrations = false)]
async fn a_process_may_die_between_record_and_sending(pool: PgPool) {
    let world = World::new(pool).await;
    let all = leased(&world, 2).await;
    let die_at = async |call: &'static str| {
        *world.batches.silent.lock().unwrap() = call;
        let request = SendPayoutsRequest { payouts: named(&all), psbt: "a".to_owned(), ..Default::default() };
        let sending = world.grpc.send_payouts(with_token(request, &world.treasurer));
        tokio::select! {
            answer = sending => panic!("{answer:?}"),
            () = world.batches.waiting.notified() => {}
        }
        *world.batches.silent.lock().unwrap() = "";
    };
    die_at("keep").await;
    settle_payouts(&world.home().db, &world.grpc.chains).await.unwrap();
    assert_eq!((world.count(PAID).await, world.batches.sent.lock().unwrap().len()), (0, 0));
    die_at("send").await;
    assert_eq!((world.count(PAID).await, world.batches.sent.lock().unwrap().len()), (2, 0));
    // It is on its way: nobody gives it up or pays it with another transaction.
    assert_eq!(code(dissolve(&world, &world.treasurer, &all).await), "ALREADY_DECIDED");
    assert_eq!(code(send(&world, &world.treasurer, &all, "b").await), "ALREADY_DECIDED");
    settle_payouts(&world.home().db, &world.grpc.chains).await.unwrap();
    assert_eq!(*world.batches.sent.lock().unwrap(), [hash("a")]);
    assert!(send(&world, &world.treasurer, &all, "a").await.unwrap().is_sent);
    assert_eq!(world.count(PAID).await, 2);
    world.assert_books().await;
}

/// [D-N5] Payouts that were prepared and not sent are given up together or not at all, by the treasurer who started them. Others can
/// pay them then, and a transaction that was signed before and appears anyway keeps them from being paid twice.
#[sqlx::test(migrations = false)]
async fn a_batch_is_dissolved(pool: PgPool) {
    let world = World::new(pool).await;
    let other = world.realm.staff(Role::Treasurer).1;
    let all = leased(&world, 2).await;
    prepare(&world, &world.treasurer, &all).await.unwrap();
    assert_eq!(code(dissolve(&world, &other, &all).await), "BEING_PAID");
    let mut stale = all.clone();
    stale[1].revision -= 1;
    assert_eq!(code(dissolve(&world, &world.treasurer, &stale).await), "STALE_REVISION");
    assert_eq!(code(world.lease_as(&other, &all[0]).await), "BEING_PAID");
    let free = dissolve(&world, &world.treasurer, &all).await.unwrap();
    let trail = "SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.end_lease' AND before->'paying' <> 'null' AND after->'paying' = 'null'";
    assert_eq!((free.len(), world.count(trail).await), (2, 2));
    assert_eq!(code(dissolve(&world, &world.treasurer, &free).await), "NOT_BEING_PAID");
    assert_eq!(code(send(&world, &world.treasurer, &free, "signed").await), "NOT_BEING_PAID");
    // What they would have sent is still known.
    let fixed =
        "SELECT count(*) FROM transactions WHERE payout_units IS NOT NULL AND paying_until <= clock_timestamp()";
    assert_eq!(world.count(fixed).await, 2);
    let first = free.iter().find(|one| one.id == all[0].id).unwrap();
    let again = world.lease_as(&other, first).await.unwrap();
    // The first is on the chain after all.
    let payment = ChainPayment { txid: hash("signed"), state: "seen".to_owned(), ..ChainPayment::default() };
    let shown = ChainEvidence { payments: vec![payment], ..ChainEvidence::default() };
    *world.evidence.shown.lock().unwrap() = Some(shown);
    assert_eq!(code(dissolve(&world, &other, &[again]).await), "PAYOUT_SEEN");
    let second = free.iter().find(|one| one.id == all[1].id).unwrap();
    assert_eq!(code(world.lease_as(&other, second).await), "PAYOUT_SEEN");
}
