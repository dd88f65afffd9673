//! What payments are worth, when they are final, and what nodes are asked about them.

use chassis::id::MemberId;
use std::collections::BTreeSet;

use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::common::v1::ChainEvidence;
use proto::payment_method::v1::GetEvidenceRequest;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::chain::{look, rate, trouble};
use crate::evidence::{ask, evidence, quote, state};
use crate::fixture::{BITCOIN, World};
use crate::quotes::expire_quotes;
use crate::scripted::{Scripted, Tx};

/// Bitcoin at 100,000 dollars, observed on a node that a test writes the history of.
async fn world(pool: PgPool) -> (World, Scripted, Chain) {
    let mut world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    rate(&world.pool, "BTC", 100_000_000_000).await;
    let node = Scripted::default();
    node.history().mine(true);
    let chain = node.serve().await;
    world.grpc.chains = [chain.clone()].into();
    look(&world, &chain).await;
    (world, node, chain)
}

/// Pays these satoshi to the platform in one transaction.
fn pay(node: &Scripted, satoshi: &[u64]) -> String {
    let ours = address::script(Format::Bitcoin, BITCOIN).unwrap();
    let outs = satoshi.iter().map(|satoshi| (ours.clone(), *satoshi)).collect();
    node.history().send(Tx { spends: Vec::new(), outs, fee: 0, conflicts: BTreeSet::new() })
}

/// A question of staff about a deposit of $500.00.
fn question(user_id: MemberId, txid: &str) -> GetEvidenceRequest {
    GetEvidenceRequest {
        user_id: user_id.to_string(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: BITCOIN.to_owned(),
        txid: txid.to_owned(),
        claimed_cents: 50_000,
        requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
        ..Default::default()
    }
}

/// [D-N3] A payment is worth what it was worth when it arrived, also for a quote that was made afterwards.
#[sqlx::test(migrations = false)]
async fn a_payment_is_valued_at_its_arrival(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let txid = pay(&node, &[50_000_000]);
    look(&world, &chain).await;
    rate(&world.pool, "BTC", 130_000_000_000).await;
    let member = world.member().0;
    let found = evidence(&world, member, None, &txid).await.unwrap();
    assert_eq!((found.suggested_cents, found.payments[0].value_cents), (Some(5_000_000), Some(5_000_000)));
    let later = quote(&world, member).await;
    let found = evidence(&world, member, Some(&later), &txid).await.unwrap();
    assert_eq!((found.suggested_cents, state(&found, "payment_time")), (Some(5_000_000), "warn".to_owned()));
    let changed = sqlx::query("UPDATE chain_payments SET value_cents = 6500000").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&changed.unwrap_err()), Some("chain_payments_valued_once"));
}

/// [D-N3] Without a rate at its arrival a payment has no value, no matter which rates come later.
#[sqlx::test(migrations = false)]
async fn a_payment_without_a_rate_has_no_value(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let mut conn = world.pool.acquire().await.unwrap();
    sqlx::raw_sql(
        "SET session_replication_role = replica; DELETE FROM rate_points; SET session_replication_role = DEFAULT",
    )
    .execute(&mut *conn)
    .await
    .unwrap();
    let txid = pay(&node, &[500_000]);
    look(&world, &chain).await;
    rate(&world.pool, "BTC", 130_000_000_000).await;
    let found = evidence(&world, world.member().0, None, &txid).await.unwrap();
    assert_eq!((found.suggested_cents, found.payments[0].value_cents), (None, None));
}

/// [D-N3] Anyone who pays after the quote has expired does not get its rate, although the miner's clock says otherwise.
#[sqlx::test(migrations = false)]
async fn the_clock_of_a_miner_does_not_prolong_a_quote(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let member = world.member().0;
    let own = quote(&world, member).await;
    expire_quotes(&world, "10 seconds").await;
    rate(&world.pool, "BTC", 90_000_000_000).await;
    let txid = pay(&node, &[500_000]);
    let before_expiry = OffsetDateTime::now_utc().unix_timestamp() - 60;
    node.history().time = Some(before_expiry);
    node.history().mine(true);
    look(&world, &chain).await;
    let found = evidence(&world, member, Some(&own), &txid).await.unwrap();
    assert_eq!(found.payments[0].block_at.unwrap().seconds, before_expiry);
    assert_eq!((state(&found, "payment_time"), found.suggested_cents), ("warn".to_owned(), Some(45_000)));
}

