//! Processes die at any moment of a flow that crosses services: what was begun ends or is undone, and no cent is lost.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use stack::testing::{Member, Options, TestStack};
use stack::{Service, client::Answer};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// An address that nobody deposits to.
const DESTINATION: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
/// Dollars that a member begins with.
const START: i64 = 20_000;

async fn trades(member: &Member) -> Result<Vec<Value>> {
    let list = member.client.get("/trades?status=all").await?.success()?;
    Ok(list["trades"].as_array().context("a list")?.clone())
}

/// Asks until an answer is final, with the same key, as a careful client does.
async fn insist(ask: impl AsyncFn() -> Result<Answer>) -> Result<Answer> {
    let limit = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = ask().await;
        if let Ok(answer) = &answer
            && answer.status < 500
            && answer.code() != Some("IDEMPOTENCY_KEY_IN_FLIGHT")
        {
            return Ok(answer.clone());
        }
        ensure!(Instant::now() < limit, "no final answer in time, at last {answer:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

/// Begins a trade, ends two others and requests a withdrawal at once; nobody minds the connections that break.
fn begin_everything(member: &Member, plan: &str, method: &str, open: &[String], round: usize) -> JoinSet<()> {
    let mut flows = JoinSet::new();
    let (client, body) = (member.client.clone(), json!({ "planId": plan, "amount": 250 }));
    flows.spawn(async move { drop(client.post_keyed("/trades/create", &format!("open-{round}"), body).await) });
    for (number, id) in open.iter().take(2).enumerate() {
        let (client, id) = (member.client.clone(), id.clone());
        flows.spawn(async move {
            let ended = if number == 0 {
                client.put(&format!("/trades/claim/{id}"), json!({})).await
            } else {
                client.delete(&format!("/trades/close/{id}")).await
            };
            drop(ended);
        });
    }
    let (client, body) = (member.client.clone(), json!({ "amount": 100, "method": method, "address": DESTINATION }));
    flows.spawn(async move { drop(client.post_keyed("/transactions/withdraw", &format!("out-{round}"), body).await) });
    flows
}

/// No trade is between two steps.
async fn settled(member: &Member) -> Result<()> {
    let limit = Instant::now() + Duration::from_secs(10);
    loop {
        let under_way: Vec<_> = trades(member)
            .await?
            .into_iter()
            .filter(|trade| !["open", "claimed", "closed", "failed"].iter().any(|status| trade["status"] == *status))
            .collect();
        if under_way.is_empty() {
            return Ok(());
        }
        ensure!(Instant::now() < limit, "still under way after 10 s: {under_way:?}");
        sleep(Duration::from_millis(100)).await;
    }
}

/// [D-I4] [D-I5] [D-W2] [D-G4] Killed between any two steps of open, claim, close or withdraw, wallet and trade settle
/// within ten seconds of their return: nothing stays under way, every key has one answer, and the audit is clean.
/// (Invariants T1 to T4, K6, L1 to L12.)
#[tokio::test]
async fn what_was_begun_ends_or_is_undone() -> Result<()> {
    let mut stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    let member = stack.member_with(&format!("{START}.00")).await?;
    let method = member.platform_method("TRC20").await?;
    let plans = member.client.get("/plans").await?.success()?;
    let plan = plans["plans"].as_array().into_iter().flatten().find(|plan| plan["title"] == "Starter");
    let plan = plan.and_then(|plan| plan["id"].as_str()).context("a plan")?.to_owned();
    for number in 0..4 {
        let body = json!({ "planId": plan, "amount": 300 });
        member.client.post_keyed("/trades/create", &format!("first-{number}"), body).await?.success()?;
    }
    // The moments lie around the few milliseconds that a flow takes.
    for (round, wait) in [0, 2, 4, 6, 8, 10, 12, 15, 18, 22, 28, 35].into_iter().enumerate() {
        let open = trades(&member).await?.into_iter().filter(|trade| trade["status"] == "open");
        let open: Vec<String> = open.filter_map(|trade| trade["id"].as_str().map(str::to_owned)).collect();
        let mut flows = begin_everything(&member, &plan, &method, &open, round);
        sleep(Duration::from_millis(wait)).await;
        let victim = if round % 2 == 0 { Service::Wallet } else { Service::Trade };
        stack.kill(victim).await?;
        while flows.join_next().await.is_some() {}
        stack.restart(victim).await?;
        settled(&member).await.with_context(|| format!("round {round}, killed after {wait} ms"))?;
        let body = json!({ "planId": plan, "amount": 250 });
        let ask = async || member.client.post_keyed("/trades/create", &format!("open-{round}"), body.clone()).await;
        let first = insist(ask).await?;
        assert_eq!(first.body["trade"]["id"], insist(ask).await?.body["trade"]["id"], "round {round}");
        assert_eq!(stack.broken_promises().await?, [], "round {round}, killed after {wait} ms");
    }
    let wallet = member.client.get("/auth/check").await?.success()?["user"]["wallet"]["balance"].clone();
    assert!(wallet.as_f64().is_some_and(|dollars| dollars > 0.0 && dollars < 20_000.0), "{wallet}");
    Ok(())
}
