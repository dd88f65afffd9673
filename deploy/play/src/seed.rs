//! The seed data of a local stack, created through the product's use cases. [D-X3]
//!
//! Every step checks what exists, so that a second start changes nothing and completes an interrupted one.

mod plans;

use anyhow::{Context, Result};
use futures::future::try_join_all;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::{task::JoinSet, time::sleep};

use self::plans::POINTS;
pub(crate) use self::plans::index;
pub use self::plans::{PLANS, PlanSeed};
use crate::client::Client;
use crate::request::{self, PROOF, Request};
use stack::{
    Service, Stack,
    operator::{self, Wallet},
};

/// The password of every seeded member of staff.
pub const STAFF_PASSWORD: &str = "solvane-local-staff";

/// Address, name and role of every seeded member of staff.
pub const STAFF: [(&str, &str, &str); 9] = [
    ("admin@solvane.test", "Ada Admin", "admin"),
    ("admin2@solvane.test", "Alan Admin", "admin"),
    ("reviewer@solvane.test", "Rae Reviewer", "reviewer"),
    ("reviewer2@solvane.test", "Remy Reviewer", "reviewer"),
    ("treasurer@solvane.test", "Tess Treasurer", "treasurer"),
    ("treasurer2@solvane.test", "Toni Treasurer", "treasurer"),
    ("manager@solvane.test", "Mara Manager", "manager"),
    ("manager2@solvane.test", "Milo Manager", "manager"),
    ("auditor@solvane.test", "Ola Auditor", "auditor"),
];

