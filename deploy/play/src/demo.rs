//! A demo member with a history, created through the product's use cases. [D-X3]

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::client::Client;
use crate::request::{self, Decision, txid};
use crate::{mails, paper, seed};

/// The demo member's email.
pub const EMAIL: &str = "demo@solvane.test";
/// The demo member's password.
pub const PASSWORD: &str = "solvane-demo";

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
    for (number, deposit) in DEPOSITS.iter().enumerate() {
        self::deposit(&member, [&reviewer, &reviewer2], number, deposit).await?;
    }
    for (number, trade) in TRADES.iter().enumerate() {
        self::trade(&member, number, trade).await?;
    }
    Ok(())
}

async fn member(visitor: &Client, mail_dir: &Path) -> Result<Client> {
    let answer = visitor.send(&request::register("Demi Demo", EMAIL, PASSWORD, "Portugal")).await?;
    if answer.code() != Some("EMAIL_TAKEN") {
        answer.success()?;
    }
    let member = visitor.login(EMAIL, PASSWORD).await?;
    let check = member.get("/auth/check").await?.success()?;
    if check["user"]["isVerified"] != true {
        let code = mails::wait_for_code(mail_dir, EMAIL).await?;
        member.make(request::verify_email(EMAIL, &code)).await?;
    }
    Ok(member)
}

async fn deposit(
    member: &Client,
    reviewers: [&Client; 2],
    number: usize,
    (amount, network, end): &(&str, &str, End),
) -> Result<()> {
    let known = member.get("/transactions/user").await?.success()?;
    let claims = |row: &Value| same_amount(&row["claimedAmount"], amount) || same_amount(&row["amount"], amount);
    let deposit = |row: &&Value| row["title"] == "Deposit" && claims(row);
    let row = match known["transactions"].as_array().into_iter().flatten().find(deposit) {
        Some(row) => row.clone(),
        None => {
            let mut deposit = request::deposit(amount, &member.platform_method(network).await?);
            deposit.body["receipt"] = paper::proof(amount, network, &format!("{:08}", number + 1)).into();
            member.make(deposit.with_key(format!("demo-deposit-{number}"))).await?["transaction"].clone()
        }
    };
    if row["status"] != "pending" {
        return Ok(());
    }
    let (id, txid) = (row["id"].as_str().context("a transaction has an id")?, txid());
    let decision = match end {
        End::Pending => return Ok(()),
        End::Approved(amount) => Decision::Received { amount, txid: &txid },
        End::Rejected(reason, note) => Decision::Reject { reason, note },
    };
    for reviewer in reviewers {
        if reviewer.decide(id, decision).await?.success()?["needsSecond"] != true {
            break;
        }
    }
    Ok(())
}

async fn trade(member: &Client, number: usize, (title, amount, ended): &(&str, &str, bool)) -> Result<()> {
    let known = member.get("/trades?status=all").await?.success()?;
    let mut trades = known["trades"].as_array().into_iter().flatten();
    if trades.any(|trade| trade["plan"]["title"] == *title) {
        return Ok(());
    }
    let open = request::open_trade(&member.plan(title).await?, amount);
    let opened = member.make(open.with_key(format!("demo-trade-{number}"))).await?;
    if *ended {
        // There is no gain to claim directly after opening.
        member.make(request::close_trade(&request::id(&opened)?)).await?;
    }
    Ok(())
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
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_compared_as_numbers() {
        assert!(same_amount(&json!(5000), "5000.00"));
        assert!(same_amount(&json!(1243.6), "1243.60"));
        assert!(!same_amount(&json!(1243.61), "1243.60"));
        assert!(!same_amount(&Value::Null, "1.00"));
    }
}
