//! Processes die at any point of a flow across services: started operations complete or are undone, and no money is
//! lost.

#![expect(clippy::print_stderr, reason = "the counts by operation are part of the report")]

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use stack::Service;
use stack::client::{Answer, Client, send};
use stack::testing::{Member, Options, TestStack};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// An address that nobody deposits to.
const DESTINATION: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
/// Dollars that a member begins with.
const START: &str = "9000.00";

/// A call that is sent while a process dies, and again with the same key until its answer is final.
#[derive(Clone)]
struct Flow {
    name: &'static str,
    client: Client,
    method: Method,
    path: String,
    key: String,
    body: Value,
}

impl Flow {
    async fn send(&self) -> Result<Answer> {
        let request = self.client.request(self.method.clone(), &self.path).header("Idempotency-Key", &self.key);
        send(request.json(&self.body)).await
    }

    /// Asks until an answer is final, as a careful client does.
    async fn insist(&self) -> Result<Answer> {
        let limit = Instant::now() + Duration::from_secs(30);
        loop {
            let answer = self.send().await;
            if let Ok(answer) = &answer
                && answer.status < 500
                && answer.code() != Some("IDEMPOTENCY_KEY_IN_FLIGHT")
            {
                return Ok(answer.clone());
            }
            ensure!(Instant::now() < limit, "no final answer to {} in time, at last {answer:?}", self.name);
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Those who take part, and what they deal with.
struct World {
    member: Member,
    reviewer: Client,
    treasurer: Client,
    managers: [Client; 2],
    plan: String,
    method: String,
    /// The withdrawal that is open between two rounds.
    withdrawal: Option<String>,
}

impl World {
    async fn new(stack: &TestStack) -> Result<Self> {
        let member = stack.member_with(START).await?;
        let plans = member.client.get("/plans").await?.success()?;
        let plan = plans["plans"].as_array().into_iter().flatten().find(|plan| plan["title"] == "Starter");
        Ok(Self {
            plan: plan.and_then(|plan| plan["id"].as_str()).context("a plan")?.to_owned(),
            method: member.platform_method("TRC20").await?,
            reviewer: stack.staff("reviewer").await?,
            treasurer: stack.staff("treasurer").await?,
            managers: [stack.staff("manager").await?, stack.staff("manager2").await?],
            withdrawal: None,
            member,
        })
    }

    /// One hundredth more than in the round before: whatever was opened until now stands in profit.
    async fn raise_value(&self, round: usize) -> Result<()> {
        let body = json!({ "value": format!("1.{}", 50 + round), "source": "Exchange close" });
        let proposed = self.managers[0].post(&format!("/admin/plans/{}/values", self.plan), body).await?.success()?;
        let id = proposed["proposalId"].as_str().context("a proposal")?;
        self.managers[1].post(&format!("/admin/proposals/{id}/confirm"), json!({})).await?.success().map(drop)
    }

    async fn open_trade(&self, key: &str) -> Result<String> {
        let body = json!({ "planId": self.plan, "amount": 250 });
        let opened = self.member.client.post_keyed("/trades/create", key, body).await?.success()?;
        Ok(opened["trade"]["id"].as_str().context("an id")?.to_owned())
    }

    async fn trades(&self) -> Result<Vec<Value>> {
        let list = self.member.client.get("/trades?status=all").await?.success()?;
        Ok(list["trades"].as_array().context("a list")?.clone())
    }

    /// What is decided about a transaction, as it stands now.
    async fn decision(&self, id: &str, mut body: Value) -> Result<Value> {
        let review = self.reviewer.get(&format!("/admin/transactions/{id}")).await?.success()?;
        body["revision"] = review["transaction"]["revision"].clone();
        Ok(body)
    }

    /// What happens at once in a round: one of every kind, each of which must succeed in the end. A withdrawal is
    /// requested in one round and paid in the next.
    async fn flows(&self, round: usize) -> Result<Vec<Flow>> {
        let in_profit = self.trades().await?.into_iter().rfind(|trade| trade["status"] == "open");
        let in_profit = in_profit.and_then(|trade| Some(trade["id"].as_str()?.to_owned())).context("an open trade")?;
        self.raise_value(round).await?;
        let level = self.open_trade(&format!("level-{round}")).await?;
        let deposit = self.member.deposit("150.00").await?;
        let txid = Uuid::new_v4().simple().to_string();
        let approval = self.decision(&deposit, json!({ "receivedAmount": "150.00", "txid": txid })).await?;
        let flow = |name, client: &Client, method, path: String, body| Flow {
            name,
            client: client.clone(),
            method,
            path,
            key: format!("{name}-{round}"),
            body,
        };
        let member = &self.member.client;
        let opening = json!({ "planId": self.plan, "amount": 250 });
        let mut flows = vec![
            flow("open", member, Method::POST, "/trades/create".to_owned(), opening),
            flow("claim", member, Method::PUT, format!("/trades/claim/{in_profit}"), json!({})),
            flow("close", member, Method::DELETE, format!("/trades/close/{level}"), json!({})),
            flow("approve", &self.reviewer, Method::POST, format!("/admin/transactions/{deposit}/approve"), approval),
        ];
        flows.push(if let Some(id) = &self.withdrawal {
            let payout = self.decision(id, json!({ "txid": Uuid::new_v4().simple().to_string() })).await?;
            flow("pay", &self.treasurer, Method::POST, format!("/admin/transactions/{id}/paid"), payout)
        } else {
            let wish = json!({ "amount": 100, "method": self.method, "address": DESTINATION });
            flow("withdraw", member, Method::POST, "/transactions/withdraw".to_owned(), wish)
        });
        Ok(flows)
    }

    /// No trade is between two steps.
    async fn settled(&self) -> Result<()> {
        let limit = Instant::now() + Duration::from_secs(10);
        loop {
            let ends = ["open", "claimed", "closed", "failed"];
            let mut under_way = self.trades().await?;
            under_way.retain(|trade| !ends.iter().any(|status| trade["status"] == *status));
            if under_way.is_empty() {
                return Ok(());
            }
            ensure!(Instant::now() < limit, "still under way after 10 s: {under_way:?}");
            sleep(Duration::from_millis(100)).await;
        }
    }
}

/// [D-I4] [D-I5] [D-W2] [D-W5] [D-D1] [D-G4] Killed between any two steps of open, claim, close, withdraw, approve or
/// pay, wallet and trade settle within ten seconds of their return: nothing stays under way, everything that was begun
/// succeeds under its key, once, and the audit is clean. (Invariants T1 to T4, K6, L1 to L12.)
#[tokio::test]
async fn what_was_begun_ends_or_is_undone() -> Result<()> {
    let mut stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    let mut world = World::new(&stack).await?;
    let mut counts = BTreeMap::<&str, [u32; 2]>::new();
    world.raise_value(0).await?;
    for number in 0..2 {
        world.open_trade(&format!("first-{number}")).await?;
    }
    // The moments lie around the few milliseconds that a flow takes.
    for (round, wait) in (1..).zip([0, 2, 4, 6, 8, 10, 12, 15, 18, 22, 28, 35]) {
        let told = || format!("round {round}, killed after {wait} ms");
        let flows = world.flows(round).await.with_context(told)?;
        let mut running = JoinSet::new();
        for flow in flows.clone() {
            // Connections that break are expected: each flow is sent again below.
            running.spawn(async move { (flow.name, flow.send().await.is_ok_and(|answer| answer.status < 300)) });
        }
        sleep(Duration::from_millis(wait)).await;
        let victim = if round % 2 == 0 { Service::Wallet } else { Service::Trade };
        stack.kill(victim).await?;
        while let Some(ended) = running.join_next().await {
            let (name, at_once) = ended?;
            counts.entry(name).or_default()[usize::from(!at_once)] += 1;
        }
        stack.restart(victim).await?;
        world.settled().await.with_context(told)?;
        for flow in flows {
            let answer = flow.insist().await.with_context(told)?;
            ensure!(answer.status < 300, "{}: {} was refused: {answer:?}", told(), flow.name);
            let id = &answer.body["transaction"]["id"];
            assert_eq!(flow.insist().await?.body, answer.body, "{}: {}", told(), flow.name);
            world.withdrawal = match flow.name {
                "withdraw" => Some(id.as_str().context("an id")?.to_owned()),
                "pay" => None,
                _ => world.withdrawal,
            };
        }
        if let Some(id) = world.withdrawal.as_ref().filter(|_| round % 2 == 1) {
            stack.confirm_destination(&world.member, id).await?;
            let approval = world.decision(id, json!({})).await?;
            world.reviewer.post(&format!("/admin/transactions/{id}/approve"), approval).await?.success()?;
        }
        assert_eq!(stack.broken_promises().await?, [], "{}", told());
    }
    for (name, [at_once, on_insisting]) in &counts {
        eprintln!("{name}: {at_once} acknowledged before the process died, {on_insisting} after its return");
    }
    assert_eq!(counts.values().map(|[at_once, later]| at_once + later).collect::<Vec<_>>(), [12, 12, 12, 12, 6, 6]);
    Ok(())
}