/// [D-N3] After an outage the clock of the block counts: who paid in time gets the quoted rate.
#[sqlx::test(migrations = false)]
async fn after_an_outage_the_block_tells_the_time(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let member = world.member().0;
    let own = quote(&world, member).await;
    expire_quotes(&world, "10 seconds").await;
    rate(&world.pool, "BTC", 90_000_000_000).await;
    sqlx::query("UPDATE chain_cursors SET observed_at = observed_at - interval '10 minutes'")
        .execute(&world.pool)
        .await
        .unwrap();
    let txid = pay(&node, &[500_000]);
    node.history().time = Some(OffsetDateTime::now_utc().unix_timestamp() - 60);
    node.history().mine(true);
    look(&world, &chain).await;
    let found = evidence(&world, member, Some(&own), &txid).await.unwrap();
    assert_eq!((state(&found, "payment_time"), found.suggested_cents), ("ok".to_owned(), Some(50_000)));
}

/// [D-N3] The quoted rate is for about the quoted amount: beyond 1 % or $5.00 the rate at the arrival applies.
#[sqlx::test(migrations = false)]
async fn a_quote_is_for_about_its_amount(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let member = world.member().0;
    let own = quote(&world, member).await;
    rate(&world.pool, "BTC", 110_000_000_000).await;
    let (near, far) = (pay(&node, &[497_000]), pay(&node, &[450_000]));
    look(&world, &chain).await;
    for (txid, expected, cents) in [(near, "ok", 49_700), (far, "warn", 49_500)] {
        let found = evidence(&world, member, Some(&own), &txid).await.unwrap();
        assert_eq!((state(&found, "payment_time").as_str(), found.suggested_cents), (expected, Some(cents)));
    }
}

fn finality(found: &ChainEvidence) -> BTreeSet<(String, i32)> {
    found.payments.iter().map(|one| (one.state.clone(), one.confirmations_needed)).collect()
}

/// [D-N7] A sum in many outputs takes as many confirmations as in one.
#[sqlx::test(migrations = false)]
async fn outputs_of_a_transaction_are_final_together(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let txid = pay(&node, &[700_000; 25]);
    (0..2).for_each(|_| node.history().mine(true));
    look(&world, &chain).await;
    let member = world.member().0;
    let found = evidence(&world, member, None, &txid).await.unwrap();
    assert_eq!((finality(&found), found.payments.len()), (BTreeSet::from([("included".to_owned(), 6)]), 25));
    (0..4).for_each(|_| node.history().mine(true));
    look(&world, &chain).await;
    let found = evidence(&world, member, None, &txid).await.unwrap();
    assert_eq!(finality(&found), BTreeSet::from([("final".to_owned(), 6)]));
}

/// [D-N7] What one member claims within an hour counts at the decision, also for a payment that was final for its own value.
#[sqlx::test(migrations = false)]
async fn deposits_of_an_hour_are_final_together(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let txid = pay(&node, &[700_000]);
    (0..2).for_each(|_| node.history().mine(true));
    look(&world, &chain).await;
    let member = world.member().0;
    for (claimed_lately_cents, expected, line) in
        [(0, ("final", 2), "ok"), (100_000, ("included", 3), "warn"), (1_000_000, ("included", 6), "warn")]
    {
        let asked = GetEvidenceRequest { claimed_lately_cents, ..question(member, &txid) };
        let found = ask(&world, asked).await.unwrap();
        assert_eq!(finality(&found), BTreeSet::from([(expected.0.to_owned(), expected.1)]));
        assert_eq!(state(&found, "payment_confirmations"), line);
    }
}

