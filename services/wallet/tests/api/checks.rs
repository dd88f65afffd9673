//! The check of the ledger, step by step: what each finds by itself, and what it remembers.

mod rebuild;

use std::time::Duration;

use chassis::testing::with_token;
use proto::wallet::v1::trade_settlement_service_server::TradeSettlementService;
use proto::wallet::v1::*;
use sqlx::{AssertSqlSafe, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::fixture::{Member, World, withdrawal};
use crate::treasury::{PLAN, fund_plan};

/// Posts between two accounts as an owner of the database can: balanced, chained, and with what cause they like.
const MINT: &str = "
CREATE FUNCTION mint(kind text, reference uuid, member uuid, loser bigint, gainer bigint, cents bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE made postings; one record;
BEGIN
    INSERT INTO postings (kind, business_id, user_id) VALUES (kind, reference, member) RETURNING * INTO made;
    FOR one IN SELECT * FROM (VALUES (loser, -cents), (gainer, cents)) AS legs (account, cents) ORDER BY 1 LOOP
        WITH moved AS (UPDATE accounts SET balance_cents = balance_cents + one.cents, entry_count = entry_count + 1,
            head_hash = entry_hash(head_hash, id, made.id, one.cents, balance_cents + one.cents, posting_header(made)) WHERE id = one.account RETURNING *)
        INSERT INTO written SELECT id, made.id, one.cents, balance_cents, head_hash FROM moved;
    END LOOP;
    INSERT INTO entries SELECT * FROM written;
    DELETE FROM written;
    RETURN made.id;
END $$;
CREATE TABLE written (LIKE entries)";

async fn run(pool: &PgPool, sql: impl Into<String>) {
    sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(pool).await.unwrap();
}

/// Lets only the step for new postings run until it has seen them all. Transactions of other tests on the same server may
/// hold it up for a moment.
async fn check_new(pool: &PgPool) {
    for _ in 0..200 {
        sqlx::query("SELECT check_new_postings(1000)").execute(pool).await.unwrap();
        let unchecked: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM postings, ledger_checks WHERE (xid, postings.id) > (checked_xid, checked_id)",
        )
        .fetch_one(pool)
        .await
        .unwrap();
        if unchecked == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("some postings stayed unchecked");
}

async fn faults(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("SELECT detail FROM ledger_faults WHERE verified_at IS NULL ORDER BY id")
        .fetch_all(pool)
        .await
        .unwrap()
}

/// Every kind of posting there is, each once and with its cause.
async fn lived_in(world: &World) -> Member {
    let member = world.member_with(1_000_000).await;
    let one = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &one).await.unwrap();
    world.approve(&fee).await.unwrap();
    let one = world.transaction(&member, &one.id).await.unwrap();
    world.reject(&one, "OTHER").await.unwrap();
    let two = world.withdraw(&member, withdrawal(20_000)).await.unwrap();
    let fee = world.pay_fee(&member, &two).await.unwrap();
    world.reject(&two, "OTHER").await.unwrap();
    world.approve(&fee).await.unwrap();
    let three = world.approve(&world.withdraw(&member, withdrawal(30_000)).await.unwrap()).await.unwrap();
    world.pay(&three).await.unwrap();
    world.buy_course(&member).await.unwrap();
    fund_plan(world, 2_000).await;
    let credential = world.realm.service_token("trade");
    for value_cents in [0, 9_000, 10_000, 12_000] {
        let (trade_id, user_id) = (Uuid::new_v4().to_string(), member.id.to_string());
        let plan_title = "Growth".to_owned();
        let funded = FundTradeRequest { trade_id, user_id, amount_cents: 10_000, plan_title };
        world.grpc.fund_trade(with_token(funded.clone(), &credential)).await.unwrap();
        let FundTradeRequest { trade_id, user_id, amount_cents, plan_title } = funded;
        let plan_id = PLAN.to_string();
        let settled = SettleTradeRequest { trade_id, user_id, amount_cents, value_cents, plan_title, plan_id };
        world.grpc.settle_trade(with_token(settled, &credential)).await.unwrap();
    }
    world.withdraw(&member, withdrawal(40_000)).await.unwrap();
    member
}

/// [D-B1] A product that lives well has no faults, no matter what its members and staff do.
#[sqlx::test(migrations = false)]
async fn every_kind_of_posting_has_its_cause(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    lived_in(&world).await;
    check_new(&pool).await;
    assert!(world.check().await, "{:?}", faults(&pool).await);
    assert_eq!(faults(&pool).await, Vec::<String>::new());
    let checkpoints = world
        .count(
            "SELECT count(*) FROM account_checkpoints AS verified JOIN accounts ON accounts.id = account_id
        WHERE verified.entry_count = accounts.entry_count AND verified.head_hash = accounts.head_hash",
        )
        .await;
    assert_eq!(checkpoints, world.count("SELECT count(*) FROM accounts").await);
}

/// [A2] [D-B1] Money that was made without a cause is named, no matter what it calls itself.
#[sqlx::test(migrations = false)]
async fn minted_money_is_named(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = lived_in(&world).await;
    run(&pool, MINT).await;
    for kind in
        ["adjustment_credit", "release", "bonus", "fee_refund", "fee_credit", "deposit", "trade_gain", "present"]
    {
        let sql = format!(
            "SELECT mint('{kind}', gen_random_uuid(), '{}', 4000000000000000006 + 100 * bucket(),
            (SELECT id FROM accounts WHERE user_id = '{}' AND kind = 'available'), 100000000)",
            member.id, member.id
        );
        let posting: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&pool).await.unwrap();
        check_new(&pool).await;
        let found = faults(&pool).await;
        let named = format!("Posting {posting} ({kind} ");
        assert!(found.iter().any(|one| one.starts_with(&named) && one.ends_with("has no cause.")), "{kind}: {found:?}");
    }
    assert!(!world.check().await);
}

