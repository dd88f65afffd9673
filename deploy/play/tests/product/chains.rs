//! Payments on real nodes, seen through the product. Where no node is installed, a line says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what is not installed")]

mod observers;
mod own_addresses;
mod payouts;

use std::time::Duration;

use play::client::Client;
use play::request::PROOF;
use play::testing::{Options, TestStack};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use stack::nodes::Installed;
use stack::running::Running;
use stack::treasurer::pay::pay;
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
