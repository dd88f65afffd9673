//! What the addresses of the platform hold, on real nodes.

use chassis::error::Kind;
use chassis::testing::with_token;
use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use payment_method::clients::evm_rpc::{EvmRpc, Kind as EvmKind};
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    AssetHolding, ConsumedPayment, ConsumedSum, GetConsumedRequest, GetHoldingsRequest, GetHoldingsResponse,
    MatchPayoutsRequest, NoteConsumedRequest, PayoutMatch,
};
use serde_json::{Value, json};
use sqlx::PgPool;
use stack::nodes::{Anvil, Bitcoind, EvmChain, RICH, coins, transfer_data};
use tonic::Status;
use uuid::Uuid;

use crate::chain::{anvil, bitcoind, look, rate, trouble};
use crate::fixture::{BITCOIN, EVM, World, refused};

const LEGACY: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";

pub async fn holdings(world: &World) -> GetHoldingsResponse {
    let request = with_token(GetHoldingsRequest {}, &world.realm.service_token("wallet"));
    world.grpc.get_holdings(request).await.unwrap().into_inner()
}

/// A look that reads balances too.
pub async fn read(world: &World, chain: &Chain) {
    sqlx::query("UPDATE holdings SET read_at = read_at - interval '2 minutes'").execute(&world.pool).await.unwrap();
    look(world, chain).await;
}

#[track_caller]
fn of<'a>(found: &'a GetHoldingsResponse, asset: &str) -> &'a AssetHolding {
    found.holdings.iter().find(|one| one.asset == asset).unwrap()
}

/// What is held of an asset, which the payments explain.
#[track_caller]
pub fn explained(found: &GetHoldingsResponse, asset: &str) -> u64 {
    let held = of(found, asset);
    assert_eq!(held.units, held.recorded, "{held:?}");
    held.units.parse().unwrap()
}

/// An address of the node's own wallet, as the platform writes it.
pub async fn own(node: &Bitcoind) -> (String, String) {
    let address = node.wallet("getnewaddress", json!(["", "bech32"])).await.unwrap();
    let address = address.as_str().unwrap().to_owned();
    let script = address::script(Format::Bitcoin, &address).unwrap();
    (address::of_bitcoin_script(&script).unwrap(), address)
}

/// Pays from an address of the platform, with the change back to it; the hash.
async fn pay_out(node: &Bitcoind, from: &str, to: &[(&str, u64)]) -> String {
    let unspent = node.wallet("listunspent", json!([1, 9_999_999, [from]])).await.unwrap();
    let inputs: Vec<_> =
        unspent.as_array().unwrap().iter().map(|one| json!({ "txid": one["txid"], "vout": one["vout"] })).collect();
    let to: serde_json::Map<String, Value> =
        to.iter().map(|(to, units)| ((*to).to_owned(), json!(coins(*units)))).collect();
    let options = json!({ "inputs": inputs, "add_inputs": false, "change_address": from });
    let sent = node.wallet("send", json!([to, null, "unset", 10, options])).await.unwrap();
    node.mine(1).await.unwrap();
    sent["txid"].as_str().unwrap().to_owned()
}

