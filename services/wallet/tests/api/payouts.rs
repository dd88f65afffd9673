//! Payouts: leased by one treasurer at a time.

use std::sync::atomic::Ordering;

use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::{ChainPayment, Proposal};
use proto::payment_method::v1::{GetHoldingsResponse as Observed, Outflow, PayoutOnChain, PayoutOutput};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use wallet::app::payout::settle_payouts::settle_payouts;

use crate::corrections::confirm;
use crate::fixture::{Member, World, code, hash, refusal, withdrawal};
use crate::holdings::{holdings, payment};

/// A member's withdrawal of this amount, approved.
async fn approved(world: &World, cents: i64) -> (Member, Transaction) {
    let member = world.member_with(cents).await;
    let made = world.withdraw(&member, withdrawal(cents)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    (member, approved)
}

/// As if that much time had passed since the lease was taken.
async fn step(world: &World, minutes: i32) {
    sqlx::query(
        "UPDATE transactions SET paying_until = paying_until - make_interval(mins => $1) WHERE paying_by IS NOT NULL",
    )
    .bind(minutes)
    .execute(&world.pool)
    .await
    .unwrap();
}

/// [D-B7] One treasurer has 15 minutes by the database's clock; another learns who pays and until when, and neither pays
/// nor rejects. The member sees a pending withdrawal as before.
#[sqlx::test(migrations = false)]
async fn one_treasurer_pays_at_a_time(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, approved) = approved(&world, 100_000).await;
    let (other_id, other) = world.realm.staff(Role::Treasurer);
    let before: OffsetDateTime = sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&world.pool).await.unwrap();
    let leased = world.lease_as(&other, &approved).await.unwrap();
    assert_eq!((leased.revision, leased.status()), (approved.revision + 1, TransactionStatus::Pending));
    let lease = leased.paying.clone().unwrap();
    let until = chassis::clock::from_proto(&lease.until.unwrap()).unwrap();
    assert_eq!(lease.treasurer_id, other_id.to_string());
    assert!((until - before - Duration::minutes(15)).abs() < Duration::seconds(30), "{until}");

    for revision in [&approved, &leased] {
        let refused = [
            refusal(world.lease_as(&world.treasurer, revision).await),
            refusal(world.pay_as(&world.treasurer, revision, (&hash("a"), None)).await),
            refusal(world.reject(revision, "OTHER").await),
        ];
        for no in refused {
            assert_eq!((no.code.as_str(), no.kind), ("BEING_PAID", chassis::error::Kind::Conflict));
            let paying = &no.facts.as_ref().unwrap()["paying"];
            assert_eq!(paying["by"], other_id.to_string());
            let told = OffsetDateTime::parse(paying["until"].as_str().unwrap(), &Rfc3339).unwrap();
            assert_eq!(told.unix_timestamp(), until.unix_timestamp());
        }
    }
    let seen = world.transaction(&member, &approved.id).await.unwrap();
    assert_eq!((seen.status(), seen.approved), (TransactionStatus::Pending, true));
    assert_eq!(code(world.pay_as(&other, &approved, (&hash("a"), None)).await), "STALE_REVISION");
    let paid = world.pay_as(&other, &leased, (&hash("a"), None)).await.unwrap();
    assert_eq!((paid.status(), paid.paying), (TransactionStatus::Success, None));
    let trail = "SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.paying' AND before->'paying' = 'null'
        AND (after->'paying'->>'until')::bigint > extract(epoch FROM now())";
    assert_eq!(world.count(trail).await, 1);
    world.assert_books().await;
}

/// [D-B7] Twenty treasurers start at once: one pays.
#[sqlx::test(migrations = false)]
async fn twenty_starts_are_one(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 50_000).await;
    let treasurers: Vec<String> = (0..20).map(|_| world.realm.staff(Role::Treasurer).1).collect();
    let results = join_all(treasurers.iter().map(|token| world.lease_as(token, &approved))).await;
    let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 1);
    for no in refused {
        assert!(["BEING_PAID", "UNAVAILABLE"].contains(&code(no).as_str()));
    }
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'withdrawal.paying'").await, 1);
}

