//! The second line: what the database itself refuses, and the posting engine alone.

use chassis::id::MemberId;
use chassis::money::Cents;
use chassis::testing::database;
use sqlx::PgPool;
use uuid::Uuid;
use wallet::SCHEMA;
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::error::Error;
use wallet::posting::{Posting, post};

use crate::fixture::{World, deposit, withdrawal};

async fn refused(pool: &PgPool, sql: &'static str) -> String {
    let error = sqlx::raw_sql(sql).execute(pool).await.expect_err(sql);
    error.as_database_error().unwrap().message().to_owned()
}

/// [L5] [L11] History is append-only and a decision final, also for who writes SQL.
#[sqlx::test(migrations = false)]
async fn history_cannot_be_rewritten(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.member_with(10_000).await;
    for sql in [
        "UPDATE entries SET amount_cents = amount_cents + 1",
        "DELETE FROM entries",
        "TRUNCATE entries",
        "UPDATE postings SET kind = 'x'",
        "DELETE FROM postings",
        "TRUNCATE postings CASCADE",
        "DELETE FROM accounts",
        "TRUNCATE accounts CASCADE",
        "UPDATE audit_rows SET action = 'x'",
        "DELETE FROM audit_rows",
    ] {
        assert!(refused(&pool, sql).await.ends_with("is append-only"), "{sql}");
    }
    for sql in [
        "UPDATE transactions SET amount_cents = 1",
        "UPDATE transactions SET status = 'pending', decided_at = NULL",
        "DELETE FROM transactions",
    ] {
        assert!(refused(&pool, sql).await.ends_with("is history"), "{sql}");
    }
    world.assert_books().await;
}

/// [L1] An unbalanced posting is refused at commit, no matter who writes it.
#[sqlx::test(migrations = false)]
async fn an_unbalanced_posting_is_refused(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let no = refused(
        &pool,
        "WITH one AS (INSERT INTO postings (kind, business_id, user_id)
            VALUES ('x', gen_random_uuid(), gen_random_uuid()) RETURNING id)
         INSERT INTO entries SELECT 4000000000000000001 + 100 * bucket(), id, 1, 1, '' FROM one",
    )
    .await;
    assert!(no.ends_with("do not sum to zero"), "{no}");
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 0);
}

