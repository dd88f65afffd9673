//! Payouts that are paid together, on real nodes.

use chassis::error::Fault;
use chassis::money::Units;
use payment_method::app::keep_signed_payouts::{Kept, keep_signed_payouts};
use payment_method::app::prepare_payouts::{Prepared, prepare_payouts};
use payment_method::app::send_payouts::send_payouts;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use payment_method::domain::address::of_bitcoin_script;
use payment_method::domain::payout_batch::Payout;
use payment_method::error::Error;
use serde_json::{Value, json};
use sqlx::PgPool;
use stack::nodes::{Bitcoind, ETHEREUM_USDT, EvmChain, RICH, TREASURY, address_word, call_data, coins, number_word};
use stack::treasurer::sign::psbt as sign;

use crate::chain::{anvil, bitcoind, regtest};
use crate::fixture::{BITCOIN, EVM, EVM_2, World};
use crate::holdings::{explained, holdings, own, read};

const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const LEGACY: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const PAID: [(&str, u64); 3] = [(BITCOIN, 500_000), (TAPROOT, 2_000_000), (LEGACY, 10_000_000)];

fn chain(node: &Bitcoind, wallet: &str) -> [Chain; 1] {
    let node = BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap();
    [Chain::from(node.with_treasury(wallet))]
}

fn payouts() -> Vec<Payout> {
    let payout = |(address, satoshi): (&str, u64)| Payout {
        address: address.to_owned(),
        units: Units::new(i128::from(satoshi)).unwrap(),
        contract: String::new(),
        decimals: 8,
    };
    PAID.into_iter().map(payout).collect()
}

async fn prepare(world: &World, chains: &[Chain]) -> Result<Prepared, Error> {
    prepare_payouts(&world.grpc.db, chains, "Bitcoin", &payouts()).await
}

async fn keep(world: &World, chains: &[Chain], psbt: &str) -> Result<Kept, Error> {
    keep_signed_payouts(&world.grpc.db, chains, "Bitcoin", &payouts(), psbt).await
}

/// A transaction that the signer made up: to these addresses, each this many satoshi.
async fn made_up(node: &Bitcoind, paid: &[(&str, u64)]) -> String {
    let mut outputs = Vec::new();
    for (address, satoshi) in paid {
        outputs.push(json!({ regtest(node, address).await: coins(*satoshi) }));
    }
    let made = node.wallet("walletcreatefundedpsbt", json!([[], outputs, 0, { "fee_rate": 50 }])).await.unwrap();
    sign(&node.rpc, made["psbt"].as_str().unwrap()).await.unwrap()
}

/// [D-N5] Three payouts are one transaction from the coins of the treasury, whose change returns to it. It is sent once it is
/// signed, however often that is asked for, also after it is in a block.
#[sqlx::test(migrations = false)]
async fn three_payouts_are_one_transaction(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let chains = chain(&node, TREASURY);
    let prepared = prepare(&world, &chains).await.unwrap();
    let lines = format!("{BITCOIN},0.005\n{TAPROOT},0.02\n{LEGACY},0.1\n");
    assert_eq!(prepared.files.iter().map(|file| file.content.as_str()).collect::<Vec<_>>(), [lines]);
    let (psbt, fee) = prepared.psbt.unwrap();
    assert!((1..200_000).contains(&fee.get()), "{fee}");
    assert!(keep(&world, &chains, &psbt).await.unwrap_err().sentence().contains("Signatures are missing"));
    let signed = sign(&node.rpc, &psbt).await.unwrap();
    let kept = keep(&world, &chains, &format!(" {signed}\n")).await.unwrap();
    // Nothing is sent before that is asked for.
    assert_eq!(node.rpc.call("getrawmempool", json!([])).await.unwrap(), json!([]));
    send_payouts(&world.grpc.db, &chains, &"0".repeat(64)).await.unwrap();
    for _ in 0..2 {
        send_payouts(&world.grpc.db, &chains, &kept.txid).await.unwrap();
        assert_eq!(node.rpc.call("getrawmempool", json!([])).await.unwrap(), json!([kept.txid]));
        // What the network has can be recorded again.
        assert_eq!(keep(&world, &chains, &signed).await.unwrap(), kept);
    }
    let sent = node.rpc.call("getrawtransaction", json!([kept.txid, true])).await.unwrap();
    let outputs = sent["vout"].as_array().unwrap();
    assert_eq!(outputs.len(), PAID.len() + 1);
    for ((address, satoshi), index) in PAID.into_iter().zip(&kept.outputs) {
        let output = &outputs[*index as usize];
        let to = of_bitcoin_script(output["scriptPubKey"]["hex"].as_str().unwrap());
        let paid: Value = serde_json::from_str(&coins(satoshi)).unwrap();
        assert_eq!((to.as_deref(), output["value"].as_f64()), (Some(address), paid.as_f64()));
    }
    node.mine(1).await.unwrap();
    send_payouts(&world.grpc.db, &chains, &kept.txid).await.unwrap();
    assert_eq!(keep(&world, &chains, &signed).await.unwrap(), kept);
}

