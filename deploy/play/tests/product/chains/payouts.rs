//! Payouts and the blockchain transactions that make them.

use std::time::Duration;

use play::client::Client;
use play::testing::{Options, TestStack};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::Service;
use stack::nodes::{Anvil, EvmChain, Installed, transfer_data};
use stack::treasurer::pay::account;
use tokio::time::{Instant, sleep};

use crate::chains::own_addresses::address;
use crate::chains::{LIMIT, until};

/// Reads the holdings until something holds. Meanwhile Tron gets blocks: without new ones a chain counts as stale.
pub(super) async fn until_held(tron: &Anvil, staff: &Client, holds: impl Fn(&Value) -> bool) -> Value {
    let limit = Instant::now() + LIMIT;
    loop {
        tron.mine(1).await.unwrap();
        let seen = staff.get("/admin/holdings").await.unwrap().success().unwrap();
        if holds(&seen) {
            return seen;
        }
        assert!(Instant::now() < limit, "{seen}");
        sleep(Duration::from_millis(300)).await;
    }
}

/// Sends this much USDT from an address of the platform, and returns the hash.
pub(super) async fn send(tron: &Anvil, from: &str, to: &str, units: u128) -> String {
    tron.rpc.call("anvil_impersonateAccount", json!([from])).await.unwrap();
    tron.rpc.call("anvil_setBalance", json!([from, "0xde0b6b3a7640000"])).await.unwrap();
    let transfer =
        json!([{ "from": from, "to": tron.chain.usdt(), "data": transfer_data(to, units), "gas": "0x7a120" }]);
    let hash = tron.rpc.call("eth_sendTransaction", transfer).await.unwrap();
    assert_eq!(tron.receipt(hash.as_str().unwrap()).await.unwrap()["status"], "0x1");
    hash.as_str().unwrap().trim_start_matches("0x").to_owned()
}

