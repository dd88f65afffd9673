//! Load for drills such as a backup under way: deposits that staff approve, trades that are opened and ended, and
//! withdrawals, until it is stopped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::sleep;
use uuid::Uuid;

use crate::client::{Answer, Client};
use crate::demo::{self, DESTINATION, EMAIL, PASSWORD};
use crate::seed::STAFF_PASSWORD;
use crate::testing::{NOTE, PROOF, txid};

/// What was acknowledged, and what was not.
#[derive(Debug, Default)]
pub struct Counts {
    deposits: AtomicU64,
    opened: AtomicU64,
    ended: AtomicU64,
    withdrawals: AtomicU64,
    refused: AtomicU64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        write!(
            formatter,
            "deposits={} opened={} ended={} withdrawals={} refused={}",
            count(&self.deposits),
            count(&self.opened),
            count(&self.ended),
            count(&self.withdrawals),
            count(&self.refused),
        )
    }
}

/// Keeps the demo member at work on the product at `url` until `stop` says so.
///
/// # Errors
/// If no member can log in, or the product has no plan or method.
pub async fn keep_going(url: &str, mut stop: watch::Receiver<bool>) -> Result<Counts> {
    let visitor = Client::new(url).patient();
    let member = visitor.login(EMAIL, PASSWORD).await?;
    let reviewer = visitor.login("reviewer@solvane.test", STAFF_PASSWORD).await?;
    let methods = member.get("/payment-methods").await?.success()?;
    let method = demo::method(&methods, "TRC20")?;
    let plans = member.get("/plans").await?.success()?;
    let plans = plans["plans"].as_array().context("plans")?;
    let plan = plans.iter().find(|plan| plan["title"] == "Starter").and_then(|plan| plan["id"].as_str());
    let (plan, counts) = (plan.context("a plan")?.to_owned(), Counts::default());
    let working = async {
        tokio::join!(
            forever(async || deposit(&member, &reviewer, method, &counts).await),
            forever(async || trade(&member, &plan, &counts).await),
            forever(async || trade(&member, &plan, &counts).await),
            forever(async || withdraw(&member, &reviewer, method, &counts).await),
        );
    };
    tokio::select! {
        () = working => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
    Ok(counts)
}

/// One round after another. One that fails, for the product is busy or goes away, is followed by a pause.
async fn forever(round: impl AsyncFn() -> Result<()>) {
    loop {
        if round().await.is_err() {
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Counts an acknowledged call, or a refused one.
fn counted(answer: Result<Answer>, counter: &AtomicU64, counts: &Counts) -> Result<serde_json::Value> {
    let body = answer.and_then(Answer::success);
    let counter = if body.is_ok() { counter } else { &counts.refused };
    counter.fetch_add(1, Ordering::Relaxed);
    body
}

pub async fn deposit(member: &Client, reviewer: &Client, method: &str, counts: &Counts) -> Result<()> {
    let body = json!({ "amount": "600.00", "method": method, "receipt": PROOF, "type": "deposit" });
    let asked = member.post_keyed("/transactions/deposit", &Uuid::new_v4().to_string(), body).await?.success()?;
    let id = asked["transaction"]["id"].as_str().context("an id")?;
    let path = format!("/admin/transactions/{id}");
    let revision = reviewer.get(&path).await?.success()?["transaction"]["revision"].clone();
    let body = json!({ "revision": revision, "receivedAmount": "600.00", "txid": txid(), "note": NOTE });
    counted(reviewer.post(&format!("{path}/approve"), body).await, &counts.deposits, counts).map(drop)
}

pub async fn trade(member: &Client, plan: &str, counts: &Counts) -> Result<()> {
    let body = json!({ "planId": plan, "amount": "250.00" });
    let opened = member.post_keyed("/trades/create", &Uuid::new_v4().to_string(), body).await;
    let opened = counted(opened, &counts.opened, counts)?;
    let id = opened["trade"]["id"].as_str().context("an id")?;
    counted(member.delete(&format!("/trades/close/{id}")).await, &counts.ended, counts).map(drop)
}

pub async fn withdraw(member: &Client, reviewer: &Client, method: &str, counts: &Counts) -> Result<()> {
    let body = json!({ "amount": "100.00", "method": method, "address": DESTINATION });
    let asked = member.post_keyed("/transactions/withdraw", &Uuid::new_v4().to_string(), body).await;
    let asked = counted(asked, &counts.withdrawals, counts)?;
    let id = asked["transaction"]["id"].as_str().context("an id")?;
    let path = format!("/admin/transactions/{id}");
    let revision = reviewer.get(&path).await?.success()?["transaction"]["revision"].clone();
    let body = json!({ "revision": revision, "reasonCode": "OTHER", "note": "The drill is over." });
    reviewer.post(&format!("{path}/reject"), body).await?.success().map(drop)
}
