//! The wallet on tables that are distributed by member, as a sharding engine has them.

use std::collections::BTreeMap;

use chassis::db::Db;
use chassis::money::Cents;
use chassis::testing::{change_schema, database};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;
use wallet::SCHEMA;
use wallet::domain::account::{AccountRef, HouseAccount};

use crate::fixture::{World, withdrawal};
use crate::treasury::fund_plan;
use crate::{posting, trades};

/// A wallet whose tables are distributed.
async fn distributed(pool: PgPool) -> World {
    let is_distributed = std::env::var_os("TEST_SCHEMA_CHANGE").is_some();
    if !is_distributed {
        drop(database(pool.clone(), SCHEMA).await);
        change_schema(&pool, SCHEMA, include_str!("../../by_member.sql")).await;
    }
    World::new(pool).await
}

/// [D-H6] Money goes through every kind of posting on tables distributed by member, the books are right, and no unique key
/// of theirs is without the member. `stack testbed --by-member` runs all tests so.
#[sqlx::test(migrations = false)]
async fn the_wallet_works_on_tables_distributed_by_member(pool: PgPool) {
    let world = distributed(pool).await;
    fund_plan(&world, 8_000).await;
    for _ in 0..8 {
        let member = world.member_with(100_000).await;
        let trade = Uuid::now_v7();
        trades::fund(&world, &member, trade, 20_000).await.unwrap();
        trades::settle(&world, &member, trade, 20_000, 21_000).await.unwrap();
        world.buy_course(&member).await.unwrap();
        let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
        let approved = world.approve(&out).await.unwrap();
        world.pay(&approved).await.unwrap();
        let refused = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
        world.reject(&refused, "OTHER").await.unwrap();
        assert_eq!(world.wallet(&member).await.available_cents, 100_000 + 1_000 - 8_700 - 10_000);
        assert_eq!(world.history(&member).await.len(), 7);
    }
    world.assert_verified().await;
    let used = world.count("SELECT count(*) FROM (SELECT tableoid FROM entries GROUP BY 1) AS partitions").await;
    assert!(used > 1, "members are in {used} partition");
    let without: Vec<String> = sqlx::query_scalar(
        "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_partitioned_table ON partrelid = indrelid
         WHERE indisunique AND NOT partattrs[0] = ANY (indkey::smallint[])",
    )
    .fetch_all(&world.pool)
    .await
    .unwrap();
    assert_eq!(without, Vec::<String>::new());
}

/// [D-H6] What a movement reads and writes of its member is in one partition of each table: every lookup names the member.
/// Of the accounts, those of the house and of the plan are in others; that a new trade is nobody's is looked up in every partition.
#[sqlx::test(migrations = false)]
async fn a_movement_stays_in_the_partitions_of_its_member(pool: PgPool) {
    const SCANNED: &str = "SELECT regexp_replace(relname, '_[0-9]+$', ''), count(*)
        FROM pg_stat_xact_user_tables WHERE relname ~ '_[0-9]+$' AND seq_scan + coalesce(idx_scan, 0) > 0 GROUP BY 1";
    let world = distributed(pool.clone()).await;
    world.allow_transfers().await;
    posting::fill_plan(&world).await;
    let now = world.grpc.ledger.now().await.unwrap();
    // A connection of its own, because the numbers of a session are those since it last reported them.
    let options = PgPoolOptions::new().max_connections(1);
    let db = Db::from_pool(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    for _ in 0..8 {
        let (user_id, trade_id, amount) = (Uuid::new_v4(), Uuid::new_v4(), Cents::new(1_000));
        let way = (AccountRef::House(HouseAccount::Adjustments), AccountRef::available(user_id));
        let mut tx = db.begin().await.unwrap();
        for movement in [
            posting::one_transfer(user_id, way, 5_000),
            posting::fund(user_id, trade_id, amount, now),
            posting::settle(user_id, trade_id, amount, now),
            posting::withdrawal(user_id, amount, now),
        ] {
            movement.apply(&mut tx).await.unwrap();
        }
        let scanned: Vec<(String, i64)> = sqlx::query_as(SCANNED).fetch_all(&mut *tx).await.unwrap();
        let scanned: BTreeMap<_, _> = scanned.into_iter().collect();
        assert!(scanned.contains_key("transactions") && scanned.contains_key("trade_fundings"), "{scanned:?}");
        for (table, partitions) in &scanned {
            let most = match table.as_str() {
                "accounts" => 3,
                "trade_fundings" => 4,
                _ => 1,
            };
            assert!(*partitions <= most, "{table}: {scanned:?}");
        }
        sqlx::query("SELECT pg_stat_force_next_flush()").execute(&mut *tx).await.unwrap();
        tx.rollback().await.unwrap();
    }
}