/// [D-N7] A member's question asks no node; staff's asks about a hash once per block, and this many hashes of a member an hour.
#[sqlx::test(migrations = false)]
async fn invented_hashes_do_not_use_up_the_nodes(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let member = world.member().0;
    let calls = || node.history().called.len();
    let invented = |number: u32| format!("{number:064x}").replace("0000", "dead");
    let before = calls();
    for number in 0..20 {
        let asked = GetEvidenceRequest { is_for_member: true, ..question(member, &invented(number)) };
        let found = ask(&world, asked).await.unwrap();
        assert_eq!((state(&found, "payment_found"), found.payments.len()), ("warn".to_owned(), 0));
    }
    assert_eq!(calls(), before, "the nodes were asked for a member");
    for _ in 0..5 {
        let found = ask(&world, question(member, &invented(1))).await.unwrap();
        assert_eq!(state(&found, "payment_found"), "fail");
    }
    let once = calls() - before;
    assert!((1..=4).contains(&once), "{once} calls for one hash");
    node.history().mine(true);
    look(&world, &chain).await;
    let before = calls();
    ask(&world, question(member, &invented(1))).await.unwrap();
    assert!(calls() > before, "a new block may have it");
    let mut told = BTreeSet::new();
    for number in 2..80 {
        told.insert(state(&ask(&world, question(member, &invented(number))).await.unwrap(), "payment_found"));
    }
    assert_eq!(told, BTreeSet::from(["fail".to_owned(), "unknown".to_owned()]));
    let other = ask(&world, question(world.member().0, &invented(99))).await.unwrap();
    assert_eq!(state(&other, "payment_found"), "fail");
}

/// [D-Q4] Without a complete transaction index the node knows no transaction of others: that is unknown, and not a wrong hash.
#[sqlx::test(migrations = false)]
async fn a_node_without_its_index_makes_unknown(pool: PgPool) {
    let (world, node, _) = world(pool).await;
    node.history().is_unindexed = true;
    let hash = "ab".repeat(32);
    let member = world.member().0;
    assert_eq!(state(&ask(&world, question(member, &hash)).await.unwrap(), "payment_found"), "unknown");
    node.history().is_unindexed = false;
    assert_eq!(state(&ask(&world, question(member, &hash)).await.unwrap(), "payment_found"), "fail");
    assert_eq!(trouble(&world, "bitcoin").await.0, "");
}

/// [D-N1] A decision does not rest on a row alone: what the node does not show is not proven.
#[sqlx::test(migrations = false)]
async fn a_forged_payment_is_not_confirmed(pool: PgPool) {
    let (world, node, chain) = world(pool).await;
    let txid = "cd".repeat(32);
    sqlx::query(
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, height,
            block_hash, block_at, replaced_by, seen_at, changed_at)
         VALUES ('bitcoin', $1, 0, 'in', 'BTC', $2, '', 500000, 2, 'final', 0, 'ab', now(), '', now(), now())",
    )
    .bind(&txid)
    .bind(BITCOIN)
    .execute(&world.pool)
    .await
    .unwrap();
    let member = world.member().0;
    let found = ask(&world, question(member, &txid)).await.unwrap();
    assert_eq!(state(&found, "payment_found"), "fail");
    let paid = pay(&node, &[500_000]);
    look(&world, &chain).await;
    assert_eq!(state(&ask(&world, question(member, &paid)).await.unwrap(), "payment_found"), "ok");
    // The same payment, with more units than were paid.
    sqlx::query(
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state,
            block_hash, replaced_by, seen_at, changed_at)
         VALUES ('bitcoin', $1, 7, 'in', 'BTC', $2, '', 90000000, 2, 'seen', '', '', now(), now())",
    )
    .bind(&paid)
    .bind(BITCOIN)
    .execute(&world.pool)
    .await
    .unwrap();
    assert_eq!(state(&ask(&world, question(member, &paid)).await.unwrap(), "payment_found"), "fail");
}
