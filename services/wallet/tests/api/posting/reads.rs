//! What a commit reads.

use chassis::money::Cents;
use sqlx::PgPool;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount};

use crate::fixture::World;
use crate::posting::movements::{fill_plan, fund, one_transfer, settle, withdrawal};

/// [A16] [D-H5] A commit reads a few rows of its own members, by plans that its connection made while the tables were empty:
/// they hold until the tables are analyzed, which may be much later.
#[sqlx::test(migrations = false)]
async fn plans_of_empty_tables_read_no_rows_of_others(pool: PgPool) {
    const READ: &str = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
        WHERE relname IN ('accounts', 'transactions', 'trade_fundings', 'postings', 'idempotency_keys')";
    let world = World::new(pool).await;
    world.allow_transfers().await;
    fill_plan(&world).await;
    let now = world.home().ledger.now().await.unwrap();
    let mut tx = world.home().ledger.db().begin().await.unwrap();
    let mut reads = Vec::new();
    for _ in 0..300 {
        let (user_id, trade_id, amount) = (Uuid::new_v4().into(), Uuid::new_v4().into(), Cents::new(1_000));
        let way = (AccountRef::House(HouseAccount::Adjustments), AccountRef::available(user_id));
        let before: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        for movement in [
            one_transfer(user_id, way, 5_000),
            fund(user_id, trade_id, amount, now),
            settle(user_id, trade_id, amount, now),
            withdrawal(user_id, amount, now),
        ] {
            movement.apply(&mut tx).await.unwrap();
        }
        let after: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        reads.push(after - before);
    }
    assert!(reads[299] <= reads[9], "{} rows for the 10th member, {} for the 300th", reads[9], reads[299]);
}

/// [A16] [D-H5] A commit reads as little for a member with a long history, by plans that its connection made before.
#[sqlx::test(migrations = false)]
async fn a_long_history_costs_a_commit_nothing(pool: PgPool) {
    const LINES: &str =
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, related_id,
            decided_at, created_at)
        SELECT gen_random_uuid(), $1, 'trade', 'x', 'success', 'debit', 100, gen_random_uuid(), now(),
            now() - number * interval '1 minute'
        FROM generate_series(1, 20000) AS number";
    const BLOCKS: &str = "SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid))::bigint FROM pg_index
        WHERE indrelid = 'transactions'::regclass";
    let world = World::new(pool).await;
    world.allow_transfers().await;
    fill_plan(&world).await;
    let now = world.home().ledger.now().await.unwrap();
    let mut tx = world.home().ledger.db().begin().await.unwrap();
    let user_id = Uuid::new_v4().into();
    let mut reads = Vec::new();
    for round in 0..12 {
        if round == 10 {
            sqlx::query(LINES).bind(user_id).execute(&mut *tx).await.unwrap();
        }
        let (trade_id, amount) = (Uuid::new_v4().into(), Cents::new(1_000));
        let way = (AccountRef::House(HouseAccount::Adjustments), AccountRef::available(user_id));
        let before: i64 = sqlx::query_scalar(BLOCKS).fetch_one(&mut *tx).await.unwrap();
        for movement in [
            one_transfer(user_id, way, 5_000),
            fund(user_id, trade_id, amount, now),
            settle(user_id, trade_id, amount, now),
        ] {
            movement.apply(&mut tx).await.unwrap();
        }
        let after: i64 = sqlx::query_scalar(BLOCKS).fetch_one(&mut *tx).await.unwrap();
        reads.push(after - before);
    }
    assert!(reads[11] <= 3 * reads[9], "{} blocks before, {} with 20,000 lines more", reads[9], reads[11]);
}
