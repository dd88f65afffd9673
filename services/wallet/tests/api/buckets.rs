//! Members divided into buckets: each has a ledger of its own, and the product is one.

use std::collections::HashSet;

use chassis::audit;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::PageRequest;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::fixture::{Member, World, code, deposit, withdrawal};
use crate::liabilities::publish;
use crate::trades::{fund, settle};
use crate::treasury::{fund_plan, moved, movement, plan_cash};

const BUCKETS: u16 = 4;

impl World {
    async fn bucket_of(&self, member: &Member) -> u16 {
        self.grpc.of_member(member.id).await.unwrap().db.home().bucket
    }

    /// A member of a bucket, with a balance.
    async fn member_in(&self, bucket: u16, cents: i64) -> Member {
        loop {
            let member = self.member();
            if self.bucket_of(&member).await == bucket {
                let made = self.deposit(&member, deposit(10_000)).await.unwrap();
                self.approve_with(&made, cents, &self.new_txid()).await.unwrap();
                return member;
            }
        }
    }

    /// The sum of an account of the house in each bucket.
    async fn in_each(&self, kind: &str) -> Vec<i64> {
        let sql = "SELECT balance_cents FROM accounts WHERE user_id IS NULL AND kind = $1 ORDER BY id";
        sqlx::query_scalar(sql).bind(kind).fetch_all(&self.pool).await.unwrap()
    }

    async fn listed(&self, request: ListStaffTransactionsRequest) -> ListStaffTransactionsResponse {
        self.grpc.list_staff_transactions(with_token(request, &self.reviewer)).await.unwrap().into_inner()
    }
}

/// [D-H6] [D-B1] Members of every bucket deposit, withdraw and are paid; their rows are in their bucket, a payment counts once over
/// all, the trail of staff is one, and the books of each bucket balance.
#[sqlx::test(migrations = false)]
async fn members_of_all_buckets_are_served_alike(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    let mut members = Vec::new();
    for bucket in 0..BUCKETS {
        let member = world.member_in(bucket, 50_000).await;
        let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
        world.pay(&world.approve(&open).await.unwrap()).await.unwrap();
        assert_eq!(world.wallet(&member).await.available_cents, 40_000);
        assert_eq!(world.history(&member).await.len(), 2);
        members.push(member);
    }
    assert_eq!(world.in_each("settlement").await, [-40_250; 4]);
    let recorded: Vec<i16> =
        sqlx::query_scalar("SELECT bucket FROM member_buckets ORDER BY bucket").fetch_all(&world.pool).await.unwrap();
    assert_eq!(recorded, [0, 1, 2, 3]);
    // One payment is not two deposits, of one member or of two.
    let used: String = sqlx::query_scalar("SELECT txid FROM transactions WHERE kind = 'deposit' LIMIT 1")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    for member in &members {
        let again = world.deposit(member, deposit(10_000)).await.unwrap();
        assert_eq!(code(world.approve_with(&again, 10_000, &used).await), "TXID_USED");
    }
    assert_eq!(audit::broken_at(&mut *world.pool.acquire().await.unwrap()).await.unwrap(), None);
    assert_eq!(world.count("SELECT count(DISTINCT member_id) FROM audit_rows").await, 4);
    world.assert_books().await;
    world.assert_verified().await;
}

/// [D-H6] Members are put into the buckets that are open alone, and stay where their accounts are. The proof of liabilities needs no
/// other bucket.
#[sqlx::test(migrations = false)]
async fn buckets_that_are_not_open_take_no_members(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    let open = async |count: i32| {
        sqlx::query("UPDATE open_buckets SET count = $1").bind(count).execute(&world.pool).await.unwrap();
    };
    let of_new_members = async || {
        let mut found = HashSet::new();
        for _ in 0..50 {
            found.insert(world.bucket_of(&world.member()).await);
        }
        found
    };
    open(1).await;
    assert_eq!(of_new_members().await, HashSet::from([0]));
    let first = world.member_in(0, 50_000).await;
    let published = publish(&world, Role::Auditor, "one open").await.unwrap();
    assert_eq!(published.total_cents, 50_000);
    open(4).await;
    assert_eq!(of_new_members().await, HashSet::from([0, 1, 2, 3]));
    assert_eq!(world.bucket_of(&first).await, 0);
}

/// [D-H6] Staff see the requests of all buckets in one order, in pages, with one queue; each is found by its id and decided, and an
/// event that waits in any of them is seen.
#[sqlx::test(migrations = false)]
async fn staff_see_all_buckets_as_one(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    let mut made = Vec::new();
    for bucket in [3, 0, 2, 1, 3, 0] {
        let member = world.member_in(bucket, 10_000).await;
        made.push(world.deposit(&member, deposit(20_000)).await.unwrap().id);
    }
    made.reverse();
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = Some(PageRequest { size: 2, cursor });
        let status = TransactionStatus::Pending.into();
        let listed = world.listed(ListStaffTransactionsRequest { status, page, ..Default::default() }).await;
        found.extend(listed.transactions.into_iter().map(|one| one.id));
        cursor = listed.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(found, made);
    let queue = world.grpc.get_queue(with_token(GetQueueRequest {}, &world.reviewer)).await.unwrap().into_inner();
    assert_eq!(queue.counts.iter().find(|one| one.kind == "deposit").unwrap().count, 6);
    let verdicts = world.grpc.list_verdicts(with_token(ListVerdictsRequest {}, &world.reviewer)).await.unwrap();
    assert_eq!(verdicts.into_inner().verdicts.len(), 6);
    for id in &made {
        assert_eq!(world.review(id).await.transaction.unwrap().id, *id);
    }
    let search = made[0][..6].to_owned();
    let listed = world.listed(ListStaffTransactionsRequest { search, ..Default::default() }).await;
    assert_eq!(listed.transactions.iter().map(|one| &one.id).collect::<Vec<_>>(), [&made[0]]);
    let late = "UPDATE wallet_02.outbox SET created_at = now() - interval '1 hour'";
    sqlx::query(late).execute(&world.pool).await.unwrap();
    let books =
        world.grpc.get_integrity(with_token(GetIntegrityRequest {}, &world.reviewer)).await.unwrap().into_inner();
    assert!((3_600..3_700).contains(&books.outbox_oldest_seconds), "{}", books.outbox_oldest_seconds);
}

