//! Payouts that were sent: pending until they are final, or corrected by two people.

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainPayment, Proposal};
use proto::payment_method::v1::{GetHoldingsResponse as Observed, Outflow, PayoutOnChain, PayoutOutput};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use wallet::app::payout::settle_payouts::settle_payouts;

use crate::corrections::confirm;
use crate::fixture::{Member, World, code, hash, withdrawal};
use crate::holdings::{holdings, payment};
use crate::payouts::approved;

/// What the chain shows of every payout.
fn show(world: &World, state: &str, outputs: &[(u32, &str)]) {
    let output =
        |(index, units): &(u32, &str)| PayoutOutput { index: *index, units: (*units).to_owned(), observed: true };
    let shown = PayoutOnChain { state: state.to_owned(), outputs: outputs.iter().map(output).collect() };
    *world.evidence.payout.lock().unwrap() = Some(shown);
}

/// A member's withdrawal of 100 dollars that was sent, and how many units were fixed.
async fn sent(world: &World) -> (Member, Transaction, String) {
    let (member, approved) = approved(world, 10_000).await;
    show(world, "seen", &[]);
    let sent = world.pay_as(&world.treasurer, &approved, (&hash("a"), None)).await.unwrap();
    let units = sent.payout.clone().unwrap().units;
    (member, sent, units)
}

async fn look(world: &World) {
    settle_payouts(&world.home().db, &world.grpc.chains).await.unwrap();
}

async fn faults(world: &World) -> Vec<String> {
    let request = with_token(GetIntegrityRequest {}, &world.reviewer);
    let faults = world.grpc.get_integrity(request).await.unwrap().into_inner().faults;
    faults.into_iter().filter(|fault| fault.subject == "payment").map(|fault| fault.detail).collect()
}

async fn correct(world: &World, one: &Transaction, outcome: PayoutOutcome, txid: &str) -> Result<Proposal, Status> {
    let request = ProposePayoutCorrectionRequest {
        transaction_id: one.id.clone(),
        outcome: outcome.into(),
        txid: txid.to_owned(),
        note: "looked up".to_owned(),
        ..Default::default()
    };
    let asked = world.grpc.propose_payout_correction(with_token(request, &world.treasurer)).await?;
    Ok(asked.into_inner().proposal.unwrap())
}

/// [D-N4] [M7] A payout that was sent is pending until exactly what was fixed is at its destination for good. Until then nobody
/// pays, rejects or cancels it, it is not counted among those to pay, and after an hour it is a fault.
#[sqlx::test(migrations = false)]
async fn a_payout_succeeds_when_it_is_final(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, sent, units) = sent(&world).await;
    assert_eq!((sent.status(), sent.sent_at.is_some(), sent.decided_at), (TransactionStatus::Pending, true, None));
    for no in [
        world.lease_as(&world.treasurer, &sent).await,
        world.pay_as(&world.treasurer, &sent, (&hash("b"), None)).await,
        world.reject(&sent, "OTHER").await,
        world.approve(&sent).await,
    ] {
        assert_eq!(code(no), "ALREADY_DECIDED");
    }
    assert!(world.withdraw(&member, withdrawal(5_000)).await.is_err());
    let queue = world.grpc.get_queue(with_token(GetQueueRequest {}, &world.reviewer)).await.unwrap().into_inner();
    assert_eq!(queue.counts.iter().map(|kind| kind.count).sum::<i32>(), 0);
    let fewer = (units.parse::<u64>().unwrap() - 1).to_string();
    for (state, outputs) in [
        ("missing", vec![]),
        ("unknown", vec![]),
        ("included", vec![(0, &*units)]),
        ("final", vec![]),
        ("final", vec![(0, &*fewer)]),
        ("final", vec![(0, &*units), (1, &*units)]),
        ("failed", vec![(0, &*units)]),
    ] {
        show(&world, state, &outputs);
        look(&world).await;
        assert_eq!(world.transaction(&member, &sent.id).await.unwrap().status(), TransactionStatus::Pending, "{state}");
    }
    assert!(faults(&world).await.is_empty());
    sqlx::query("UPDATE transactions SET sent_at = sent_at - interval '1 hour' WHERE sent_at IS NOT NULL")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(faults(&world).await.len(), 1);
    show(&world, "final", &[(7, &units)]);
    look(&world).await;
    look(&world).await;
    assert_eq!(world.transaction(&member, &sent.id).await.unwrap().status(), TransactionStatus::Success);
    assert!(faults(&world).await.is_empty());
    let consumed = "SELECT count(*) FROM consumed_payments WHERE freed_at IS NULL AND vout = 7 AND units IS NOT NULL";
    assert_eq!(world.count(consumed).await, 1);
    assert_eq!(world.count("SELECT count(*) FROM outbox WHERE key = 'wallet.v1.withdrawal_paid'").await, 1);
    world.assert_books().await;
}

