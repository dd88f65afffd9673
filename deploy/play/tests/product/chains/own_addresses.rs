//! Addresses of the platform's own keys.

use std::time::Duration;

use play::request::PROOF;
use play::sweep::sweep;
use play::testing::{Member, Options, TestStack};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::Service;
use stack::nodes::{EvmChain, Installed, RICH};
use stack::running::Running;
use stack::treasurer::pay::{account, pay};
use tokio::time::{Instant, sleep};

use crate::chains::payouts::send;
use crate::chains::{LIMIT, until};

/// Extended public keys of the mnemonic that the standards use in their examples: nobody pays to them in earnest.
const KEYS: [(&str, &str, &str); 2] = [
    (
        "BTC",
        "Bitcoin",
        "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
    ),
    (
        "USDT",
        "TRC20",
        "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",
    ),
];

/// Two treasurers give a platform method another address or key.
async fn replace_address(stack: &TestStack, method: &str, fields: Value) {
    let (first, second) = (stack.staff("treasurer").await.unwrap(), stack.staff("treasurer2").await.unwrap());
    let path = format!("/admin/payment-methods/{method}");
    let proposal = first.put(&path, fields).await.unwrap().success().unwrap();
    let confirm = format!("/admin/proposals/{}/confirm", proposal["proposalId"].as_str().unwrap());
    second.post(&confirm, json!({})).await.unwrap().success().unwrap();
}

/// [D-N2] [D-N3] Deposits to own addresses on Bitcoin and Tron arrive short of the fee of an exchange. No hash is needed: the member sees
/// what arrived and what it was worth, the checklist names the own address, and one reviewer approves it as proven.
#[tokio::test]
async fn a_deposit_short_of_a_fee_is_found_at_its_own_address() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, ..Options::default() }).await.unwrap();
    stack.publish_rates().await.unwrap();
    let member = stack.member().await.unwrap();
    let reviewer = stack.staff("reviewer").await.unwrap();
    for (currency, network, key) in KEYS {
        let method = member.platform_method(network).await.unwrap();
        replace_address(&stack, &method, json!({ "currency": currency, "network": network, "address": key })).await;
        let shown = address(&member, network).await;
        let quote = json!({ "direction": "deposit", "amount": 500, "method": method });
        let quote = member.client.post("/quotes", quote).await.unwrap().success().unwrap()["quote"].clone();
        assert_eq!(quote["derivation"]["key"], json!(key));
        assert_eq!(quote["address"] == json!(shown), network == "TRC20", "one a member, or one a deposit");
        let body =
            json!({ "amount": 500, "method": method, "receipt": PROOF, "type": "deposit", "quoteId": quote["id"] });
        let made = member.client.post("/transactions/deposit", body).await.unwrap().success().unwrap();
        let id = made["transaction"]["id"].as_str().unwrap();
        let due: u128 = quote["units"].as_str().unwrap().parse().unwrap();
        let paid = due - due / 500;
        let payments = format!("/transactions/{id}/payments");
        until(&member.client, &payments, |seen| seen["evidence"]["at"].is_string()).await;
        pay(&Running::of(&stack).unwrap(), id, Some(paid)).await.unwrap();
        let found = |seen: &Value| seen["evidence"]["payments"][0]["units"] == json!(paid.to_string());
        let seen = until(&member.client, &payments, found).await;
        assert_eq!(seen["evidence"]["suggestedAmount"].as_f64().unwrap().floor(), 499.0, "{seen}");
        let arrived = member.client.get("/payment-methods").await.unwrap().success().unwrap()["arrived"].clone();
        assert_eq!(arrived[0]["units"], json!(paid.to_string()), "{arrived}");
        assert!(arrived[0]["value"].as_f64().unwrap() > 490.0, "{arrived}");
        stack.nodes().bitcoin.as_ref().unwrap().mine(2).await.unwrap();
        for node in &stack.nodes().evm {
            node.mine(70).await.unwrap();
        }
        let review = format!("/admin/transactions/{id}");
        let final_one = |seen: &Value| seen["evidence"]["payments"][0]["state"] == "final";
        let seen = until(&reviewer, &review, final_one).await;
        let checks = seen["checks"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["name"] != "payment_quote"), "{checks:?}");
        let recipient = checks.iter().find(|check| check["name"] == "payment_recipient").unwrap();
        assert!(
            recipient["state"] == "ok" && recipient["detail"].as_str().unwrap().contains("own address"),
            "{recipient}"
        );
        let evidence = &seen["evidence"];
        let approval = json!({
            "revision": seen["transaction"]["revision"], "receivedAmount": evidence["suggestedAmount"],
            "txid": evidence["payments"][0]["txid"], "vout": evidence["payments"][0]["index"], "evidenceAt": evidence["at"],
        });
        let approved = reviewer.post(&format!("{review}/approve"), approval).await.unwrap().success().unwrap();
        assert_eq!(approved["transaction"]["status"], "success", "one reviewer, without a note: {approved}");
    }
    let none = |seen: &Value| seen["arrived"].as_array().is_none_or(Vec::is_empty);
    until(&member.client, "/payment-methods", none).await;
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    // [M31] Rows of both databases agree on a payment that no chain has: a node does not show it.
    for (service, forgery) in [
        (
            Service::PaymentMethod,
            "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, height, block_hash,
                block_at, replaced_by, seen_at, changed_at, waits)
             SELECT chain, txid, idx, way, symbol, address, counterparty, units * 2, depth, state, height, block_hash, block_at,
                replaced_by, seen_at, changed_at, waits
             FROM (SELECT chain, reverse(txid) AS txid, idx, way, symbol, address, counterparty, units, depth, state, height,
                block_hash, block_at, replaced_by, seen_at, changed_at, waits FROM chain_payments WHERE way = 'in') AS real",
        ),
        (
            Service::Wallet,
            "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
             SELECT chain, reverse(txid), vout, direction, gen_random_uuid(), asset, units * 2, now()
             FROM consumed_payments WHERE units IS NOT NULL",
        ),
    ] {
        let mut database = PgConnection::connect(&stack.databases().owner_url(service).unwrap()).await.unwrap();
        sqlx::query(forgery).execute(&mut database).await.unwrap();
    }
    let broken = stack.broken_promises().await.unwrap();
    for chain in ["bitcoin", "tron"] {
        let promise = format!("{chain}: a node shows");
        assert!(broken.iter().any(|verdict| verdict.promise.starts_with(&promise)), "{broken:?}");
    }
    stack.end().await.unwrap();
}

