//! Payments on real nodes, seen through the product. Where no node is installed, a line says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what is not installed")]

use std::time::Duration;

use play::{
    client::Client,
    request::PROOF,
    sweep::sweep,
    testing::{Member, Options, TestStack},
};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::{
    Replica, Service,
    nodes::{Anvil, EvmChain, Installed, RICH, transfer_data},
    pay::{account, pay, regtest},
    running::Running,
};
use tokio::time::{Instant, sleep, timeout};

/// Longer than the lease of an observer that died, and than the interval between two readings of balances.
const LIMIT: Duration = Duration::from_secs(150);

/// Reads until something holds.
async fn until(client: &Client, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let limit = Instant::now() + LIMIT;
    loop {
        let seen = client.get(path).await.unwrap().success().unwrap();
        if holds(&seen) {
            return seen;
        }
        assert!(Instant::now() < limit, "{path}: {seen}");
        sleep(Duration::from_millis(300)).await;
    }
}

/// Follows the member's event stream until it reports a payment.
async fn told_of_payment(mut stream: Response) {
    let mut read = String::new();
    while !read.contains("data: payment_method.v1.payment_changed") {
        let part = stream.chunk().await.unwrap().unwrap_or_else(|| panic!("the stream ended after {read}"));
        read.push_str(&String::from_utf8_lossy(&part));
    }
}

/// [D-Q1] [D-Q4] [D-Q5] [D-Q7] [D-Q9] A member pays the quoted amount for real. They learn when it arrives and see it become
/// confirmed; no event goes to another member. The reviewer sees the checks and the payment's value, and approves the payment
/// that was found. The approval of an older version of the evidence is refused.
#[tokio::test]
async fn a_deposit_is_seen_from_the_quote_to_the_balance() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, plans: true, ..Options::default() }).await.unwrap();
    let member = stack.member().await.unwrap();
    let method = member.platform_method("Bitcoin").await.unwrap();
    let quote = json!({ "direction": "deposit", "amount": 500, "method": method });
    let quote = member.client.post("/quotes", quote).await.unwrap().success().unwrap()["quote"].clone();
    let body = json!({ "amount": 500, "method": method, "receipt": PROOF, "type": "deposit", "quoteId": quote["id"] });
    let made = member.client.post("/transactions/deposit", body).await.unwrap().success().unwrap();
    let id = made["transaction"]["id"].as_str().unwrap();
    let payments = format!("/transactions/{id}/payments");
    until(&member.client, &payments, |seen| seen["evidence"]["at"].is_string()).await;
    let stranger = stack.member().await.unwrap();
    let open = async |client: &Client| client.request(Method::GET, "/events").send().await.unwrap();
    let (stream, strange) = (open(&member.client).await, open(&stranger.client).await);
    let txid = pay(&Running::of(&stack).unwrap(), &format!("TNX-{}", &id[..6]), None).await.unwrap();
    timeout(LIMIT, told_of_payment(stream)).await.unwrap();
    timeout(Duration::from_secs(1), told_of_payment(strange)).await.unwrap_err();
    let seen = until(&member.client, &payments, |seen| seen["evidence"]["payments"][0]["state"] == "seen").await;
    assert_eq!(seen["evidence"]["payments"][0]["txid"], json!(txid));
    assert_eq!(seen["evidence"]["payments"][0]["units"], quote["units"]);
    let reviewer = stack.staff("reviewer").await.unwrap();
    let review = format!("/admin/transactions/{id}");
    let early = reviewer.get(&review).await.unwrap().success().unwrap();
    stack.nodes().bitcoin.as_ref().unwrap().mine(2).await.unwrap();
    let state = |seen: &Value| seen["evidence"]["payments"][0]["state"].clone();
    let found = until(&reviewer, &review, |seen| state(seen) == "final").await;
    for name in ["payment_found", "payment_recipient", "payment_units", "payment_confirmations", "payment_time"] {
        let check = found["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap();
        assert_eq!(check["state"], "ok", "{check}");
    }
    assert_eq!(found["evidence"]["suggestedAmount"], json!(500));
    let approval = |seen: &Value| {
        json!({
            "revision": found["transaction"]["revision"], "receivedAmount": 500, "txid": txid,
            "vout": found["evidence"]["payments"][0]["index"], "evidenceAt": seen["evidence"]["at"],
        })
    };
    let path = format!("{review}/approve");
    assert_eq!(reviewer.post(&path, approval(&early)).await.unwrap().code(), Some("STALE_EVIDENCE"));
    reviewer.post(&path, approval(&found)).await.unwrap().success().unwrap();
    let member = member.client.get("/auth/check").await.unwrap().success().unwrap();
    assert_eq!(member["user"]["wallet"]["balance"], json!(500), "{}", member["user"]);
    stack.end().await.unwrap();
}

