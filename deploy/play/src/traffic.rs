//! Load for drills such as a backup under way: deposits that staff approve, trades that are opened and ended, and
//! withdrawals, until it is stopped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::client::{Answer, Client};
use crate::demo::{EMAIL, PASSWORD};
use crate::request::{self, Decision, Request, txid};
use crate::seed::STAFF_PASSWORD;

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
    let (method, plan) = (member.platform_method("TRC20").await?, member.plan("Starter").await?);
    let counts = Counts::default();
    let working = async {
        tokio::join!(
            forever(async || deposit(&member, &reviewer, &method, &counts).await),
            forever(async || trade(&member, &plan, &counts).await),
            forever(async || trade(&member, &plan, &counts).await),
            forever(async || withdraw(&member, &reviewer, &method, &counts).await),
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
async fn counted(client: &Client, request: Request, counter: &AtomicU64, counts: &Counts) -> Result<String> {
    let made = client.make(request).await;
    let counter = if made.is_ok() { counter } else { &counts.refused };
    counter.fetch_add(1, Ordering::Relaxed);
    request::id(&made?)
}

pub async fn deposit(member: &Client, reviewer: &Client, method: &str, counts: &Counts) -> Result<()> {
    let id = request::id(&member.make(request::deposit("600.00", method).keyed()).await?)?;
    let received = Decision::Received { amount: "600.00", txid: &txid() };
    let approved = reviewer.decide(&id, received).await.and_then(Answer::success);
    let counter = if approved.is_ok() { &counts.deposits } else { &counts.refused };
    counter.fetch_add(1, Ordering::Relaxed);
    approved.map(drop)
}

pub async fn trade(member: &Client, plan: &str, counts: &Counts) -> Result<()> {
    let id = counted(member, request::open_trade(plan, "250.00").keyed(), &counts.opened, counts).await?;
    counted(member, request::close_trade(&id), &counts.ended, counts).await.map(drop)
}

pub async fn withdraw(member: &Client, reviewer: &Client, method: &str, counts: &Counts) -> Result<()> {
    let id = counted(member, request::withdraw("100.00", method).keyed(), &counts.withdrawals, counts).await?;
    let rejected = Decision::Reject { reason: "OTHER", note: "The drill is over." };
    reviewer.decide(&id, rejected).await?.success().map(drop)
}