/// Requests a deposit of $500 at a quote and pays it; what it was to be paid with.
async fn pay_in(stack: &TestStack, member: &Member, network: &str) -> u128 {
    let method = member.platform_method(network).await.unwrap();
    let quote = json!({ "direction": "deposit", "amount": 500, "method": method });
    let quote = member.client.post("/quotes", quote).await.unwrap().success().unwrap()["quote"].clone();
    assert!(quote["derivation"]["path"].is_string(), "a seeded own address: {quote}");
    let body = json!({ "amount": 500, "method": method, "receipt": PROOF, "type": "deposit", "quoteId": quote["id"] });
    let made = member.client.post("/transactions/deposit", body).await.unwrap().success().unwrap();
    pay(&Running::of(stack).unwrap(), made["transaction"]["id"].as_str().unwrap(), None).await.unwrap();
    quote["units"].as_str().unwrap().parse().unwrap()
}

/// [D-N2] [D-N6] The local stack starts with keys of its own wallet for Bitcoin and Ethereum, signed by its treasury key. What members paid
/// to their own addresses is listed, swept to the cold storage and recorded as a movement of two treasurers: afterwards nothing is
/// listed, nothing is missing, and nothing left without an explanation.
#[tokio::test]
async fn own_addresses_are_swept() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, ..Options::default() }).await.unwrap();
    stack.publish_rates().await.unwrap();
    let running = Running::of(&stack).unwrap();
    let nodes: Vec<_> = stack.nodes().evm.iter().map(|node| node.rpc.clone()).collect();
    // Without new blocks a chain counts as stale.
    let mining = tokio::spawn(async move {
        loop {
            for node in &nodes {
                drop(node.call("anvil_mine", json!(["0x1"])).await);
            }
            sleep(Duration::from_secs(1)).await;
        }
    });
    let treasurer = stack.staff("treasurer").await.unwrap();
    let seeded = treasurer.get("/admin/payment-methods").await.unwrap().success().unwrap();
    let signed = |method: &&Value| method["current"]["signature"].is_string();
    assert_eq!(seeded["paymentMethods"].as_array().unwrap().iter().filter(signed).count(), 2, "{seeded}");
    for (chain, network, members) in [("bitcoin", "Bitcoin", 2), ("ethereum", "ERC20", 2)] {
        assert_eq!(sweep(&running, stack.folder(), chain).await.unwrap(), [""; 0]);
        let mut paid = 0;
        for _ in 0..members {
            paid += pay_in(&stack, &stack.member().await.unwrap(), network).await;
        }
        stack.nodes().bitcoin.as_ref().unwrap().mine(2).await.unwrap();
        let held = |seen: &Value, units: u128| {
            let found = seen["holdings"].as_array().unwrap().iter().find(|one| one["chain"] == chain);
            found.is_some_and(|one| one["units"] == json!(units.to_string()) && one["difference"] == "0")
        };
        until(&treasurer, "/admin/holdings", |seen| held(seen, paid)).await;
        let swept = sweep(&running, stack.folder(), chain).await.unwrap();
        assert_eq!(swept.len(), if chain == "bitcoin" { 1 } else { members }, "{swept:?}");
        stack.nodes().bitcoin.as_ref().unwrap().mine(1).await.unwrap();
        let limit = Instant::now() + LIMIT;
        while !sweep(&running, stack.folder(), chain).await.is_ok_and(|left| left.is_empty()) {
            assert!(Instant::now() < limit, "what was swept is still listed");
            sleep(Duration::from_secs(1)).await;
        }
        let seen = treasurer.get("/admin/holdings").await.unwrap().success().unwrap();
        let found = seen["holdings"].as_array().unwrap().iter().find(|one| one["chain"] == chain).unwrap();
        assert_eq!((&found["difference"], &seen["outflows"]), (&json!("0"), &json!([])), "{seen}");
        let treasury = treasurer.get("/admin/treasury").await.unwrap().success().unwrap();
        let moved = treasury["movements"].as_array().unwrap().iter().filter(|one| one["kind"] == "sweep").count();
        assert!(moved >= swept.len(), "{treasury}");
    }
    // What two treasurers explain otherwise is no alarm either, and the audit knows it.
    let tron = stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Tron).unwrap();
    let shared = account(&address(&stack.member().await.unwrap(), "TRC20").await).unwrap();
    tron.pay_token(tron.chain.usdt(), &shared, 9_000_000).await.unwrap();
    let txid = send(tron, &shared, RICH, 5_000_000).await;
    until(&treasurer, "/admin/holdings", |seen| seen["outflows"][0]["txid"] == json!(txid)).await;
    let body = json!({ "kind": "refund", "amount": 0, "network": "TRC20", "txid": txid, "note": "Sent back" });
    let proposal = treasurer.post("/admin/treasury/movements", body).await.unwrap().success().unwrap();
    let confirm = format!("/admin/proposals/{}/confirm", proposal["proposalId"].as_str().unwrap());
    stack.staff("treasurer2").await.unwrap().post(&confirm, json!({})).await.unwrap().success().unwrap();
    until(&treasurer, "/admin/holdings", |seen| seen["outflows"] == json!([])).await;
    let mut database =
        PgConnection::connect(&stack.databases().owner_url(Service::PaymentMethod).unwrap()).await.unwrap();
    let limit = Instant::now() + LIMIT;
    let matched = "SELECT transaction_id IS NOT NULL FROM chain_payments WHERE way = 'out' AND txid = $1";
    while !sqlx::query_scalar::<_, bool>(matched).bind(&txid).fetch_one(&mut database).await.unwrap() {
        assert!(Instant::now() < limit, "the movement accounts for nothing");
        sleep(Duration::from_secs(1)).await;
    }
    mining.abort();
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    stack.end().await.unwrap();
}

/// A platform address on a network.
pub(super) async fn address(member: &Member, network: &str) -> String {
    let methods = member.client.get("/payment-methods").await.unwrap().success().unwrap();
    let mut methods = methods["paymentMethods"].as_array().unwrap().iter();
    let found = methods.find(|method| method["network"] == network && method["scope"] == "platform").unwrap();
    found["address"].as_str().unwrap().to_owned()
}
