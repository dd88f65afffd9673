//! A drill: one reviewer and one treasurer, each with full use of their account, try to move money alone. Prints what became of
//! each try.

#![expect(clippy::print_stdout, reason = "what is printed is the report of the drill")]

use anyhow::{Context, Result, ensure};
use play::{
    client::{Answer, Client},
    request::{PROOF, id, txid},
    testing::{Member, TestStack, folder, settings},
};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::{Service, Settings};

const NOTE: &str = "Seen in the explorer";

/// A person of staff, with what they managed to do.
struct Person {
    client: Client,
    id: String,
    done: i64,
}

impl Person {
    async fn new(stack: &TestStack, name: &str) -> Result<Self> {
        let client = stack.staff(name).await?;
        let id = client.get("/admin/me").await?.success()?["user"]["id"].as_str().context("an id")?.to_owned();
        Ok(Self { client, id, done: 0 })
    }

    async fn tries(&mut self, what: &str, path: &str, body: Value) -> Result<Answer> {
        let answer = self.client.post(path, body).await?;
        self.done += i64::from(answer.status < 300);
        let said =
            answer.code().unwrap_or(if answer.body["needsSecond"] == true { "waits for another" } else { "done" });
        println!("{what}: {} {said}", answer.status);
        Ok(answer)
    }

    /// What must not be possible alone.
    async fn fails(&mut self, what: &str, path: &str, body: Value) -> Result<()> {
        let answer = self.tries(what, path, body).await?;
        ensure!((400..500).contains(&answer.status), "{what}: {}", answer.body);
        Ok(())
    }
}

async fn balance(member: &Member) -> Result<Value> {
    Ok(member.client.get("/auth/check").await?.success()?["user"]["wallet"]["balance"].clone())
}

/// The rows of the audit logs by person.
async fn rows(stack: &TestStack, person: &str) -> Result<i64> {
    let mut sum = 0;
    for service in [Service::Wallet, Service::PaymentMethod] {
        let mut database = PgConnection::connect(&stack.databases().owner_url(service)?).await?;
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_rows WHERE actor_id = $1::uuid")
            .bind(person)
            .fetch_one(&mut database)
            .await?;
        sum += count;
    }
    Ok(sum)
}

/// A deposit of a member that no node shows, approved by these people as far as it takes them; what is left to be approved.
async fn deposited(member: &Member, amount: &str, by: &mut [&mut Person]) -> Result<(String, Value)> {
    let path = format!("/admin/transactions/{}", member.deposit(amount).await?);
    let mut body = json!({ "revision": 1, "receivedAmount": amount, "txid": txid(), "note": NOTE });
    for person in by {
        let what = format!("approve a deposit of ${amount} that no node shows");
        let answer = person.tries(&what, &format!("{path}/approve"), body.clone()).await?.success()?;
        body["revision"] = answer["revision"].clone();
    }
    Ok((path, body))
}