/// [D-N5] A transaction whose signer changed an amount, left a payout out, paid somebody else too, or gave a fortune to the network
/// is refused and not kept; so is one whose coins were spent by another.
#[sqlx::test(migrations = false)]
async fn what_the_signer_changed_is_refused(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let chains = chain(&node, TREASURY);
    let mut less = PAID;
    less[1].1 -= 1;
    let other = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";
    let more: Vec<_> = PAID.into_iter().chain([(other, 1_000)]).collect();
    for (paid, part) in [
        (&less[..], format!("pays 0.01999999 BTC to {TAPROOT} instead of 0.02 BTC")),
        (&PAID[..2], format!("does not pay {LEGACY}")),
        (&more[..], format!("also pays {other}, which is not the treasury's")),
    ] {
        let refused = keep(&world, &chains, &made_up(&node, paid).await).await.unwrap_err();
        assert!(refused.sentence().contains(&part), "{}", refused.sentence());
    }
    let first = sign(&node.rpc, &prepare(&world, &chains).await.unwrap().psbt.unwrap().0).await.unwrap();
    // Of the same coin, with a higher fee: the network would replace the first one.
    let second = made_up(&node, &PAID).await;
    let kept = keep(&world, &chains, &first).await.unwrap();
    send_payouts(&world.grpc.db, &chains, &kept.txid).await.unwrap();
    let spent = keep(&world, &chains, &second).await.unwrap_err().sentence();
    assert!(spent.contains("spent by another transaction"), "{spent}");
    for wrong in ["", "AAAA", "cHNidP8B"] {
        assert!(keep(&world, &chains, wrong).await.unwrap_err().sentence().contains("This is no PSBT"), "{wrong}");
    }
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM signed_payouts").fetch_one(&world.pool).await.unwrap();
    assert_eq!(count, 1);
}

/// [D-N5] Change goes to an address of the platform that the treasury has the key of, so that the books stay exact. A wallet with
/// private keys is not used; without a wallet there are files alone.
#[sqlx::test(migrations = false)]
async fn change_returns_to_the_platform(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let address = node.wallet("getnewaddress", json!([])).await.unwrap();
    let info = node.wallet("getaddressinfo", json!([address])).await.unwrap();
    let script = info["scriptPubKey"].as_str().unwrap();
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    world.platform("BTC", "Bitcoin", &of_bitcoin_script(script).unwrap()).await;
    let (psbt, _) = prepare(&world, &chain(&node, TREASURY)).await.unwrap().psbt.unwrap();
    let read = node.rpc.call("decodepsbt", json!([psbt])).await.unwrap();
    let scripts: Vec<_> =
        read["tx"]["vout"].as_array().unwrap().iter().map(|one| &one["scriptPubKey"]["hex"]).collect();
    assert!(scripts.contains(&&json!(script)), "{scripts:?}");
    let refused = prepare(&world, &chain(&node, "miner")).await.unwrap_err().sentence();
    assert!(refused.contains("has private keys"), "{refused}");
    assert_eq!(prepare(&world, &chain(&node, "unknown")).await.unwrap().psbt, None);
    assert_eq!(prepare(&world, &[]).await.unwrap().psbt, None);
}

