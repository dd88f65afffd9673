//! Payouts: leased by one treasurer at a time.

mod finality;
mod price;

use chassis::identity::Role;
use futures::future::join_all;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::fixture::{Member, World, code, hash, refusal, withdrawal};

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