/// [D-R16] [D-H6] The journal of all buckets holds every posting once, in pages and runs.
#[sqlx::test(migrations = false)]
async fn the_journal_goes_through_all_buckets(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    for bucket in [2, 0, 2, 3] {
        world.member_in(bucket, 10_000).await;
    }
    let auditor = world.realm.staff(Role::Auditor).1;
    let read = async |cursor: String, end_cursor: String| {
        let page = Some(PageRequest { size: 1, cursor });
        let request = with_token(ListPostingsRequest { page, end_cursor }, &auditor);
        world.grpc.list_postings(request).await.unwrap().into_inner()
    };
    // What is complete, transactions of other tests on the server decide.
    let (mut postings, mut from) = (HashSet::new(), String::new());
    while postings.len() < 4 {
        let mut page = read(from.clone(), String::new()).await;
        let end = page.end_cursor.clone();
        loop {
            for one in page.postings {
                assert!(postings.insert(one.id), "twice: {}", one.id);
            }
            if page.next_cursor.is_empty() {
                break;
            }
            page = read(page.next_cursor, end.clone()).await;
        }
        from = end;
    }
    assert_eq!(postings.len(), 4);
}

/// [D-T2] [D-B1] A gain is paid in every bucket from the plan's own cash, wherever that is, and never from more; what the treasury
/// takes back is collected. Each bucket balances, and nothing stays on the way.
#[sqlx::test(migrations = false)]
async fn a_gain_is_paid_from_cash_of_another_bucket(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    fund_plan(&world, 1_000).await;
    for (bucket, gain, is_paid) in [(3, 300, true), (1, 500, true), (2, 201, false), (2, 200, true)] {
        let (member, trade) = (world.member_in(bucket, 10_000).await, Uuid::new_v4());
        fund(&world, &member, trade, 10_000).await.unwrap();
        let settled = settle(&world, &member, trade, 10_000, 10_000 + gain).await;
        if is_paid {
            settled.unwrap();
            assert_eq!(world.wallet(&member).await.available_cents, 10_000 + gain);
        } else {
            assert_eq!(code(settled), "PLAN_CASH_SHORT");
        }
    }
    assert_eq!(plan_cash(&world).await, 0);
    // A loss is the plan's in the bucket of its member.
    let (member, trade) = (world.member_in(2, 10_000).await, Uuid::new_v4());
    fund(&world, &member, trade, 10_000).await.unwrap();
    settle(&world, &member, trade, 10_000, 9_000).await.unwrap();
    moved(&world, movement("plan_returned", 1_000)).await.unwrap();
    assert_eq!(plan_cash(&world).await, 0);
    assert_eq!(world.in_each("transit").await.iter().sum::<i64>(), 0);
    let unbalanced = "SELECT count(*) FROM (SELECT sum(amount_cents) FROM entries GROUP BY posting_id / 100000000000000
        HAVING sum(amount_cents) <> 0) AS wrong";
    assert_eq!(world.count(unbalanced).await, 0);
    world.assert_books().await;
    world.assert_verified().await;
    // The audit finds each transfer in both buckets, and what differs from it.
    let arrives = "the cash of a plan that leaves a bucket of members arrives in another";
    let check = ::audit::checks::checks().find(|check| check.promise == arrives).unwrap();
    for (change, is_found) in [
        ("amount_cents = amount_cents", false),
        ("amount_cents = amount_cents + 1", true),
        ("from_bucket = to_bucket, to_bucket = from_bucket", true),
    ] {
        let mut conn = world.pool.acquire().await.unwrap();
        let changed =
            format!("BEGIN; ALTER TABLE cash_transfers DISABLE TRIGGER USER; UPDATE cash_transfers SET {change}");
        sqlx::raw_sql(AssertSqlSafe(changed)).execute(&mut *conn).await.unwrap();
        let found: Vec<String> = sqlx::query_scalar(check.offending).fetch_all(&mut *conn).await.unwrap();
        sqlx::raw_sql("ROLLBACK").execute(&mut *conn).await.unwrap();
        assert_eq!(!found.is_empty(), is_found, "{change}: {found:?}");
    }
}

/// [D-B6] The proof of liabilities counts the members of every bucket: each finds its way to the root.
#[sqlx::test(migrations = false)]
async fn the_proof_of_liabilities_counts_all_buckets(pool: PgPool) {
    let world = World::in_buckets(pool, BUCKETS).await;
    let mut members = Vec::new();
    for (bucket, cents) in [(0, 10_000), (1, 20_001), (3, 40_000), (3, 50_000)] {
        members.push((world.member_in(bucket, cents).await, cents));
    }
    let published = publish(&world, Role::Auditor, "once").await.unwrap();
    assert_eq!(published.total_cents, 120_001);
    let root: [u8; 32] = published.root.clone().try_into().unwrap();
    for (member, cents) in &members {
        let leaves = crate::liabilities::proof(&world, member).await;
        assert_eq!(leaves.iter().map(|leaf| leaf.amount.get()).sum::<i64>(), *cents);
        for leaf in &leaves {
            assert_eq!(leaf.root(member.id).map(|(found, total)| (found, total.get())), Some((root, 120_001)));
        }
    }
}
