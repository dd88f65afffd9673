//! A demo member with a history, created through the product's use cases. [D-X3]

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{
    client::Client,
    mails, seed,
    testing::{PROOF, txid},
};

/// The demo member's email.
pub const EMAIL: &str = "demo@solvane.test";
/// The demo member's password.
pub const PASSWORD: &str = "solvane-demo";

/// A payout address that the platform does not own.
pub const DESTINATION: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";

/// How a deposit of the history ends.
enum End {
    /// Confirmed with this received amount.
    Approved(&'static str),
    /// Rejected for this reason.
    Rejected(&'static str, &'static str),
    /// Still in review.
    Pending,
}

/// Amount, network, end.
const DEPOSITS: [(&str, &str, End); 5] = [
    ("5000.00", "TRC20", End::Approved("5000.00")),
    ("750.00", "ERC20", End::Rejected("UNREADABLE_RECEIPT", "The amount cannot be read on the screenshot.")),
    ("1250.00", "Bitcoin", End::Approved("1243.60")),
    ("2000.00", "TRC20", End::Approved("2000.00")),
    ("400.00", "TRC20", End::Pending),
];

/// Title of the plan, amount, and whether the trade is ended again.
const TRADES: [(&str, &str, bool); 3] =
    [("Starter", "500.00", true), ("Balanced", "1500.00", false), ("Growth", "2500.00", false)];

/// Creates the member and the history on the product at `url`, unless they exist. Each step has an idempotency key, so
/// that the next run completes an interrupted one.
///
/// # Errors
/// When the product refuses a step, or no mail comes.
pub async fn make(url: &str, mail_dir: &Path) -> Result<()> {
    let visitor = Client::new(url).patient();
    let member = member(&visitor, mail_dir).await?;
    let (reviewer, reviewer2) = seed::pair(&visitor, "reviewer").await?;
    let methods = member.get("/payment-methods").await?.success()?;
    for (number, deposit) in DEPOSITS.iter().enumerate() {
        let id = method(&methods, deposit.1)?;
        self::deposit(&member, [&reviewer, &reviewer2], number, id, deposit).await?;
    }
    let plans = member.get("/plans").await?.success()?;
    for (number, trade) in TRADES.iter().enumerate() {
        self::trade(&member, number, &plans, trade).await?;
    }
    Ok(())
}

async fn member(visitor: &Client, mail_dir: &Path) -> Result<Client> {
    let body = json!({
        "name": "Demi Demo", "email": EMAIL, "password": PASSWORD,
        "phone": "+1 555 0142", "country": "Portugal",
    });
    let answer = visitor.post("/auth/register", body).await?;
    if answer.code() != Some("EMAIL_TAKEN") {
        answer.success()?;
    }
    let member = visitor.login(EMAIL, PASSWORD).await?;
    let check = member.get("/auth/check").await?.success()?;
    if check["user"]["isVerified"] != true {
        let code = mails::wait_for_code(mail_dir, EMAIL).await?;
        member.post("/auth/verify", json!({ "email": EMAIL, "otp": code })).await?.success()?;
    }
    Ok(member)
}

async fn deposit(
    member: &Client,
    reviewers: [&Client; 2],
    number: usize,
    method: &str,
    (amount, _, end): &(&str, &str, End),
) -> Result<()> {
    let known = member.get("/transactions/user").await?.success()?;
    let claims = |row: &Value| same_amount(&row["claimedAmount"], amount) || same_amount(&row["amount"], amount);
    let deposit = |row: &&Value| row["title"] == "Deposit" && claims(row);
    let row = known["transactions"].as_array().into_iter().flatten().find(deposit).cloned();
    let row = match row {
        Some(row) => row,
        None => {
            let body = json!({ "amount": amount, "method": method, "receipt": PROOF, "type": "deposit" });
            let answer = member.post_keyed("/transactions/deposit", &format!("demo-deposit-{number}"), body).await?;
            answer.success()?["transaction"].clone()
        }
    };
    if row["status"] != "pending" {
        return Ok(());
    }
    let path = format!("/admin/transactions/{}", row["id"].as_str().context("a transaction has an id")?);
    let txid = txid();
    for reviewer in reviewers {
        let revision = reviewer.get(&path).await?.success()?["transaction"]["revision"].clone();
        let (decision, body) = match end {
            End::Pending => return Ok(()),
            // These deposits have no payment on a chain: their approval needs a note.
            End::Approved(received) => (
                "approve",
                json!({ "revision": revision, "receivedAmount": received, "txid": txid, "note": "An example without a payment" }),
            ),
            End::Rejected(reason, note) => {
                ("reject", json!({ "revision": revision, "reasonCode": reason, "note": note }))
            }
        };
        let decided = reviewer.post(&format!("{path}/{decision}"), body).await?.success()?;
        if decided["needsSecond"] != json!(true) {
            break;
        }
    }
    Ok(())
}

async fn trade(
    member: &Client,
    number: usize,
    plans: &Value,
    (title, amount, ended): &(&str, &str, bool),
) -> Result<()> {
    let known = member.get("/trades?status=all").await?.success()?;
    let mut trades = known["trades"].as_array().into_iter().flatten();
    if trades.any(|trade| trade["plan"]["title"] == *title) {
        return Ok(());
    }
    let plan = plans["plans"].as_array().into_iter().flatten().find(|plan| plan["title"] == *title);
    let plan = plan.with_context(|| format!("no plan {title}"))?;
    let body = json!({ "planId": plan["id"], "amount": amount });
    let answer = member.post_keyed("/trades/create", &format!("demo-trade-{number}"), body).await?.success()?;
    if *ended {
        let id = answer["trade"]["id"].as_str().context("a trade has an id")?;
        // There is no gain to claim directly after opening.
        member.delete(&format!("/trades/close/{id}")).await?.success()?;
    }
    Ok(())
}

/// The platform's method of a network among those that a member sees.
pub fn method<'a>(methods: &'a Value, network: &str) -> Result<&'a str> {
    let mut methods = methods["paymentMethods"].as_array().into_iter().flatten();
    let platform = |method: &&Value| method["network"] == network && method["scope"] == "platform";
    methods.find(platform).and_then(|method| method["id"].as_str()).with_context(|| format!("no method {network}"))
}

/// Whether a JSON number equals this amount: 5000 is "5000.00".
fn same_amount(value: &Value, amount: &str) -> bool {
    let trimmed = |text: &str| match text.split_once('.') {
        Some((whole, cents)) => format!("{whole}.{}", cents.trim_end_matches('0')).trim_end_matches('.').to_owned(),
        None => text.to_owned(),
    };
    !value.is_null() && trimmed(&value.to_string()) == trimmed(amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_compared_as_numbers() {
        assert!(same_amount(&json!(5000), "5000.00"));
        assert!(same_amount(&json!(1243.6), "1243.60"));
        assert!(!same_amount(&json!(1243.61), "1243.60"));
        assert!(!same_amount(&Value::Null, "1.00"));
    }
}