/// [D-B7] A lease that is over is free, no matter what its holder believes; the holder may renew it before.
#[sqlx::test(migrations = false)]
async fn a_lease_ends_or_is_renewed(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 100_000).await;
    let other = world.realm.staff(Role::Treasurer).1;
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    step(&world, 14).await;
    let renewed = world.lease_as(&world.treasurer, &leased).await.unwrap();
    assert_eq!(renewed.revision, leased.revision + 1);
    step(&world, 14).await;
    assert_eq!(code(world.lease_as(&other, &renewed).await), "BEING_PAID");
    step(&world, 1).await;
    assert_eq!(world.review(&approved.id).await.transaction.unwrap().paying, None);
    assert_eq!(code(world.pay_as(&world.treasurer, &renewed, (&hash("a"), None)).await), "NOT_BEING_PAID");
    let taken = world.lease_as(&other, &renewed).await.unwrap();
    assert_eq!(code(world.pay_as(&world.treasurer, &renewed, (&hash("a"), None)).await), "BEING_PAID");
    world.pay_as(&other, &taken, (&hash("a"), None)).await.unwrap();
    world.assert_books().await;
}

/// [D-B7] From $1,000.00 nobody marks as paid what they did not start; below, the payout starts and ends at once.
#[sqlx::test(migrations = false)]
async fn a_large_payout_is_started_before_it_is_paid(pool: PgPool) {
    let world = World::new(pool).await;
    for (cents, expected) in [(99_999, None), (100_000, Some("NOT_BEING_PAID"))] {
        let (_, approved) = approved(&world, cents).await;
        let paid = world.pay_as(&world.treasurer, &approved, (&world.new_txid(), None)).await;
        assert_eq!(paid.err().map(|no| code::<()>(Err(no))).as_deref(), expected, "{cents}");
    }
}

/// [D-B7] [D-W5] [D-R19] Nothing is started that may not be paid: not approved, not a withdrawal, seen otherwise, stopped.
/// Only the holder rejects, and the hold goes back.
#[sqlx::test(migrations = false)]
async fn only_what_may_be_paid_is_started(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, first) = approved(&world, 20_000).await;
    let lease = async |one: &Transaction| world.lease_as(&world.treasurer, one).await;
    let requested = world.member_with(20_000).await;
    let requested = world.withdraw(&requested, withdrawal(10_000)).await.unwrap();
    assert_eq!(code(lease(&requested).await), "NOT_APPROVED");
    let deposit = world.deposit(&member, crate::fixture::deposit(10_000)).await.unwrap();
    assert_eq!(code(lease(&deposit).await), "NOT_FOUND");
    assert_eq!(code(lease(&Transaction { revision: 1, ..first.clone() }).await), "STALE_REVISION");
    assert_eq!(code(lease(&Transaction { id: "x".to_owned(), ..first.clone() }).await), "NOT_FOUND");
    sqlx::query("INSERT INTO withdrawal_pauses (reason) VALUES ('test')").execute(&world.pool).await.unwrap();
    assert_eq!(code(lease(&first).await), "WITHDRAWALS_STOPPED");
    sqlx::query(
        "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid(),
            reopening_proposed_by = gen_random_uuid()",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    let leased = lease(&first).await.unwrap();
    let rejected = world.reject(&leased, "PAYOUT_FAILED").await.unwrap();
    assert!(rejected.status() == TransactionStatus::Failed && rejected.paying.is_none());
    assert_eq!(world.wallet(&member).await.held_cents, 0);
    assert_eq!(code(lease(&rejected).await), "ALREADY_DECIDED");
    world.assert_books().await;
}