/// [L4] [L6] [T5] [D-W5] The rules that are constraints.
#[sqlx::test(migrations = false)]
async fn constraints_hold_what_the_code_promises(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(300_000).await;
    world.buy_course(&member).await.unwrap();
    let made = world.withdraw(&member, withdrawal(100_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    world.deposit(&member, deposit(10_000)).await.unwrap();
    // It would refuse some of these before the constraints do.
    let unfreeze = "ALTER TABLE transactions DISABLE TRIGGER transactions_paid_as_approved";
    sqlx::query(unfreeze).execute(&pool).await.unwrap();
    for (sql, constraint) in [
        ("UPDATE accounts SET balance_cents = -1 WHERE kind = 'available'", "accounts_members_not_negative"),
        (
            "INSERT INTO postings (kind, business_id, user_id) SELECT kind, business_id, user_id FROM postings LIMIT 1",
            "postings_once",
        ),
        (
            "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents,
                net_amount_cents, created_at)
             SELECT gen_random_uuid(), user_id, kind, '', status, direction, 1, 0, 1, now() FROM transactions
             WHERE kind = 'withdrawal'",
            "transactions_one_open_withdrawal",
        ),
        (
            "UPDATE transactions SET status = 'success', decided_at = now(), decided_by = approved_by, txid = 'x', txid_key = 'x'
             WHERE kind = 'withdrawal'",
            "transactions_two_people",
        ),
        (
            "UPDATE transactions SET status = 'success', decided_at = now(), decided_by = gen_random_uuid()
             WHERE kind = 'withdrawal'",
            "transactions_paid",
        ),
        (
            "UPDATE transactions SET status = 'success', decided_at = now() WHERE kind = 'deposit' AND status = 'pending'",
            "transactions_confirmed",
        ),
        ("UPDATE transactions SET net_amount_cents = amount_cents WHERE kind = 'withdrawal'", "transactions_net"),
        ("UPDATE transactions SET status = 'failed', decided_at = now() WHERE status = 'pending'", "transactions_reason"),
        ("UPDATE transactions SET decided_at = now() WHERE status = 'pending'", "transactions_decided"),
        ("UPDATE transactions SET amount_cents = 0 WHERE status = 'pending' AND kind = 'deposit'", "transactions_amount"),
    ] {
        let no = refused(&pool, sql).await;
        assert!(no.contains(constraint), "{constraint}: {no}");
    }
    // The treasurer who pays is not the reviewer who approved: that passes.
    world.pay(&approved).await.unwrap();
    world.assert_books().await;
}

/// [D-O4] Nobody confirms their own proposal, also for who writes SQL.
#[sqlx::test(migrations = false)]
async fn self_confirmation_is_refused_by_the_database(pool: PgPool) {
    World::new(pool.clone()).await;
    let no = refused(
        &pool,
        "INSERT INTO proposals (id, kind, change, status, proposed_by, decided_by, decided_at)
         SELECT one, 'bonus', '{}', 'confirmed', one, one, now() FROM gen_random_uuid() AS one",
    )
    .await;
    assert!(no.contains("proposals_two_people"), "{no}");
}

/// [L1] [L3] [L5] [L7] Many postings in one call, several on one account: all or nothing, each once, chained.
#[sqlx::test(migrations = false)]
async fn many_postings_are_posted_at_once(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let db = database(pool, SCHEMA).await;
    let (one, two) = (MemberId::new(Uuid::new_v4()), MemberId::new(Uuid::new_v4()));
    let (house, a, b) =
        (AccountRef::House(HouseAccount::Settlement), AccountRef::available(one), AccountRef::available(two));
    world.allow_transfers().await;
    let transfer = |from, to, cents| {
        let cause = Cause::Unchecked(Uuid::new_v4());
        Posting::transfer(PostingKind::Transfer, cause, one, (from, to), Cents::new(cents)).unwrap()
    };
    let postings = [transfer(house, a, 100), transfer(a, b, 60), transfer(b, a, 10), transfer(a, b, 50)];
    let mut tx = db.begin().await.unwrap();
    post(&mut tx, &postings).await.unwrap();
    tx.commit().await.unwrap();
    world.assert_books().await;
    assert_eq!(world.count("SELECT count(*) FROM entries").await, 8);
    assert_eq!(world.count("SELECT balance_cents FROM accounts WHERE balance_cents = 100").await, 100);
    let overdraft = [transfer(b, a, 1), transfer(a, b, 2)];
    assert!(matches!(post(&mut db.begin().await.unwrap(), &overdraft).await, Err(Error::InsufficientBalance)));
    assert!(matches!(post(&mut db.begin().await.unwrap(), &postings[..1]).await, Err(Error::AlreadyPosted)));
    world.assert_books().await;
    assert_eq!(world.count("SELECT count(*) FROM entries").await, 8);
}

/// [K4] Transfers to and fro between two members, at once: no deadlock, nothing lost.
#[sqlx::test(migrations = false)]
async fn opposite_transfers_do_not_wait_for_each_other(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let db = &world.home().db;
    let (one, two) = (world.member_with(10_000).await.id, world.member_with(10_000).await.id);
    world.allow_transfers().await;
    let moves = (0..60).map(|n| async move {
        let (from, to) = if n % 2 == 0 { (one, two) } else { (two, one) };
        let (from, to) = (AccountRef::available(from), AccountRef::available(to));
        let cause = Cause::Unchecked(Uuid::new_v4());
        let posting = Posting::transfer(PostingKind::Transfer, cause, one, (from, to), Cents::new(10)).unwrap();
        let mut tx = db.begin().await.unwrap();
        post(&mut tx, &[posting]).await.unwrap();
        tx.commit().await.unwrap();
    });
    futures::future::join_all(moves).await;
    assert_eq!(
        world.count("SELECT count(*) FROM accounts WHERE kind = 'available' AND balance_cents = 10000").await,
        2
    );
    world.assert_books().await;
}