/// [D-N8] [D-N4] [D-B7] [D-B12] [D-O3] What one reviewer credits without proof ends at $1,000.00 a member and $5,000.00 a day; what one
/// treasurer proposes and pays ends where a second person is missing. All that either did has a row of audit with their name, and
/// the audit finds nothing else.
#[tokio::test]
async fn one_person_alone_moves_nothing_without_a_row_of_audit() -> Result<()> {
    let place = folder()?;
    let settings = Settings { environment: Vec::new(), ..settings(place.path())? };
    let mut stack = TestStack::from_settings(place, settings).await?;
    stack.publish_rates().await?;
    let mut reviewer = Person::new(&stack, "reviewer").await?;
    let mut treasurer = Person::new(&stack, "treasurer").await?;
    // The seeds of the product acted in their names.
    let before = (rows(&stack, &reviewer.id).await?, rows(&stack, &treasurer.id).await?);
    let thief = stack.member().await?;
    let own = "TFnPL6nwMz5dugbjUJroEo6oZhmpgthdXk";

    println!("One reviewer");
    deposited(&thief, "900.00", &mut [&mut reviewer]).await?;
    let (path, again) = deposited(&thief, "900.00", &mut [&mut reviewer]).await?;
    reviewer.fails("approve it a second time", &format!("{path}/approve"), again).await?;
    assert_eq!(balance(&thief).await?, json!(900));
    let mut credited = 900.0;
    for _ in 0..6 {
        let other = stack.member().await?;
        deposited(&other, "900.00", &mut [&mut reviewer]).await?;
        credited += balance(&other).await?.as_f64().context("a balance")?;
    }
    println!("credited in a day: ${credited}");
    assert!(credited <= 5_000.0);
    let adjustment = json!({ "type": "credit", "amount": "5000.00", "note": NOTE });
    let member = format!("/admin/members/{}", thief.id);
    reviewer.fails("adjust a balance", &format!("{member}/adjustment"), adjustment.clone()).await?;
    let method = json!({ "currency": "USDT", "network": "TRC20", "address": own, "label": "Ours" });
    reviewer.fails("change the platform's address", "/admin/payment-methods", method.clone()).await?;
    let made = thief.withdraw("600.00").await?.success()?;
    let payout = format!("/admin/transactions/{}", id(&made)?);
    reviewer.fails("pay a withdrawal", &format!("{payout}/paying"), json!({ "revision": 1 })).await?;
    reviewer.fails("mark it as paid", &format!("{payout}/paid"), json!({ "revision": 1, "txid": txid() })).await?;

    println!("One treasurer");
    let shown = thief.client.get("/payment-methods").await?.success()?;
    treasurer.fails("approve a withdrawal", &format!("{payout}/approve"), json!({ "revision": 1 })).await?;
    treasurer.fails("pay what is not approved", &format!("{payout}/paying"), json!({ "revision": 1 })).await?;
    treasurer.fails("mark it as paid", &format!("{payout}/paid"), json!({ "revision": 1, "txid": txid() })).await?;
    let rate = json!({ "asset": "BTC", "bid": "85000", "ask": "85010", "source": NOTE, "validMinutes": 60 });
    let proposals = treasurer.client.get("/admin/proposals?status=confirmed").await?.success()?;
    let movement = json!({
        "kind": "capital_in", "amount": 500, "note": NOTE, "document": "Bank statement", "issuer": "A bank",
        "documentAt": proposals["proposals"][0]["decidedAt"], "file": PROOF,
    });
    let adjust = format!("{member}/adjustment");
    for (what, path, body) in [
        ("propose the platform's address", "/admin/payment-methods", method),
        ("propose a rate", "/admin/rates", rate),
        ("propose a movement of the treasury", "/admin/treasury/movements", movement),
        ("propose to adjust a balance", adjust.as_str(), adjustment),
    ] {
        let answer = treasurer.tries(what, path, body).await?.success()?;
        let proposal = answer["proposalId"].as_str().or_else(|| answer["proposal"]["id"].as_str()).context("an id")?;
        treasurer.fails("    confirm it", &format!("/admin/proposals/{proposal}/confirm"), json!({})).await?;
    }
    assert_eq!(thief.client.get("/payment-methods").await?.success()?, shown);
    assert_eq!(balance(&thief).await?, json!(300), "what is withdrawn is held");

    // What a reviewer approved, one treasurer can pay alone below $1,000.00: the row says who, and with which hash.
    stack.confirm_destination(&thief, &id(&made)?).await?;
    let revision = treasurer.client.get(&payout).await?.success()?["transaction"]["revision"].clone();
    reviewer
        .tries("a reviewer approves", &format!("{payout}/approve"), json!({ "revision": revision }))
        .await?
        .success()?;
    let revision = treasurer.client.get(&payout).await?.success()?["transaction"]["revision"].clone();
    let paid = json!({ "revision": revision, "txid": txid() });
    treasurer.tries("mark a payout of $600.00 as paid", &format!("{payout}/paid"), paid.clone()).await?.success()?;
    let trail = stack.staff("auditor").await?.get("/admin/audit?action=withdrawal.paid").await?.success()?;
    assert_eq!(trail["rows"][0]["actorId"], json!(treasurer.id), "{trail}");

    for (person, before) in [(&reviewer, before.0), (&treasurer, before.1)] {
        let new = rows(&stack, &person.id).await? - before;
        println!("{} acts, {new} rows of audit", person.done);
        assert!(new >= person.done, "an act without a row of audit");
    }
    assert_eq!(stack.broken_promises().await?, []);
    stack.end().await
}