/// [D-B7] [D-W5] Anyone who approved a large withdrawal does not start its payout either.
#[sqlx::test(migrations = false)]
async fn the_approver_does_not_start_a_large_payout(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 100_000).await;
    let (treasurer_id, treasurer) = world.realm.staff(Role::Treasurer);
    sqlx::query("ALTER TABLE transactions DISABLE TRIGGER transactions_paid_as_approved")
        .execute(&world.pool)
        .await
        .unwrap();
    sqlx::query("UPDATE transactions SET approved_by = $1 WHERE approved_by IS NOT NULL")
        .bind(treasurer_id)
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(code(world.lease_as(&treasurer, &approved).await), "SECOND_PERSON_REQUIRED");
}

/// [C2] [D-O2] The checklist says whether the member was paid to this destination before, and whether another member was.
#[sqlx::test(migrations = false)]
async fn a_new_destination_is_a_fact_of_the_checklist(pool: PgPool) {
    let world = World::new(pool).await;
    let fact = async |one: &Transaction| {
        let check =
            world.review(&one.id).await.checks.into_iter().find(|check| check.name == "new_destination").unwrap();
        (check.ok, check.transaction_ids, check.detail)
    };
    let (member, first) = approved(&world, 10_000).await;
    let (is_known, payouts, detail) = fact(&first).await;
    assert!(!is_known && payouts.is_empty() && detail.starts_with("New: "), "{detail}");
    world.pay(&first).await.unwrap();
    // Later payouts are no history of an earlier one.
    assert!(!fact(&first).await.0);

    world.deposit_confirmed(&member, 40_000).await;
    let second = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    assert_eq!(
        fact(&second).await,
        (true, vec![first.id.clone()], "The member has received one payout at this destination.".to_owned())
    );
    world.reject(&second, "OTHER").await.unwrap();
    let elsewhere = RequestWithdrawalRequest { memo: "7".into(), ..withdrawal(10_000) };
    let elsewhere = world.withdraw(&member, elsewhere).await.unwrap();
    assert!(!fact(&elsewhere).await.0, "with another memo it is another account");
    world.reject(&elsewhere, "OTHER").await.unwrap();

    let (_, theirs) = approved(&world, 10_000).await;
    let (is_known, payouts, detail) = fact(&theirs).await;
    assert!(!is_known && payouts == [first.id.clone()], "{payouts:?}");
    assert!(
        detail.contains("never received a payout")
            && detail.ends_with("Another member has received a payout there, too."),
        "{detail}"
    );
    let nowhere = RequestWithdrawalRequest { address: String::new(), ..withdrawal(10_000) };
    let nowhere = world.withdraw(&member, nowhere).await.unwrap();
    assert!(world.review(&nowhere.id).await.checks.iter().all(|check| check.name != "new_destination"));
}

/// The units and the rate that a payout sends.
fn fixed(one: &Transaction) -> Option<(String, i64)> {
    one.payout.as_ref().map(|payout| (payout.units.clone(), payout.rate_micros))
}

