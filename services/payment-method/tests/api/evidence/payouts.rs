//! Payouts, and payments for several.

use std::collections::BTreeSet;

use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::payment_method::v1::GetEvidenceRequest;
use serde_json::json;
use sqlx::PgPool;
use stack::nodes::{Bitcoind, coins};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::chain::{bitcoind, look, regtest};
use crate::evidence::{LEGACY, ask, evidence, quote, state, world};
use crate::fixture::BITCOIN;

/// [D-B8] [D-Q6] Case 10: one transaction pays two members. Each finds their own output, also by its hash alone, and neither
/// the other's.
#[sqlx::test(migrations = false)]
async fn a_batch_pays_two_members(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let members = [world.member().0, world.member().0];
    look(&world, &chain).await;
    let quotes = [quote(&world, members[0]).await, quote(&world, members[1]).await];
    let to = regtest(&node, BITCOIN).await;
    let txid = pay_twice(&node, &to, ("0.00500000", "0.00500001")).await;
    node.mine(3).await.unwrap();
    look(&world, &chain).await;
    let mut outputs = BTreeSet::new();
    for (member, quote) in members.into_iter().zip(&quotes) {
        for hash in ["", txid.as_str()] {
            let found = evidence(&world, member, Some(quote), hash).await.unwrap();
            assert!(found.checks.iter().all(|check| check.state == "ok"), "{found:?}");
            assert_eq!((found.payments.len(), &found.payments[0].units), (1, &quote.units));
            outputs.insert((found.payments[0].index, quote.units.clone()));
        }
    }
    let indexes: BTreeSet<_> = outputs.iter().map(|(index, _)| index).collect();
    assert_eq!((outputs.len(), indexes.len()), (2, 2));
}

/// A transaction with two outputs of these amounts to one address, which the node's own calls refuse to make.
pub(super) async fn pay_twice(node: &Bitcoind, to: &str, (one, other): (&str, &str)) -> String {
    let second = node.wallet("getnewaddress", json!(["", "bech32"])).await.unwrap();
    let second = second.as_str().unwrap();
    let script = async |address: &str| {
        let told = node.rpc.call("validateaddress", json!([address])).await.unwrap();
        told["scriptPubKey"].as_str().unwrap().to_owned()
    };
    let raw = node.rpc.call("createrawtransaction", json!([[], [{ to: one }, { second: other }]])).await.unwrap();
    let raw = raw.as_str().unwrap().replace(&script(second).await, &script(to).await);
    let funded = node.wallet("fundrawtransaction", json!([raw])).await.unwrap();
    let signed = node.wallet("signrawtransactionwithwallet", json!([funded["hex"]])).await.unwrap();
    let txid = node.rpc.call("sendrawtransaction", json!([signed["hex"]])).await.unwrap();
    node.settle().await.unwrap();
    txid.as_str().unwrap().to_owned()
}

/// [D-Q4] A payout is found by its destination, as the member wrote it, although the node of the test network writes it otherwise;
/// one to somebody else is not, and one from before the request neither. [M30] Who claims its hash as a deposit fails.
#[sqlx::test(migrations = false)]
async fn a_payout_is_found_by_its_destination(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    // The platform's address is one whose key the node has.
    let own = node.wallet("getnewaddress", json!(["", "bech32"])).await.unwrap();
    let script = address::script(Format::Bitcoin, own.as_str().unwrap()).unwrap();
    world.platform("BTC", "Bitcoin", &address::of_bitcoin_script(&script).unwrap()).await;
    let funds = node.pay(&[(own.as_str().unwrap(), 12_345_678)]).await.unwrap();
    node.mine(1).await.unwrap();
    look(&world, &chain).await;
    let vout = paid_out(&node, &funds, 12_345_678).await;
    let asked = |destination: &str, requested_at| GetEvidenceRequest {
        user_id: Uuid::now_v7().to_string(),
        is_payout: true,
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: destination.to_owned(),
        units_due: "400000".to_owned(),
        requested_at: Some(chassis::clock::to_proto(requested_at)),
        ..Default::default()
    };
    let requested_at = OffsetDateTime::now_utc();
    let waiting = ask(&world, asked(LEGACY, requested_at)).await.unwrap();
    assert_eq!((state(&waiting, "payment_found"), waiting.payments.len()), ("ok".to_owned(), 0));
    let to = regtest(&node, LEGACY).await;
    let inputs = json!({ "inputs": [{ "txid": funds, "vout": vout }], "add_inputs": false });
    node.wallet("send", json!([{ to: "0.00400000" }, null, "unset", 10, inputs])).await.unwrap();
    node.mine(2).await.unwrap();
    look(&world, &chain).await;
    let found = ask(&world, asked(LEGACY, requested_at)).await.unwrap();
    for name in ["payment_found", "payment_asset", "payment_recipient", "payment_units", "payment_confirmations"] {
        assert_eq!(state(&found, name), "ok", "{name} {found:?}");
    }
    assert_eq!((found.payments.len(), found.payments[0].counterparty.as_str()), (1, LEGACY));
    // Its hash is claimed as that of a deposit.
    let claimed = evidence(&world, Uuid::new_v4().into(), None, &found.payments[0].txid).await.unwrap();
    let line = claimed.checks.iter().find(|line| line.name == "payment_found").unwrap();
    let told = "It is one of our payouts, and pays nothing to the platform.";
    assert_eq!((line.state.as_str(), line.detail.as_str()), ("fail", told));
    for other in [asked(BITCOIN, requested_at), asked(LEGACY, OffsetDateTime::now_utc())] {
        let unpaid = ask(&world, other).await.unwrap();
        assert_eq!((state(&unpaid, "payment_found"), unpaid.payments.len()), ("ok".to_owned(), 0));
    }
}

/// Which output of a transaction has this many satoshi.
async fn paid_out(node: &Bitcoind, txid: &str, satoshi: u64) -> u64 {
    let seen = node.rpc.call("getrawtransaction", json!([txid, true])).await.unwrap();
    let outputs = seen["vout"].as_array().unwrap();
    let found = outputs.iter().find(|out| {
        // The digits as the node wrote them.
        let value = out["value"].to_string();
        value == coins(satoshi)
    });
    found.unwrap()["n"].as_u64().unwrap()
}