/// [D-N6] Change at a new address of the treasury's own wallet is ours: only the payout left, what is held is explained, and what is
/// paid from the change later is, too.
#[sqlx::test(migrations = false)]
async fn change_at_an_own_address_is_no_outflow(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    let (ours, regtest_address) = own(&node).await;
    world.platform("BTC", "Bitcoin", &ours).await;
    let [chain] = chain(&node, TREASURY);
    node.pay(&[(&regtest_address, 50_000_000)]).await.unwrap();
    node.mine(7).await.unwrap();
    read(&world, &chain).await;
    assert_eq!(explained(&holdings(&world).await, "BTC"), 50_000_000);
    let legacy = regtest(&node, LEGACY).await;
    let mut expected = 0;
    for round in 1..=2 {
        let watched = holdings(&world).await.holdings[0].addresses.clone();
        let of_platform = |one: &Value| {
            let script = one["scriptPubKey"].as_str().unwrap();
            watched.iter().any(|held| Some(&held.address) == of_bitcoin_script(script).as_ref())
        };
        let unspent = node.wallet("listunspent", json!([1])).await.unwrap();
        let inputs: Vec<_> = unspent.as_array().unwrap().iter().filter(|one| of_platform(one)).collect();
        let inputs: Vec<_> = inputs.iter().map(|one| json!({ "txid": one["txid"], "vout": one["vout"] })).collect();
        assert_eq!(inputs.len(), 1, "{unspent}");
        let options = json!({ "inputs": inputs, "add_inputs": false });
        let to = json!({ &legacy: coins(1_000_000) });
        node.wallet("send", json!([to, null, "unset", 10, options])).await.unwrap();
        for _ in 0..2 {
            read(&world, &chain).await;
        }
        node.mine(7).await.unwrap();
        read(&world, &chain).await;
        let found = holdings(&world).await;
        expected += 1;
        assert_eq!(found.outflows.len(), expected);
        let held = explained(&found, "BTC");
        assert!((50_000_000 - 1_000_000 * round - 20_000..50_000_000 - 1_000_000 * round).contains(&held), "{held}");
        assert_eq!(found.holdings[0].addresses.len(), expected + 1);
    }
}

/// [D-N5] The transactions of a batch file for a Safe pay exactly what was leased, in tokens and in ETH.
#[sqlx::test(migrations = false)]
async fn a_batch_file_pays_exactly(pool: PgPool) {
    let Some((node, _folder)) = anvil(EvmChain::Ethereum).await else { return };
    let world = World::new(pool).await;
    let payout = |address: &str, units: i128, contract: &str, decimals: u8| Payout {
        address: address.to_owned(),
        units: Units::new(units).unwrap(),
        contract: contract.to_owned(),
        decimals,
    };
    let paid = [payout(EVM, 2_924_415_116, ETHEREUM_USDT, 6), payout(EVM_2, 1_500_000_000_000_000_000, "", 18)];
    let prepared = prepare_payouts(&world.grpc.db, &[], "ERC20", &paid).await.unwrap();
    let file: Value = serde_json::from_str(&prepared.files[0].content).unwrap();
    assert_eq!((prepared.psbt, &file["chainId"]), (None, &json!("1")));
    node.send(ETHEREUM_USDT, 0, &call_data("40c10f19", &[address_word(RICH), number_word(10_000_000_000)]))
        .await
        .unwrap();
    for one in file["transactions"].as_array().unwrap() {
        let (to, data) = (one["to"].as_str().unwrap(), one["data"].as_str().unwrap_or("0x"));
        let hash = node.send(to, one["value"].as_str().unwrap().parse().unwrap(), data).await.unwrap();
        assert_eq!(node.receipt(&hash).await.unwrap()["status"], "0x1");
    }
    let balance = json!([{ "to": ETHEREUM_USDT, "data": call_data("70a08231", &[address_word(EVM)]) }, "latest"]);
    let balance = node.rpc.call("eth_call", balance).await.unwrap();
    assert_eq!(balance, json!(format!("0x{}", number_word(2_924_415_116))));
    let coins = node.rpc.call("eth_getBalance", json!([EVM_2, "latest"])).await.unwrap();
    assert_eq!(coins, json!("0x14d1120d7b160000"));
}