/// [D-N4] A payout that is final when it is recorded succeeds at once, and so does one that no node shows.
#[sqlx::test(migrations = false)]
async fn what_is_final_is_paid_at_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 10_000).await;
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    show(&world, "final", &[(3, &leased.payout.clone().unwrap().units)]);
    let paid = world.pay_as(&world.treasurer, &leased, (&hash("a"), None)).await.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
    world.assert_books().await;
}

/// [D-N4] Two treasurers say what became of a payout that is not final: it has another hash, is paid again, or is paid as it
/// arrived. The hash that it had is free then.
#[sqlx::test(migrations = false)]
async fn two_people_correct_a_payout(pool: PgPool) {
    let world = World::new(pool).await;
    let second_treasurer = world.realm.staff(Role::Treasurer).1;
    let (member, first, units) = sent(&world).await;
    let other = correct(&world, &first, PayoutOutcome::OtherTransaction, &hash("b")).await.unwrap();
    assert_eq!(code(confirm(&world, &world.treasurer, &other).await), "SELF_CONFIRMATION");
    confirm(&world, &second_treasurer, &other).await.unwrap();
    let seen = world.transaction(&member, &first.id).await.unwrap();
    assert_eq!((seen.status(), seen.txid), (TransactionStatus::Pending, hash("b")));
    let (_, second, _) = sent(&world).await;
    assert_eq!(second.txid, hash("a"));
    // What was seen before counts no more.
    let stale = correct(&world, &first, PayoutOutcome::NotSent, "").await.unwrap();
    let stale_too = correct(&world, &first, PayoutOutcome::Arrived, "").await.unwrap();
    confirm(&world, &second_treasurer, &stale).await.unwrap();
    assert!(confirm(&world, &second_treasurer, &stale_too).await.is_err());
    let again = world.review(&first.id).await.transaction.unwrap();
    assert_eq!((again.approved, again.sent_at, again.txid.as_str()), (true, None, ""));
    show(&world, "final", &[(0, &units)]);
    let paid = world.pay_as(&world.treasurer, &again, (&hash("c"), None)).await.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
    assert_eq!(code(correct(&world, &paid, PayoutOutcome::NotSent, "").await), "ALREADY_DECIDED");
    show(&world, "final", &[(0, "1")]);
    let arrived = correct(&world, &second, PayoutOutcome::Arrived, "").await.unwrap();
    confirm(&world, &second_treasurer, &arrived).await.unwrap();
    let seen = world.review(&second.id).await.transaction.unwrap();
    assert_eq!(seen.status(), TransactionStatus::Success);
    // [D-N6] They have explained what left, and nothing else.
    for (txid, others) in [("a", 0), ("d", 1)] {
        let payment = ChainPayment { txid: hash(txid), ..payment('a', "USDT", 1, "theirs") };
        let outflow = Outflow { number: 1, payment: Some(payment), replaces: Vec::new() };
        *world.evidence.held.lock().unwrap() = Observed { outflows: vec![outflow], ..Observed::default() };
        assert_eq!(holdings(&world).await.outflows.len(), others, "{txid}");
    }
    world.assert_books().await;
}