/// Where members pay to.
#[derive(Clone, Copy)]
enum Place {
    /// One address for all of them, of the operator's wallet for this chain.
    Shared(&'static str),
    /// Addresses of their own, from a key of the operator's wallet for this chain. [D-N2]
    Own(&'static str),
}

/// Currency, network, place and label of the platform methods.
const METHODS: [(&str, &str, Place, &str); 3] = [
    ("USDT", "TRC20", Place::Shared("tron"), "Tether on Tron"),
    ("USDT", "ERC20", Place::Own("ethereum"), "Tether on Ethereum"),
    ("BTC", "Bitcoin", Place::Own("bitcoin"), "Bitcoin"),
];

/// The rates that a local stack starts with, since it asks no exchange: currency, bid and ask in dollars.
const RATES: [(&str, &str, &str); 2] = [("BTC", "97312.45", "97362.45"), ("USDT", "0.9998", "1.0002")];

/// Where published rates and values come from, as members read it.
pub const RATE_SOURCE: &str = "Solvane treasury desk";
pub(crate) const VALUE_SOURCE: &str = "Daily closing valuation of the plan's portfolio";

/// How long they count, in minutes: the longest that is allowed.
const RATE_MINUTES: i64 = 1_440;

/// The cash that each plan starts with, in dollars.
const PLAN_CASH: u32 = 250_000;
const BANK: &str = "First Custody Bank";

/// How often seeding is tried.
const TRIES: u32 = 3;
/// How long it waits in between.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(3);

/// Seeds staff, deposit addresses, rates, plans and their values. On a busy machine a step may be answered too late: what is
/// missing is then tried again.
///
/// # Errors
/// When the product refuses a step three times.
pub async fn seed(stack: &Stack) -> Result<()> {
    for _ in 1..TRIES {
        if complete(stack).await.is_ok() {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    complete(stack).await
}

async fn complete(stack: &Stack) -> Result<()> {
    staff(stack).await?;
    let visitor = Client::new(stack.url()).patient();
    let by_treasurers = async {
        let (one, other) = pair(&visitor, "treasurer").await?;
        methods(stack, &one, &other).await?;
        publish_rates(&one, &other).await
    };
    let by_managers = async {
        let (one, other) = pair(&visitor, "manager").await?;
        plans(&one, &other).await
    };
    tokio::try_join!(by_treasurers, by_managers)?;
    back_plans(&visitor).await
}

/// Gives every plan cash of its own, once: gains are paid from it. It is at a bank, since nodes of a local stack begin without
/// coins. [D-T1] [D-T4]
pub async fn back_plans(visitor: &Client) -> Result<()> {
    let (proposer, confirmer) = pair(visitor, "treasurer").await?;
    let plans = visitor.get("/plans").await?.success()?;
    let treasury = proposer.get("/admin/treasury").await?.success()?;
    let cash = |id: &Value| treasury["plans"].as_array()?.iter().find(|plan| plan["planId"] == *id)?["cash"].as_f64();
    let plans = plans["plans"].as_array().context("a list of plans")?;
    let without_cash: Vec<_> = plans.iter().filter(|plan| cash(&plan["id"]).unwrap_or_default() <= 0.0).collect();
    for plan in &without_cash {
        pay_in((&proposer, &confirmer), PLAN_CASH.into()).await?;
        let funded = json!({
            "kind": "plan_funded", "amount": PLAN_CASH, "planId": plan["id"], "note": "Cash that pays gains of the plan",
        });
        propose(&proposer, &confirmer, "/admin/treasury/movements", funded).await?;
    }
    if !without_cash.is_empty() {
        let amount = PLAN_CASH * u32::try_from(plans.len())?;
        let held =
            json!({ "kind": "holding_stated", "amount": amount, "asset": BANK, "note": "Capital of the operator" });
        propose_proven((&proposer, &confirmer), held).await?;
    }
    Ok(())
}

/// Has two treasurers book capital of the operator, in dollars.
///
/// # Errors
/// When the product refuses it.
pub async fn pay_in(treasurers: (&Client, &Client), amount: u64) -> Result<()> {
    let note = "Capital of the operator";
    propose_proven(treasurers, json!({ "kind": "capital_in", "amount": amount, "note": note })).await
}

/// Makes a movement that a bank statement proves.
async fn propose_proven((proposer, confirmer): (&Client, &Client), mut movement: Value) -> Result<()> {
    // By the clock of the product, on which a history is played.
    let confirmed = proposer.get("/admin/proposals?status=confirmed").await?.success()?;
    movement["document"] = json!("Bank statement");
    movement["issuer"] = json!(BANK);
    movement["documentAt"] = confirmed["proposals"][0]["decidedAt"].clone();
    movement["file"] = json!(PROOF);
    propose(proposer, confirmer, "/admin/treasury/movements", movement).await.map(drop)
}

/// Seeds staff and deposit addresses alone: enough for what does not invest.
///
/// # Errors
/// When the product refuses a step.
pub async fn people_and_methods(stack: &Stack) -> Result<()> {
    staff(stack).await?;
    let (treasurer, treasurer2) = pair(&Client::new(stack.url()).patient(), "treasurer").await?;
    methods(stack, &treasurer, &treasurer2).await
}

/// Two logged-in staff accounts with the same role.
pub async fn pair(visitor: &Client, role: &str) -> Result<(Client, Client)> {
    let (one, other) = (format!("{role}@solvane.test"), format!("{role}2@solvane.test"));
    tokio::try_join!(visitor.login(&one, STAFF_PASSWORD), visitor.login(&other, STAFF_PASSWORD))
}

/// Seeds the accounts of staff alone.
///
/// # Errors
/// When one cannot be made.
pub async fn staff(stack: &Stack) -> Result<()> {
    let password = tempfile::NamedTempFile::new_in(stack.folder())?;
    std::fs::write(password.path(), STAFF_PASSWORD)?;
    let password = password.path();
    let known = known_staff(stack).await?;
    let missing = STAFF.into_iter().filter(|(email, _, _)| !known.iter().any(|known| known == email));
    let added = missing.map(|(email, name, role)| async move {
        let arguments = ["staff", "add", "--email", email, "--name", name, "--role", role, "--password-stdin"];
        stack.run(Service::Auth, &arguments, Some(password)).await
    });
    try_join_all(added).await.map(drop)
}

/// The email addresses of existing staff accounts: `auth staff add` need not be started for them.
async fn known_staff(stack: &Stack) -> Result<Vec<String>> {
    let mut database = PgConnection::connect(&stack.databases().auditor_url(Service::Auth)?).await?;
    let known = sqlx::query_scalar("SELECT email FROM users WHERE role IS NOT NULL").fetch_all(&mut database).await?;
    database.close().await?;
    Ok(known)
}

async fn methods(stack: &Stack, proposer: &Client, confirmer: &Client) -> Result<()> {
    let known = proposer.get("/admin/payment-methods").await?.success()?;
    let known = known["paymentMethods"].as_array().context("a list of payment methods")?;
    for (currency, network, place, label) in METHODS {
        let same = |method: &Value| {
            let current = &method["current"];
            current["currency"] == currency && current["network"] == network
        };
        if !known.iter().any(same) {
            let wallet = Wallet::open(stack.folder())?;
            let mut body = json!({ "currency": currency, "network": network, "label": label });
            match place {
                Place::Shared(chain) => body["address"] = json!(wallet.shared(chain)?),
                Place::Own(chain) => {
                    let key = wallet.deposit_key(chain)?;
                    let signature = operator::sign_method(stack.folder(), (currency, network, &key)).await?;
                    (body["address"], body["signature"]) = (json!(key), json!(signature));
                }
            }
            let confirmed = propose(proposer, confirmer, "/admin/payment-methods", body).await?;
            if let Place::Shared(chain) = place {
                prove(&wallet, chain, proposer, &confirmed).await?;
            }
        }
    }
    Ok(())
}

/// Proves that the wallet has the private key of the shared address, on the day of its confirmation. [D-T5]
async fn prove(wallet: &Wallet, chain: &str, treasurer: &Client, confirmed: &Value) -> Result<()> {
    let id = confirmed["subjectId"].as_str().context("a method has an id")?;
    let day =
        confirmed["proposal"]["decidedAt"].as_str().and_then(|at| at.get(..10)).context("a confirmation has a day")?;
    let message = format!("Solvane Ltd controls the address {} on {day}", wallet.shared(chain)?);
    let body = json!({ "message": message, "signature": wallet.sign_as_shared(chain, &message)? });
    treasurer.make(Request::post(format!("/admin/payment-methods/{id}/proof"), body)).await?;
    Ok(())
}

/// Publishes the rates, unless they were published less than an hour ago. [D-R17]
pub(crate) async fn publish_rates(proposer: &Client, confirmer: &Client) -> Result<()> {
    let known = proposer.get("/admin/proposals?status=confirmed").await?.success()?;
    let known = known["proposals"].as_array().context("a list of proposals")?;
    let recent = (OffsetDateTime::now_utc() - Duration::hours(1)).format(&Rfc3339)?;
    for (asset, bid, ask) in RATES {
        let is_known = known.iter().any(|proposal| {
            proposal["kind"] == "rate.publish"
                && proposal["change"]["asset"] == asset
                && proposal["decidedAt"].as_str().is_some_and(|at| at > recent.as_str())
        });
        if !is_known {
            let body = json!({
                "asset": asset, "bid": bid, "ask": ask, "source": RATE_SOURCE,
                "validMinutes": RATE_MINUTES,
            });
            propose(proposer, confirmer, "/admin/rates", body).await?;
        }
    }
    Ok(())
}

async fn plans(proposer: &Client, confirmer: &Client) -> Result<()> {
    let known = proposer.get("/plans").await?.success()?;
    let known = known["plans"].as_array().context("a list of plans")?;
    let mut tasks = JoinSet::new();
    for plan in &PLANS {
        let existing = known.iter().find(|known| known["title"] == plan.title).map(|known| known["id"].clone());
        let (proposer, confirmer) = (proposer.clone(), confirmer.clone());
        tasks.spawn(async move {
            let id = match existing {
                Some(id) => id,
                None => create(plan, &proposer, &confirmer).await?,
            };
            let id = id.as_str().context("a plan has an id")?;
            values(plan, id, &proposer, &confirmer).await
        });
    }
    while let Some(result) = tasks.join_next().await {
        result??;
    }
    Ok(())
}

pub async fn create(plan: &PlanSeed, proposer: &Client, confirmer: &Client) -> Result<Value> {
    let confirmed = propose(proposer, confirmer, "/admin/plans", plan.terms()).await?;
    Ok(confirmed["subjectId"].clone())
}

/// Adds missing values, oldest first, because a value cannot be older than the newest. [D-R4]
async fn values(plan: &PlanSeed, id: &str, proposer: &Client, confirmer: &Client) -> Result<()> {
    let known = proposer.get(&format!("/plans/{id}/values")).await?.success()?;
    let known = known["values"].as_array().context("a list of values")?.len();
    let now = OffsetDateTime::now_utc() - Duration::minutes(1);
    for (day, value) in (0..POINTS).zip(index(plan.steps)).skip(known) {
        let at = (now - Duration::days(POINTS - 1 - day)).format(&Rfc3339)?;
        let body = json!({ "value": value, "at": at, "source": VALUE_SOURCE });
        propose(proposer, confirmer, &format!("/admin/plans/{id}/values"), body).await?;
    }
    Ok(())
}

/// Proposes a change and has another person confirm it; returns the answer to the confirmation.
pub async fn propose(proposer: &Client, confirmer: &Client, path: &str, body: Value) -> Result<Value> {
    let proposal = proposer.make(Request::post(path, body)).await?;
    let confirmed = confirmer.make(request::confirm_proposal(&request::id(&proposal)?)).await;
    confirmed.with_context(|| format!("confirming POST {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [D-X3] What members read of the seed could be the words of an operator.
    #[test]
    fn members_read_the_words_of_an_operator() {
        let plans = PLANS.iter().flat_map(|plan| [plan.title, plan.subtitle, plan.holdings, plan.manager, plan.costs]);
        let texts = [RATE_SOURCE, VALUE_SOURCE].into_iter().chain(plans).chain(METHODS.map(|method| method.3));
        for text in texts {
            for word in ["example", "local", "demo", "test", "seed"] {
                assert!(!text.to_lowercase().contains(word), "{text}");
            }
        }
    }
}