/// [D-Q6] [D-Q9] A deposit in USDT is found on Tron by its hash, without a quote. Before somebody claims the hash, the payment is
/// unclaimed, and may belong to an open deposit.
#[tokio::test]
async fn a_token_is_found_by_its_hash() {
    if Installed::find().unwrap().anvil.is_none() {
        return println!("anvil is not installed");
    }
    let mut stack = TestStack::with(Options { chains: true, ..Options::default() }).await.unwrap();
    let member = stack.member().await.unwrap();
    let method = member.platform_method("TRC20").await.unwrap();
    let running = Running::of(&stack).unwrap();
    let open = member.deposit("250.00").await.unwrap();
    let txid = pay(&running, &open, None).await.unwrap();
    let reviewer = stack.staff("reviewer").await.unwrap();
    let unclaimed = "/admin/payments/unclaimed";
    let hash = json!(txid.trim_start_matches("0x"));
    let listed = until(&reviewer, unclaimed, |seen| seen["payments"][0]["txid"] == hash).await;
    assert_eq!(listed["payments"][0]["candidates"][0]["id"], json!(open), "{listed}");
    let body = json!({ "amount": "250.00", "method": method, "receipt": PROOF, "type": "deposit", "txid": txid });
    let made = member.client.post("/transactions/deposit", body).await.unwrap().success().unwrap();
    let review = format!("/admin/transactions/{}", made["transaction"]["id"].as_str().unwrap());
    let claimed = reviewer.get(unclaimed).await.unwrap().success().unwrap();
    assert_eq!(claimed["payments"], json!([]));
    let found = until(&reviewer, &review, |seen| seen["evidence"]["payments"][0]["state"] == "included").await;
    let payment = &found["evidence"]["payments"][0];
    assert_eq!((&payment["asset"], &payment["units"]), (&json!("USDT"), &json!("250000000")));
    stack.end().await.unwrap();
}

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
async fn address(member: &Member, network: &str) -> String {
    let methods = member.client.get("/payment-methods").await.unwrap().success().unwrap();
    let mut methods = methods["paymentMethods"].as_array().unwrap().iter();
    let found = methods.find(|method| method["network"] == network && method["scope"] == "platform").unwrap();
    found["address"].as_str().unwrap().to_owned()
}

/// The two processes that observe the chains.
static OBSERVERS: [Replica; 2] = [Replica(Service::PaymentMethod, 0), Replica(Service::PaymentMethod, 1)];

/// Whether the lease of a look at a chain lasts for this many seconds more. It begins with a minute; after the look it is a second.
async fn is_leased(database: &mut PgConnection, chain: &str, seconds: f64) -> bool {
    let query =
        "SELECT leased_until > clock_timestamp() + make_interval(secs => $2) FROM chain_cursors WHERE chain = $1";
    sqlx::query_scalar(query).bind(chain).bind(seconds).fetch_one(database).await.unwrap()
}

/// Freezes both processes in the middle of a look at a chain.
async fn freeze_in_a_look(stack: &TestStack, database: &mut PgConnection, chain: &str) {
    let limit = Instant::now() + LIMIT;
    loop {
        while !is_leased(database, chain, 59.9).await {
            assert!(Instant::now() < limit, "nobody looks at {chain}");
            sleep(Duration::from_millis(2)).await;
        }
        OBSERVERS.into_iter().for_each(|one| stack.stop(one).unwrap());
        if is_leased(database, chain, 50.0).await {
            return;
        }
        OBSERVERS.into_iter().for_each(|one| stack.cont(one).unwrap());
    }
}