/// [D-B1] A posting that moves more than its cause says, or to another member, is named.
#[sqlx::test(migrations = false)]
async fn a_posting_beyond_its_cause_is_named(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (one, other) = (world.member_with(20_000).await, world.member_with(20_000).await);
    check_new(&pool).await;
    run(&pool, format!("{MINT}; INSERT INTO proposals (id, kind, subject_id, change, proposed_by)
        VALUES ('00000000-0000-0000-0000-0000000000f1', 'adjustment_credit', '{}', '{{\"amount_cents\": 5}}', gen_random_uuid());
        UPDATE proposals SET status = 'confirmed', decided_by = gen_random_uuid(), decided_at = clock_timestamp();
        SELECT mint('adjustment_credit', '00000000-0000-0000-0000-0000000000f1', '{}', 4000000000000000006 + 100 * bucket(),
            (SELECT id FROM accounts WHERE user_id = '{}' AND kind = 'available'), 5)", one.id, one.id, other.id)).await;
    check_new(&pool).await;
    let found = faults(&pool).await;
    assert!(found.len() == 1 && found[0].ends_with("moves other amounts than its cause."), "{found:?}");
}

/// [D-B1] What was decided and never posted is named, until it is posted.
#[sqlx::test(migrations = false)]
async fn a_cause_without_its_posting_is_named(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    run(
        &pool,
        format!(
            "{MINT}; INSERT INTO proposals (id, kind, subject_id, change, proposed_by)
        VALUES ('00000000-0000-0000-0000-0000000000f1', 'bonus', '{}', '{{\"amount_cents\": 5}}', gen_random_uuid());
        UPDATE proposals SET status = 'confirmed', decided_by = gen_random_uuid(), decided_at = clock_timestamp()",
            member.id
        ),
    )
    .await;
    assert!(!world.check().await);
    let found = faults(&pool).await;
    assert!(found.len() == 1 && found[0].starts_with("The bonus 00000000-0000-0000-0000-0000000000f1"), "{found:?}");
    run(
        &pool,
        format!(
            "SELECT mint('bonus', '00000000-0000-0000-0000-0000000000f1', '{}', 4000000000000000005 + 100 * bucket(),
        (SELECT id FROM accounts WHERE user_id = '{}' AND kind = 'bonus'), 5)",
            member.id, member.id
        ),
    )
    .await;
    world.check().await;
    assert_eq!(faults(&pool).await, Vec::<String>::new());
}

/// [D-B1] The first check after weeks without one covers everything decided meanwhile, without a step per empty
/// interval.
#[sqlx::test(migrations = false)]
async fn a_cause_of_weeks_without_a_check_is_named(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    assert!(world.check().await);
    run(
        &pool,
        format!(
            "SET session_replication_role = replica;
        UPDATE ledger_checks SET checked_at = clock_timestamp() - interval '60 days';
        INSERT INTO proposals (id, kind, subject_id, change, proposed_by, status, decided_by, decided_at)
        VALUES ('00000000-0000-0000-0000-0000000000f1', 'bonus', '{}', '{{\"amount_cents\": 5}}', gen_random_uuid(), 'confirmed',
            gen_random_uuid(), clock_timestamp() - interval '20 days')",
            member.id
        ),
    )
    .await;
    assert!(!world.check().await);
    let found = faults(&pool).await;
    assert!(found.len() == 1 && found[0].starts_with("The bonus 00000000-0000-0000-0000-0000000000f1"), "{found:?}");
}

/// [D-B1] A step checks a bounded number of causes, however many there are, and the steps together check all of them.
#[sqlx::test(migrations = false)]
async fn causes_of_a_busy_moment_are_checked_in_steps(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    run(
        &pool,
        format!(
            "SET session_replication_role = replica;
        INSERT INTO proposals (id, kind, subject_id, change, proposed_by, status, decided_by, decided_at)
        SELECT gen_random_uuid(), 'bonus', '{}', '{{\"amount_cents\": 5}}', gen_random_uuid(), 'confirmed', gen_random_uuid(),
            '2026-01-01T00:00:00Z'::timestamptz + (n / 2) * interval '1 millisecond'
        FROM generate_series(0, 8) AS n",
            member.id
        ),
    )
    .await;
    let mut since = OffsetDateTime::from_unix_timestamp(1_767_225_600).unwrap();
    let until = since + Duration::from_secs(10);
    let mut named = Vec::new();
    while since < until {
        let step = sqlx::query_scalar("SELECT check_causes($1, $2, 3)").bind(since).bind(until);
        since = step.fetch_one(&pool).await.unwrap();
        named.push(faults(&pool).await.len());
    }
    assert_eq!(named, [4, 8, 9], "three, and what was decided at the same time as the third");
    assert_eq!(since, until);
}

/// [A6] A tampered newest entry is not masked by the ordinary posting after it.
#[sqlx::test(migrations = false)]
async fn the_next_posting_masks_nothing(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    check_new(&pool).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    run(&pool, "SET session_replication_role = replica;
        UPDATE entries SET hash = sha256(hash) FROM accounts WHERE accounts.id = account_id AND kind = 'held';
        UPDATE accounts SET head_hash = (SELECT hash FROM entries WHERE account_id = id) WHERE kind = 'held' AND entry_count = 1").await;
    let open = world.history(&member).await.into_iter().find(|one| one.title == "Withdrawal").unwrap();
    world.reject(&open, "OTHER").await.unwrap();
    check_new(&pool).await;
    let found = faults(&pool).await;
    assert!(found.len() == 1 && found[0].contains("(held of member"), "{found:?}");
    assert!(!world.check().await);
    world.deposit(&member, crate::fixture::deposit(10_000)).await.unwrap();
    assert!(!world.check().await);
    assert_eq!(faults(&pool).await, found, "it does not verify by itself");
}

/// [A6] [A12] A posting whose transaction commits after later ones is checked all the same.
#[sqlx::test(migrations = false)]
async fn a_late_lower_id_is_checked(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    run(&pool, MINT).await;
    let mut late = world.home().db.begin().await.unwrap();
    let sql = format!(
        "SELECT mint('bonus', gen_random_uuid(), '{}', 4000000000000000005 + 100 * bucket(),
        (SELECT id FROM accounts WHERE user_id = '{}' AND kind = 'bonus'), 5)",
        member.id, member.id
    );
    sqlx::query(AssertSqlSafe(sql)).execute(&mut *late).await.unwrap();
    world.member_with(30_000).await;
    for _ in 0..3 {
        sqlx::query("SELECT check_new_postings(1000)").execute(&pool).await.unwrap();
    }
    assert_eq!(faults(&pool).await, Vec::<String>::new());
    late.commit().await.unwrap();
    check_new(&pool).await;
    assert!(faults(&pool).await.iter().any(|one| one.contains("(bonus ")), "{:?}", faults(&pool).await);
}

/// [A12] What was tampered with behind the checkpoints is found by the walk, however small its steps.
#[sqlx::test(migrations = false)]
async fn the_walk_finds_old_tampering(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = lived_in(&world).await;
    check_new(&pool).await;
    for (damage, repair, name) in [
        (
            "UPDATE entries SET amount_cents = amount_cents + 1, balance_after_cents = balance_after_cents + 1
            WHERE posting_id = (SELECT min(id) FROM postings) AND account_id = 4000000000000000001 + 100 * bucket()",
            "UPDATE entries SET amount_cents = amount_cents - 1, balance_after_cents = balance_after_cents - 1
            WHERE posting_id = (SELECT min(id) FROM postings) AND account_id = 4000000000000000001 + 100 * bucket()",
            "(settlement)",
        ),
        (
            "UPDATE transactions SET amount_cents = amount_cents + 1 WHERE kind = 'deposit'",
            "UPDATE transactions SET amount_cents = amount_cents - 1 WHERE kind = 'deposit'",
            "moves other amounts",
        ),
    ] {
        run(&pool, format!("SET session_replication_role = replica; {damage}")).await;
        walk(&pool).await;
        let found = faults(&pool).await;
        assert!(found.iter().any(|one| one.contains(name)), "{found:?}");
        run(&pool, format!("SET session_replication_role = replica; {repair}")).await;
        world.check().await;
        assert_eq!(faults(&pool).await, Vec::<String>::new(), "{member:?}");
    }
}

/// A round of the walk, a few entries at a time.
async fn walk(pool: &PgPool) {
    for _ in 0..10_000 {
        if sqlx::query_scalar::<_, bool>("SELECT walk_ledger(4)").fetch_one(pool).await.unwrap() {
            return;
        }
    }
    panic!("the walk does not end");
}