/// [D-N4] The lease fixes how much of which asset is sent, at the rate of that moment, and the treasurer signs it; the next lease
/// fixes it again. What was fixed outlives the lease and is what is marked as paid. Without a rate nothing is leased.
#[sqlx::test(migrations = false)]
async fn a_lease_fixes_what_is_sent(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, approved) = approved(&world, 40_000).await;
    assert_eq!(approved.payout, None);
    let rate = |micros| world.quotes.rate_micros.store(micros, Ordering::Relaxed);
    rate(0);
    // [U8] It is known before anybody tries.
    let told = world.review(&approved.id).await.blockers;
    let told: Vec<_> = told.iter().map(|one| (one.act.as_str(), one.code.as_str())).collect();
    assert_eq!(told, [("start", "RATE_UNAVAILABLE")]);
    assert_eq!(code(world.lease_as(&world.treasurer, &approved).await), "RATE_UNAVAILABLE");
    rate(1_000_000);
    assert_eq!(world.review(&approved.id).await.blockers, []);
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    // $390 at 1.005 dollars.
    assert_eq!(fixed(&leased), Some(("388059701".to_owned(), 1_000_000)));
    let payout = leased.payout.clone().unwrap();
    assert_eq!((payout.asset.as_str(), payout.contract.as_str(), payout.decimals), ("USDT", "contract", 6));
    let signed =
        "SELECT decision -> 'facts' -> 'price' ->> 'units' FROM audit_rows WHERE action = $1 ORDER BY id DESC LIMIT 1";
    let signed = async |action: &str| {
        sqlx::query_scalar::<_, Option<String>>(signed).bind(action).fetch_one(&world.pool).await.unwrap().unwrap()
    };
    assert_eq!(signed("withdrawal.paying").await, "388059701");

    rate(2_000_000);
    let again = world.lease_as(&world.treasurer, &leased).await.unwrap();
    assert_eq!(fixed(&again), Some(("194029850".to_owned(), 2_000_000)));
    assert_eq!(signed("withdrawal.paying").await, "194029850");
    rate(3_000_000);
    step(&world, 15).await;
    let paid = world.pay_as(&world.treasurer, &again, (&hash("a"), None)).await.unwrap();
    assert_eq!(fixed(&paid), fixed(&again));
    assert_eq!(signed("withdrawal.paid").await, "194029850");
    assert_eq!(world.transaction(&member, &paid.id).await.unwrap().payout, again.payout);
    world.assert_books().await;
}

/// [D-N4] What is paid without a lease sends what it is worth at that moment; an asset that is never quoted has no units.
#[sqlx::test(migrations = false)]
async fn a_small_payout_is_fixed_when_it_is_paid(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, first) = approved(&world, 40_000).await;
    let paid = world.pay_as(&world.treasurer, &first, (&hash("a"), None)).await.unwrap();
    assert_eq!(fixed(&paid), Some(("388059701".to_owned(), 1_000_000)));
    world.quotes.rate_micros.store(-1, Ordering::Relaxed);
    let (_, second) = approved(&world, 40_000).await;
    let leased = world.lease_as(&world.treasurer, &second).await.unwrap();
    let paid = world.pay_as(&world.treasurer, &leased, (&hash("b"), None)).await.unwrap();
    assert_eq!((fixed(&leased), fixed(&paid)), (None, None));
}

/// [D-N4] Neither the units of a payout nor any other part of them change but by a lease, and only to what the net amount is worth
/// at their rate, no matter who writes the table.
#[sqlx::test(migrations = false)]
async fn nothing_but_a_lease_changes_what_is_sent(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 40_000).await;
    world.lease_as(&world.treasurer, &approved).await.unwrap();
    let refused = async |change: &str| {
        let update = sqlx::AssertSqlSafe(format!("UPDATE transactions SET {change} WHERE payout_units IS NOT NULL"));
        let error = sqlx::query(update).execute(&world.pool).await.unwrap_err();
        chassis::db::constraint(&error).map(str::to_owned)
    };
    for change in ["payout_units = payout_units * 100", "payout_rate_micros = 1", "payout_contract = 'other'", "payout_decimals = 8",
        "payout_units = NULL, payout_contract = NULL, payout_decimals = NULL, payout_rate_micros = NULL, payout_spread_bps = NULL,
            payout_priced_at = NULL, paying_until = now()"]
    {
        assert_eq!(refused(change).await.as_deref(), Some("transactions_paid_as_leased"), "{change}");
    }
    for change in
        ["payout_units = payout_units * 100", "payout_rate_micros = 1", "payout_decimals = 8", "payout_units = 0"]
    {
        let leased = format!("{change}, paying_until = paying_until + interval '1 minute'");
        assert_eq!(refused(&leased).await.as_deref(), Some("transactions_payout"), "{leased}");
    }
}

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