/// Reads the holdings until something holds. Meanwhile Tron gets blocks: without new ones a chain counts as stale.
async fn until_held(tron: &Anvil, staff: &Client, holds: impl Fn(&Value) -> bool) -> Value {
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
async fn send(tron: &Anvil, from: &str, to: &str, units: u128) -> String {
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

/// [D-Q4] [D-Q8] Cases 19 and 20: two processes observe the chains, and die by SIGKILL in the middle of looks while payments
/// arrive. Each payment is there once, and as much is held as the books say. What is stolen then is exactly the difference.
#[tokio::test]
async fn processes_that_die_miss_and_repeat_nothing() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let options = Options { chains: true, two_of_each: true, ..Options::default() };
    let mut stack = TestStack::with(options).await.unwrap();
    let member = stack.member().await.unwrap();
    let treasurer = stack.staff("treasurer").await.unwrap();
    let database = Running::of(&stack).unwrap().databases["payment-method"].clone();
    let mut database = PgConnection::connect(&database).await.unwrap();
    let ours = account(&address(&member, "TRC20").await).unwrap();
    let bitcoin = stack.nodes().bitcoin.clone().unwrap();
    let to = regtest(&bitcoin.rpc, &address(&member, "Bitcoin").await).await.unwrap();
    let tron = |stack: &TestStack| stack.nodes().evm.iter().position(|one| one.chain == EvmChain::Tron).unwrap();
    let state = |seen: &Value, asset: &str, chain: &str| {
        let mut all = seen["holdings"].as_array().unwrap().iter();
        let found = all.find(|one| one["asset"] == asset && one["chain"] == chain);
        found.map(|one| (one["state"].clone(), one["difference"].clone())).unwrap_or_default()
    };
    let right = (json!("ok"), json!("0"));
    // Own addresses of members are read once something arrived there.
    until_held(&stack.nodes().evm[tron(&stack)], &treasurer, |seen| state(seen, "USDT", "tron") == right).await;

    let (mut paid, mut units) = (Vec::new(), (0, 0));
    let rounds = [
        ("tron", &OBSERVERS[..1]),
        ("bitcoin", &OBSERVERS[1..]),
        ("tron", &OBSERVERS[..]),
        ("bitcoin", &OBSERVERS[..]),
    ];
    for (round, (chain, dying)) in (0_u32..).zip(rounds) {
        let (satoshi, micros) = (10_000 + u64::from(round), 5_000_000 + u128::from(round));
        let token = async |stack: &TestStack| {
            let node = &stack.nodes().evm[tron(stack)];
            node.pay_token(node.chain.usdt(), &ours, micros).await.unwrap()
        };
        paid.push(bitcoin.pay(&[(to.as_str(), satoshi)]).await.unwrap());
        paid.push(token(&stack).await);
        freeze_in_a_look(&stack, &mut database, chain).await;
        for one in OBSERVERS {
            if dying.contains(&one) {
                stack.kill(one).await.unwrap();
            } else {
                stack.cont(one).unwrap();
            }
        }
        paid.push(token(&stack).await);
        bitcoin.mine(1).await.unwrap();
        units = (units.0 + satoshi, units.1 + 2 * micros);
        for one in dying {
            stack.restart(*one).await.unwrap();
        }
    }
    let mut paid: Vec<_> = paid.iter().map(|hash| hash.trim_start_matches("0x").to_owned()).collect();
    paid.sort_unstable();
    let limit = Instant::now() + LIMIT;
    loop {
        let seen: Vec<String> = sqlx::query_scalar(
            "SELECT txid FROM chain_payments WHERE way = 'in' AND state IN ('included', 'final') ORDER BY txid COLLATE \"C\"",
        )
        .fetch_all(&mut database)
        .await
        .unwrap();
        if seen == paid {
            break;
        }
        assert!(Instant::now() < limit, "{seen:?} instead of {paid:?}");
        // Keeps Tron from being stale.
        stack.nodes().evm[tron(&stack)].mine(1).await.unwrap();
        sleep(Duration::from_millis(300)).await;
    }
    let sums: Vec<(String, i64)> = sqlx::query_as(
        "SELECT symbol, sum(units)::bigint FROM chain_payments WHERE way = 'in' GROUP BY symbol ORDER BY symbol",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    let expected =
        [("BTC".to_owned(), i64::try_from(units.0).unwrap()), ("USDT".to_owned(), i64::try_from(units.1).unwrap())];
    assert_eq!(sums, expected);

    let node = &stack.nodes().evm[tron(&stack)];
    send(node, &ours, RICH, 12_345_678).await;
    let stolen = (json!("fail"), json!("-12345678"));
    let seen = until_held(node, &treasurer, |seen| {
        state(seen, "USDT", "tron") == stolen && state(seen, "BTC", "bitcoin") == right
    })
    .await;
    assert_eq!(seen["outflows"].as_array().unwrap().len(), 1, "{seen}");
    assert_eq!(seen["outflows"][0]["units"], "12345678");
    stack.end().await.unwrap();
}