/// [D-Q8] [D-R17] Case 20: deposits under and over what was quoted, unclaimed ones, a batch payout with its fee and change, and a
/// move between own addresses: what is held is what the payments explain, in units, no matter what the rate does. What belongs to no
/// withdrawal is exactly the outflow that none accounts for.
#[sqlx::test(migrations = false)]
async fn holdings_are_explained_by_payments(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let ((ours, regtest), (other, other_regtest)) = (own(&node).await, own(&node).await);
    for one in [&ours, &other] {
        world.platform("BTC", "Bitcoin", one).await;
    }
    let chain = Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap());
    assert_eq!(of(&holdings(&world).await, "BTC").units, "", "what was never read is unknown, and not zero");
    // What is there before the first look is the opening.
    node.pay(&[(&regtest, 50_000_000)]).await.unwrap();
    node.mine(7).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(explained(&holdings(&world).await, "BTC"), 50_000_000);
    for units in [499_999, 500_001, 77_777] {
        node.pay(&[(&regtest, units)]).await.unwrap();
        read(&world, &chain).await;
    }
    assert_eq!(explained(&holdings(&world).await, "BTC"), 51_077_777);
    node.mine(1).await.unwrap();
    let (legacy, taproot) = (crate::chain::regtest(&node, LEGACY).await, crate::chain::regtest(&node, TAPROOT).await);
    let batch = pay_out(&node, &regtest, &[(&legacy, 1_000_000), (&taproot, 2_000_000)]).await;
    read(&world, &chain).await;
    let found = holdings(&world).await;
    let after_batch = explained(&found, "BTC");
    assert!((48_000_000..48_077_777).contains(&after_batch), "{after_batch} after a fee");
    let mut outflows: Vec<_> = found.outflows.iter().map(|one| one.payment.clone().unwrap()).collect();
    outflows.sort_by_key(|one| one.units.len() + usize::from(one.units.starts_with('2')));
    let facts: Vec<_> =
        outflows.iter().map(|one| (one.txid.as_str(), one.units.as_str(), one.counterparty.as_str())).collect();
    assert_eq!(facts, [(batch.as_str(), "1000000", LEGACY), (batch.as_str(), "2000000", TAPROOT)]);
    let withdrawal = Uuid::now_v7().to_string();
    let matches =
        found.outflows.iter().map(|one| PayoutMatch { number: one.number, transaction_id: withdrawal.clone() });
    let message = MatchPayoutsRequest { matches: matches.collect() };
    let request = with_token(message.clone(), &world.realm.service_token("wallet"));
    world.grpc.match_payouts(request).await.unwrap();
    assert_eq!(holdings(&world).await.outflows, []);
    // Between own addresses only the fee leaves.
    pay_out(&node, &regtest, &[(&other_regtest, 3_000_000)]).await;
    read(&world, &chain).await;
    let after_sweep = explained(&holdings(&world).await, "BTC");
    assert!((after_batch - 50_000..after_batch).contains(&after_sweep));
    let theft = pay_out(&node, &other_regtest, &[(&legacy, 1_500_000)]).await;
    rate(&world.pool, "BTC", 1_000_000).await;
    read(&world, &chain).await;
    let found = holdings(&world).await;
    explained(&found, "BTC");
    let stolen: Vec<_> = found.outflows.iter().map(|one| one.payment.clone().unwrap()).collect();
    assert_eq!((stolen.len(), &stolen[0].txid, stolen[0].units.as_str()), (1, &theft, "1500000"));
    assert_eq!(of(&found, "BTC").addresses.len(), 2);
    // An old reading is not known any more, and nothing that was matched is matched again.
    sqlx::query("UPDATE holdings SET read_at = read_at - interval '10 minutes'").execute(&world.pool).await.unwrap();
    let found = holdings(&world).await;
    assert_eq!((of(&found, "BTC").units.as_str(), of(&found, "BTC").recorded.as_str()), ("", ""));
    let rebound =
        sqlx::query("UPDATE chain_payments SET transaction_id = gen_random_uuid() WHERE transaction_id IS NOT NULL");
    assert!(rebound.execute(&world.pool).await.is_err());
    let request = with_token(message, &world.realm.service_token("trade"));
    assert_eq!(refused(world.grpc.match_payouts(request).await).kind, Kind::Forbidden);
}

