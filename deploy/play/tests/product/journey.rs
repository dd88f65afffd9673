//! The first journey on the real product: from registration to a confirmed deposit.

use anyhow::{Context, Result};
use play::{
    client::Client,
    demo,
    request::{Decision, txid},
    testing::{Options, TestStack},
};
use serde_json::{Value, json};

async fn transaction(client: &Client, id: &str) -> Result<Value> {
    let list = client.get("/transactions/user").await?.success()?;
    let mut rows = list["transactions"].as_array().into_iter().flatten();
    Ok(rows.find(|row| row["id"] == id).context("the transaction is in the list")?.clone())
}

async fn wallet(client: &Client) -> Result<Value> {
    Ok(client.get("/auth/check").await?.success()?["user"]["wallet"].clone())
}

/// [API-01] [API-02] [API-07] [API-08] [API-11] [D-D1] [D-D3] [D-D5] [D-L6] [D-E2] From registration to a confirmed
/// deposit: the code comes by mail, a pending deposit has no effect on the balance, the confirmed one has, and the
/// member is notified by mail.
#[tokio::test]
async fn a_member_registers_and_a_deposit_is_confirmed() -> Result<()> {
    let stack = TestStack::start().await?;
    let unverified = stack.register().await?;
    let refused = unverified.client.get("/transactions/user").await?;
    assert_eq!((refused.status, refused.code()), (403, Some("EMAIL_NOT_VERIFIED")));

    let member = stack.member().await?;
    let before = wallet(&member.client).await?;
    assert_eq!(before["balance"], json!(0));

    let id = member.deposit("250.50").await?;
    let row = transaction(&member.client, &id).await?;
    assert_eq!((&row["status"], &row["type"], &row["title"]), (&json!("pending"), &json!("credit"), &json!("Deposit")));
    assert_eq!(wallet(&member.client).await?["balance"], json!(0), "a pending deposit is no money");
    let receipt = row["receipt"]["url"].as_str().context("a receipt")?;
    let receipt = if receipt.starts_with("http") { receipt.to_owned() } else { format!("{}{receipt}", stack.url()) };
    assert!(reqwest::get(receipt).await?.status().is_success(), "the signed link works without a session");

    let reviewer = stack.staff("reviewer").await?;
    let review = reviewer.get(&format!("/admin/transactions/{id}")).await?.success()?;
    let received = Decision::Received { amount: "250.25", txid: &txid() };
    let approval = received.about(&id, &review["transaction"]["revision"]);
    reviewer.make(approval.clone()).await?;
    assert_eq!(reviewer.send(&approval).await?.status, 409, "decided once");

    let row = transaction(&member.client, &id).await?;
    assert_eq!((&row["status"], &row["amount"]), (&json!("success"), &json!(250.25)));
    assert_eq!(wallet(&member.client).await?["balance"], json!(250.25));
    let mail = stack.mail(&member.email, "deposit").await?;
    assert!(stack.mails()?.iter().filter(|mail| mail.to == member.email).count() >= 2, "{}", mail.subject);
    stack.mail(&member.email, "confirmed").await.map(drop)
}

/// [D-D4] [D-L4] A rejected deposit is failed, leaves the balance alone, and the member learns why.
#[tokio::test]
async fn a_rejected_deposit_fails_with_a_reason() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    let id = member.deposit("100.00").await?;
    let reviewer = stack.staff("reviewer").await?;
    reviewer.decide(&id, Decision::Reject { reason: "NOT_RECEIVED", note: "" }).await?.success()?;
    let row = transaction(&member.client, &id).await?;
    assert_eq!((&row["status"], &row["reasonCode"]), (&json!("failed"), &json!("NOT_RECEIVED")));
    assert_eq!(wallet(&member.client).await?["balance"], json!(0));
    stack.mail(&member.email, "deposit").await.map(drop)
}

/// [API-11] [API-18] A transaction names its member as they are, right after they changed their name too.
#[tokio::test]
async fn a_new_name_stands_in_the_next_answer() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    let id = member.deposit("100.00").await?;
    let mut user = member.client.get("/auth/check").await?.success()?["user"].clone();
    assert_eq!(transaction(&member.client, &id).await?["user"]["name"], user["name"]);
    user["name"] = json!("Grace Brewster Hopper");
    let path = format!("/users/profile/{}", user["id"].as_str().context("an id")?);
    member.client.put(&path, user).await?.success()?;
    assert_eq!(transaction(&member.client, &id).await?["user"]["name"], json!("Grace Brewster Hopper"));
    Ok(())
}

/// [D-X3] The stack starts with its staff, three deposit addresses, and four plans with a month of values, of which
/// one has risen and one has fallen in ten days; a member sees them, and staff of each role can log in.
#[tokio::test]
async fn a_fresh_stack_is_seeded() -> Result<()> {
    let stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    for name in ["admin", "reviewer", "reviewer2", "treasurer", "treasurer2", "manager", "manager2", "auditor"] {
        stack.staff(name).await.with_context(|| format!("{name} logs in"))?;
    }
    let member = stack.member().await?;
    for network in ["TRC20", "ERC20", "Bitcoin"] {
        member.platform_method(network).await?;
    }
    let plans = member.client.get("/plans").await?.success()?;
    let plans = plans["plans"].as_array().context("plans")?;
    assert_eq!(plans.len(), 4);
    let (mut risen, mut fallen) = (0, 0);
    for plan in plans {
        let id = plan["id"].as_str().context("an id")?;
        let values = member.client.get(&format!("/plans/{id}/values")).await?.success()?;
        let mut values = values["values"].as_array().context("values")?.clone();
        assert!(values.len() >= 30, "{} points", values.len());
        values.sort_by_key(|value| value["at"].as_str().map(str::to_owned));
        let level = |ago: usize| values[values.len() - 1 - ago]["value"].to_string();
        // All values lie between 0.9 and 9.9, so that their texts compare as numbers do.
        match level(0).cmp(&level(10)) {
            std::cmp::Ordering::Greater => risen += 1,
            std::cmp::Ordering::Less => fallen += 1,
            std::cmp::Ordering::Equal => {}
        }
    }
    assert!(risen >= 1 && fallen >= 1, "{risen} risen, {fallen} fallen");
    play::seed::seed(&stack).await?;
    let again = member.client.get("/plans").await?.success()?;
    assert_eq!(again["plans"].as_array().map(Vec::len), Some(4), "seeding twice changes nothing");
    Ok(())
}

/// [D-X3] [D-Q5] The demo member is added to a product that watches the chains, on which nobody paid; a second time changes
/// nothing.
#[tokio::test]
async fn the_demo_member_is_added_where_chains_are_watched() -> Result<()> {
    let stack = TestStack::with(Options { plans: true, chains: true, ..Options::default() }).await?;
    let mut seen = Vec::new();
    for _ in 0..2 {
        demo::make(stack.url(), &stack.folder().join("mail")).await?;
        let member = Client::new(stack.url()).login(demo::EMAIL, demo::PASSWORD).await?;
        let rows = member.get("/transactions/user").await?.success()?["transactions"].clone();
        let deposits = rows.as_array().into_iter().flatten().filter(|row| row["title"] == "Deposit");
        let mut states: Vec<_> = deposits.map(|row| row["status"].to_string()).collect();
        states.sort();
        assert_eq!(states, [r#""failed""#, r#""pending""#, r#""success""#, r#""success""#, r#""success""#]);
        seen.push(wallet(&member).await?);
    }
    assert_eq!(seen[0], seen[1]);
    Ok(())
}