/// [D-N4] A payout that the chain shows stays the payout when its lease ends: no treasurer starts, rejects or pays it again,
/// until one of them attaches it.
#[tokio::test]
async fn a_payout_on_the_chain_is_attached_first() {
    if Installed::find().unwrap().anvil.is_none() {
        return println!("anvil is not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, ..Options::default() }).await.unwrap();
    stack.publish_rates().await.unwrap();
    let Leased { path, ours, revision, units } = leased(&stack).await;
    let (first, second) = (stack.staff("treasurer").await.unwrap(), stack.staff("treasurer2").await.unwrap());
    let [paying, paid, reject] = ["paying", "paid", "reject"].map(|act| format!("{path}/{act}"));

    let tron = stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Tron).unwrap();
    tron.pay_token(tron.chain.usdt(), &ours, 1_500_000_000).await.unwrap();
    let txid = send(tron, &ours, &account(DESTINATION).unwrap(), units).await;
    let found = until(&second, &path, |seen| seen["evidence"]["payments"][0]["txid"] == json!(txid)).await;
    let index = found["evidence"]["payments"][0]["index"].clone();
    let mut wallet = PgConnection::connect(&stack.databases().owner_url(Service::Wallet).unwrap()).await.unwrap();
    sqlx::query("UPDATE transactions SET paying_until = now() WHERE paying_by IS NOT NULL")
        .execute(&mut wallet)
        .await
        .unwrap();
    for (path, body) in [
        (&paying, json!({ "revision": revision })),
        (&reject, json!({ "revision": revision, "reasonCode": "PAYOUT_FAILED" })),
        (&paid, json!({ "revision": revision, "txid": "cd".repeat(32) })),
    ] {
        let no = second.post(path, body).await.unwrap();
        assert_eq!((no.status, no.code()), (409, Some("PAYOUT_SEEN")), "{path}: {}", no.body);
    }
    let body = json!({ "revision": revision, "txid": txid, "vout": index });
    let done = second.post(&paid, body).await.unwrap().success().unwrap();
    assert_eq!(done["transaction"]["status"], json!("pending"), "{done}");
    let sent = first.get(&path).await.unwrap().success().unwrap();
    assert!(sent["transaction"]["sentAt"].is_string(), "{sent}");
    until_paid(&stack, &first, &path).await;
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    stack.end().await.unwrap();
}

/// [D-N4] [M7] A payout with an invented hash is not paid: the member's withdrawal stays open until two treasurers name the
/// transaction that pays it, and that is final. The wallet that pays it need not be one of the platform's.
#[tokio::test]
async fn a_wrong_hash_is_corrected_by_two() {
    if Installed::find().unwrap().anvil.is_none() {
        return println!("anvil is not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, ..Options::default() }).await.unwrap();
    stack.publish_rates().await.unwrap();
    let Leased { path, revision, units, .. } = leased(&stack).await;
    let (first, second) = (stack.staff("treasurer").await.unwrap(), stack.staff("treasurer2").await.unwrap());
    let body = json!({ "revision": revision, "txid": "cd".repeat(32) });
    let sent = first.post(&format!("{path}/paid"), body).await.unwrap().success().unwrap();
    assert_eq!(sent["transaction"]["status"], json!("pending"), "{sent}");
    let tron = stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Tron).unwrap();
    let txid = tron.pay_token(tron.chain.usdt(), &account(DESTINATION).unwrap(), units).await.unwrap();
    tron.mine(80).await.unwrap();
    let correction = json!({ "outcome": "other_transaction", "txid": txid, "note": "The hash was of another payout." });
    let proposed = first.post(&format!("{path}/correct-payout"), correction).await.unwrap().success().unwrap();
    let confirm = format!("/admin/proposals/{}/confirm", proposed["proposal"]["id"].as_str().unwrap());
    assert_eq!(first.post(&confirm, json!({})).await.unwrap().status, 403);
    assert_eq!(first.get(&path).await.unwrap().success().unwrap()["transaction"]["status"], json!("pending"));
    second.post(&confirm, json!({})).await.unwrap().success().unwrap();
    until_paid(&stack, &first, &path).await;
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    stack.end().await.unwrap();
}

/// Where members are paid to.
const DESTINATION: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";

/// A payout of USDT on Tron that the first treasurer leased.
struct Leased {
    path: String,
    /// The platform's account.
    ours: String,
    revision: Value,
    /// What was fixed.
    units: u128,
}

async fn leased(stack: &TestStack) -> Leased {
    let member = stack.member_with("5000.00").await.unwrap();
    let ours = account(&address(&member, "TRC20").await).unwrap();
    let method = member.platform_method("TRC20").await.unwrap();
    let body = json!({ "amount": 1500, "method": method, "address": DESTINATION });
    let made = member.client.post("/transactions/withdraw", body).await.unwrap().success().unwrap();
    let id = made["transaction"]["id"].as_str().unwrap();
    stack.confirm_destination(&member, id).await.unwrap();
    let path = format!("/admin/transactions/{id}");
    let reviewer = stack.staff("reviewer").await.unwrap();
    let revision = reviewer.get(&path).await.unwrap().success().unwrap()["transaction"]["revision"].clone();
    let approved = reviewer.post(&format!("{path}/approve"), json!({ "revision": revision })).await.unwrap();
    approved.success().unwrap();
    let first = stack.staff("treasurer").await.unwrap();
    let revision = first.get(&path).await.unwrap().success().unwrap()["transaction"]["revision"].clone();
    first.post(&format!("{path}/paying"), json!({ "revision": revision })).await.unwrap().success().unwrap();
    let leased = first.get(&path).await.unwrap().success().unwrap()["transaction"].clone();
    let units = leased["payout"]["units"].as_str().unwrap().parse().unwrap();
    Leased { path, ours, revision: leased["revision"].clone(), units }
}

/// Waits until a payout succeeds. Meanwhile Tron gets blocks.
async fn until_paid(stack: &TestStack, staff: &Client, path: &str) {
    let tron = stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Tron).unwrap();
    let limit = Instant::now() + LIMIT;
    loop {
        tron.mine(20).await.unwrap();
        let seen = staff.get(path).await.unwrap().success().unwrap();
        if seen["transaction"]["status"] == json!("success") {
            return;
        }
        assert!(Instant::now() < limit, "{seen}");
        sleep(Duration::from_secs(1)).await;
    }
}