/// [D-N6] [M16] However many payments of others are replaced: one that a transaction rests on is reported, and none of theirs.
#[sqlx::test(migrations = false)]
async fn replaced_payments_of_others_hide_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    sqlx::query(
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, block_hash,
            replaced_by, seen_at, changed_at)
         SELECT 'bitcoin', lpad(to_hex(n), 64, '0'), 0, 'in', 'BTC', 'ours', '', 1000, 2, 'replaced', '', '', now(),
            now() - n * interval '1 second' FROM generate_series(1, 1000) AS n",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    assert_eq!(holdings(&world).await.undone, []);
    let oldest = format!("{:0>64x}", 1000);
    let payments =
        vec![ConsumedPayment { chain: "bitcoin".to_owned(), txid: oldest.clone(), index: 0, is_outgoing: false }];
    let note = async |service: &str, payments: Vec<ConsumedPayment>| {
        let request = NoteConsumedRequest { payments };
        world.grpc.note_consumed(with_token(request, &world.realm.service_token(service))).await
    };
    assert_eq!(refused(note("trade", payments.clone()).await).kind, Kind::Forbidden);
    assert_eq!(refused(note("wallet", vec![payments[0].clone(); 501]).await).kind, Kind::Invalid);
    for _ in 0..2 {
        note("wallet", payments.clone()).await.unwrap();
    }
    let undone = holdings(&world).await.undone;
    let found: Vec<_> =
        undone.iter().map(|one| (one.is_deposit, one.payment.as_ref().unwrap().txid.as_str())).collect();
    assert_eq!(found, [(true, oldest.as_str())]);
    // [D-N1] What is consumed is counted once, for wallet to compare.
    let sums = async |service: &str| {
        let request = with_token(GetConsumedRequest {}, &world.realm.service_token(service));
        Ok::<_, Status>(world.grpc.get_consumed(request).await?.into_inner().sums)
    };
    assert_eq!(refused(sums("trade").await).kind, Kind::Forbidden);
    let sum = |payments: i64| ConsumedSum {
        chain: "bitcoin".to_owned(),
        asset: "BTC".to_owned(),
        is_outgoing: false,
        payments,
        units: (1_000 * payments).to_string(),
    };
    assert_eq!(sums("wallet").await.unwrap(), [sum(1)]);
    let other = ConsumedPayment { txid: format!("{:0>64x}", 999), ..payments[0].clone() };
    // No payment leaves the platform there.
    note("wallet", vec![ConsumedPayment { is_outgoing: true, ..other.clone() }]).await.unwrap();
    assert_eq!(sums("wallet").await.unwrap(), [sum(1)]);
    note("wallet", vec![other]).await.unwrap();
    assert_eq!(sums("wallet").await.unwrap(), [sum(2)]);
}

/// [D-Q8] A reorganisation, also of blocks that had been final, and coins that nobody saw coming.
#[sqlx::test(migrations = false)]
async fn holdings_survive_reorganisations(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let (ours, regtest) = own(&node).await;
    world.platform("BTC", "Bitcoin", &ours).await;
    let chain = Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap());
    look(&world, &chain).await;
    node.pay(&[(&regtest, 500_000)]).await.unwrap();
    node.mine(1).await.unwrap();
    let height = node.rpc.call("getblockcount", json!([])).await.unwrap();
    read(&world, &chain).await;
    node.mine(9).await.unwrap();
    read(&world, &chain).await;
    assert_eq!(explained(&holdings(&world).await, "BTC"), 500_000);
    let hash = node.rpc.call("getblockhash", json!([height])).await.unwrap();
    node.rpc.call("invalidateblock", json!([hash])).await.unwrap();
    node.settle().await.unwrap();
    for blocks in [0, 1, 12] {
        node.mine(blocks).await.unwrap();
        read(&world, &chain).await;
        explained(&holdings(&world).await, "BTC");
    }
    assert_eq!(explained(&holdings(&world).await, "BTC"), 500_000);
    node.process.terminate().await.unwrap();
    read(&world, &chain).await;
    assert_eq!(trouble(&world, "bitcoin").await.0, "unreachable");
}

fn ethereum(anvil: &Anvil) -> Chain {
    Chain::from(EvmRpc::new(EvmKind::Ethereum, anvil.rpc.url.parse().unwrap()).unwrap())
}

