//! A batch of Bitcoin payouts, in a product whose processes die. Where no node is installed, a line says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what is not installed")]

use std::time::Duration;

use play::testing::{Options, TestStack};
use serde_json::{Value, json};
use stack::{Service, nodes::Installed, treasurer::sign};
use tokio::time::{Instant, sleep};

const LIMIT: Duration = Duration::from_secs(90);
const DESTINATIONS: [&str; 2] = ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"];

/// [D-N5] [D-N4] The wallet dies before a signed batch is recorded, and then after that and before it is sent; payment-method dies, too. The batch is
/// sent once, and when the treasurer repeats the request nothing is sent or recorded again.
#[tokio::test]
async fn a_batch_is_sent_once_no_matter_what_dies() {
    if Installed::find().unwrap().bitcoind.is_none() {
        return println!("bitcoind is not installed");
    }
    let options = Options { chains: true, crash_points: true, ..Options::default() };
    let mut stack = TestStack::with(options).await.unwrap();
    stack.publish_rates().await.unwrap();
    let treasurer = stack.staff("treasurer").await.unwrap();
    let bitcoin = stack.nodes().bitcoin.as_ref().unwrap().rpc.clone();
    let mut payouts = Vec::new();
    for destination in DESTINATIONS {
        payouts.push(leased(&stack, destination).await);
    }
    let paths: Vec<_> =
        payouts.iter().map(|one| format!("/admin/transactions/{}", one["id"].as_str().unwrap())).collect();
    let prepare = json!({ "payouts": payouts });
    let prepared = treasurer.post("/admin/payouts/prepare", prepare).await.unwrap().success().unwrap();
    let psbt = sign::psbt(&bitcoin, prepared["psbt"].as_str().unwrap()).await.unwrap();
    let body = json!({ "payouts": payouts, "psbt": psbt });
    let waiting = async || bitcoin.call("getrawmempool", json!([])).await.unwrap();

    for (point, is_recorded) in [("idempotency.before_commit", false), ("idempotency.after_commit", true)] {
        stack.arm(Service::Wallet, point).unwrap();
        let answer = treasurer.post_keyed("/admin/payouts/send", "the batch", body.clone()).await.unwrap();
        assert!(answer.status >= 500, "{point}: nothing died, are crash points built in? {}", answer.body);
        assert_eq!(waiting().await, json!([]), "{point}: nothing was sent");
        back(&mut stack, Service::Wallet).await;
        for path in &paths {
            let one = treasurer.get(path).await.unwrap().success().unwrap()["transaction"].clone();
            assert_eq!(one["sentAt"].is_string(), is_recorded, "{point}: {one}");
        }
    }
    // The process that comes back sends what was recorded.
    let limit = Instant::now() + LIMIT;
    while waiting().await == json!([]) {
        assert!(Instant::now() < limit, "the batch is not sent");
        sleep(Duration::from_millis(300)).await;
    }
    stack.kill(Service::PaymentMethod).await.unwrap();
    back(&mut stack, Service::PaymentMethod).await;
    let again = treasurer.post_keyed("/admin/payouts/send", "the batch", body).await.unwrap().success().unwrap();
    assert_eq!(waiting().await, json!([again["txid"]]));

    let node = stack.nodes().bitcoin.as_ref().unwrap();
    let limit = Instant::now() + LIMIT;
    for path in &paths {
        while treasurer.get(path).await.unwrap().success().unwrap()["transaction"]["status"] != "success" {
            assert!(Instant::now() < limit, "{path} is not final");
            node.mine(1).await.unwrap();
            sleep(Duration::from_secs(1)).await;
        }
    }
    let transaction = bitcoin.call("getrawtransaction", json!([again["txid"], true])).await.unwrap();
    // Two payouts and the change.
    assert_eq!(transaction["vout"].as_array().unwrap().len(), 3, "{transaction}");
    assert_eq!(treasurer.get("/admin/holdings").await.unwrap().success().unwrap()["outflows"], json!([]));
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    stack.end().await.unwrap();
}

/// A withdrawal that the first treasurer is paying, as a batch names it.
async fn leased(stack: &TestStack, destination: &str) -> Value {
    let member = stack.member_with("5000.00").await.unwrap();
    let method = member.platform_method("Bitcoin").await.unwrap();
    let body = json!({ "amount": 500, "method": method, "address": destination });
    let made = member.client.post("/transactions/withdraw", body).await.unwrap().success().unwrap();
    let id = made["transaction"]["id"].as_str().unwrap();
    stack.confirm_destination(&member, id).await.unwrap();
    let path = format!("/admin/transactions/{id}");
    let (reviewer, treasurer) = (stack.staff("reviewer").await.unwrap(), stack.staff("treasurer").await.unwrap());
    for (person, act) in [(&reviewer, "approve"), (&treasurer, "paying")] {
        let revision = person.get(&path).await.unwrap().success().unwrap()["transaction"]["revision"].clone();
        let done = person.post(&format!("{path}/{act}"), json!({ "revision": revision })).await.unwrap();
        done.success().unwrap();
    }
    let revision = treasurer.get(&path).await.unwrap().success().unwrap()["transaction"]["revision"].clone();
    json!({ "id": id, "revision": revision })
}

/// Starts a process again that has died, or is about to.
async fn back(stack: &mut TestStack, service: Service) {
    let limit = Instant::now() + LIMIT;
    while let Err(error) = stack.restart(service).await {
        assert!(Instant::now() < limit, "{error}");
        sleep(Duration::from_millis(100)).await;
    }
}
