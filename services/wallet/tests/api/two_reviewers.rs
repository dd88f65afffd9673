//! Large deposits take two reviewers.

use chassis::identity::Role;
use futures::future::join_all;
use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{World, code, deposit, hash};

const LARGE: i64 = 1_000_000;

/// [D-B12] [D-R19] The first approval decides nothing: it records what was received and reserves the hash. The same
/// reviewer does not decide, nor does one who saw something else; another who saw the same does.
#[sqlx::test(migrations = false)]
async fn a_large_deposit_takes_two_reviewers(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let second = world.realm.staff(Role::Reviewer).1;
    let made = world.deposit(&member, deposit(LARGE + 500)).await.unwrap();
    let first = world.approve_as(&world.reviewer, &made, LARGE, (&hash("hash-1"), Some(4))).await.unwrap();
    assert_eq!((first.status(), first.revision, first.amount_cents), (TransactionStatus::Pending, 2, LARGE + 500));
    let approval = first.first_approval.clone().unwrap();
    assert_eq!(
        (approval.received_amount_cents, approval.txid.clone(), approval.vout),
        (LARGE, hash("hash-1"), Some(4))
    );
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested"]);
    let seen = world.transaction(&member, &made.id).await.unwrap();
    assert_eq!((seen.status(), seen.txid.as_str(), seen.vout), (TransactionStatus::Pending, "", None));
    assert_eq!(world.review(&made.id).await.transaction.unwrap().first_approval, Some(approval));

    let other = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    assert_eq!(code(world.approve_as(&second, &other, 10_000, (&hash("hash-1"), Some(4))).await), "TXID_USED");
    let approve = async |token: &str, one: &Transaction, cents: i64, txid: &str, vout: Option<u32>| {
        world.approve_as(token, one, cents, (&hash(txid), vout)).await
    };
    assert_eq!(code(approve(&second, &made, LARGE, "hash-1", Some(4)).await), "STALE_REVISION");
    assert_eq!(code(approve(&world.reviewer, &first, LARGE, "hash-1", Some(4)).await), "SECOND_PERSON_REQUIRED");
    for (cents, txid, vout) in [
        (LARGE + 1, "hash-1", Some(4)),
        (100, "hash-1", Some(4)),
        (LARGE, "hash-2", Some(4)),
        (LARGE, "hash-1", Some(5)),
        (LARGE, "hash-1", None),
    ] {
        assert_eq!(
            code(approve(&second, &first, cents, txid, vout).await),
            "APPROVAL_DIFFERS",
            "{cents} {txid} {vout:?}"
        );
    }
    let done = approve(&second, &first, LARGE, "hash-1", Some(4)).await.unwrap();
    assert_eq!(
        (done.status(), done.amount_cents, done.claimed_amount_cents),
        (TransactionStatus::Success, LARGE, Some(LARGE + 500))
    );
    assert_eq!((done.txid, done.vout, done.first_approval), (hash("hash-1"), Some(4), None));
    assert_eq!(world.wallet(&member).await.available_cents, LARGE);
    let people = "SELECT count(DISTINCT actor_id) FROM audit_rows WHERE action = 'deposit.approve'";
    assert_eq!(world.count(people).await, 2);
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.deposit_confirmed");
    world.assert_books().await;
}

/// [D-B12] What counts is what was received, not what was claimed.
#[sqlx::test(migrations = false)]
async fn the_received_amount_decides_how_many_it_takes(pool: PgPool) {
    let world = World::new(pool).await;
    for (claimed, received, waits) in [(10_000, LARGE, true), (LARGE, LARGE - 1, false), (LARGE, LARGE, true)] {
        let made = world.deposit(&world.member(), deposit(claimed)).await.unwrap();
        let one = world.approve_as(&world.reviewer, &made, received, (&world.new_txid(), None)).await.unwrap();
        assert_eq!(one.first_approval.is_some(), waits, "{claimed} {received}");
        assert_eq!(one.status() == TransactionStatus::Pending, waits);
    }
}

/// [D-B12] Ten reviewers at once: one records, one decides, and it is credited once.
#[sqlx::test(migrations = false)]
async fn ten_reviewers_at_once_credit_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(LARGE)).await.unwrap();
    for (round, revision) in [(0, 1), (1, 2)] {
        let reviewers: Vec<String> = (0..10).map(|_| world.realm.staff(Role::Reviewer).1).collect();
        let (seen, same) = (Transaction { revision, ..made.clone() }, hash("one"));
        let results =
            join_all(reviewers.iter().map(|token| world.approve_as(token, &seen, LARGE, (&same, None)))).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        assert_eq!(world.wallet(&member).await.available_cents, LARGE * round);
    }
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 1);
    world.assert_books().await;
}

/// [D-B12] A rejection ends the reservation: the hash is free again, and nothing of the first approval stays.
#[sqlx::test(migrations = false)]
async fn a_rejection_frees_the_hash(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(LARGE)).await.unwrap();
    let first = world.approve_as(&world.reviewer, &made, LARGE, (&hash("hash-1"), None)).await.unwrap();
    let rejected = world.reject(&first, "NOT_RECEIVED").await.unwrap();
    assert_eq!(
        (rejected.status(), rejected.txid.as_str(), rejected.first_approval),
        (TransactionStatus::Failed, "", None)
    );
    let kept = "SELECT count(*) FROM transactions WHERE txid IS NOT NULL OR first_approved_by IS NOT NULL";
    assert_eq!(world.count(kept).await, 0);
    let again = world.deposit(&member, deposit(10_000)).await.unwrap();
    world.approve_as(&world.reviewer, &again, 10_000, (&hash("hash-1"), None)).await.unwrap();
    world.assert_books().await;
}