/// [D-Q8] On Ethereum tokens and the coin are held at each address; a payout of a token costs the coin, and so does one that fails.
#[sqlx::test(migrations = false)]
async fn fees_are_paid_in_the_coin_of_the_chain(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Ethereum).await else { return };
    let world = World::new(pool).await;
    for currency in ["USDT", "ETH"] {
        world.platform(currency, "ERC20", EVM).await;
    }
    let chain = ethereum(&anvil);
    look(&world, &chain).await;
    let funds = anvil.send(EVM, 2_000_000_000_000_000_000, "0x").await.unwrap();
    anvil.receipt(&funds).await.unwrap();
    let hash = anvil.pay_token(anvil.chain.usdt(), EVM, 700_000_000).await.unwrap();
    anvil.receipt(&hash).await.unwrap();
    read(&world, &chain).await;
    let found = holdings(&world).await;
    assert_eq!((explained(&found, "USDT"), explained(&found, "ETH")), (700_000_000, 2_000_000_000_000_000_000));
    anvil.rpc.call("anvil_impersonateAccount", json!([EVM])).await.unwrap();
    // The second is more than there is.
    for (units, status) in [(200_000_000, "0x1"), (900_000_000, "0x0")] {
        let paid =
            json!([{ "from": EVM, "to": anvil.chain.usdt(), "data": transfer_data(RICH, units), "gas": "0x7a120" }]);
        let hash = anvil.rpc.call("eth_sendTransaction", paid).await.unwrap();
        assert_eq!(anvil.receipt(hash.as_str().unwrap()).await.unwrap()["status"], status);
    }
    read(&world, &chain).await;
    let found = holdings(&world).await;
    assert_eq!(explained(&found, "USDT"), 500_000_000);
    assert!(explained(&found, "ETH") < 2_000_000_000_000_000_000);
    assert_eq!(found.outflows.len(), 1);
    // Blocks are replaced by empty ones.
    anvil.rpc.call("anvil_reorg", json!([2, []])).await.unwrap();
    read(&world, &chain).await;
    let found = holdings(&world).await;
    assert_eq!((explained(&found, "USDT"), found.outflows.len()), (700_000_000, 0));
    explained(&found, "ETH");
}

/// [D-Q4] Case 19: whenever a process dies in the middle of a look, another goes on when its lease is over, and nothing is missed or
/// there twice.
#[sqlx::test(migrations = false)]
async fn an_observer_that_dies_loses_nothing(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    let regtest = crate::chain::regtest(&node, BITCOIN).await;
    let chain = || Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap());
    look(&world, &chain()).await;
    for round in 0..12 {
        node.pay(&[(&regtest, 500_000 + round)]).await.unwrap();
        if round % 3 == 0 {
            node.mine(1).await.unwrap();
        }
        let lease = "UPDATE chain_cursors SET leased_until = '-infinity'";
        sqlx::query(lease).execute(&world.pool).await.unwrap();
        let (db, dying) = (world.grpc.db.clone(), chain());
        let looking = tokio::spawn(async move { observe_chain(&db, &dying, 0).await });
        tokio::time::sleep(std::time::Duration::from_millis(4 * round)).await;
        looking.abort();
        drop(looking.await);
        // Nobody else looks as long as the lease lasts.
        if round % 2 == 0 {
            read(&world, &chain()).await;
        }
    }
    node.mine(7).await.unwrap();
    read(&world, &chain()).await;
    let mut units: Vec<_> =
        crate::chain::seen(&world, "in").await.into_iter().map(|(_, _, _, units, state)| (units, state)).collect();
    units.sort();
    let expected: Vec<_> = (0..12).map(|round| ((500_000 + round).to_string(), "final".to_owned())).collect();
    assert_eq!(units, expected);
    let all: u64 = (0..12).map(|round| 500_000 + round).sum();
    assert_eq!(explained(&holdings(&world).await, "BTC"), all);
}
