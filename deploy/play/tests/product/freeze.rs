//! A freeze takes effect immediately.

use anyhow::{Result, ensure};
use play::client::{Answer, Client};
use play::request::{self, DESTINATION, Decision, PROOF, id, txid};
use play::testing::{Member, Options, TestStack};
use serde_json::{Value, json};

/// Every service and the gateway have just learned that the member is not frozen.
async fn warm_up(member: &Member) -> Result<()> {
    for path in ["/transactions/user", "/trades", "/payment-methods"] {
        member.client.get(path).await?.success()?;
    }
    Ok(())
}

async fn set_frozen(reviewer: &Client, member: &Member, act: &str) -> Result<()> {
    let body = json!({ "note": "asked for by the member" });
    reviewer.post(&format!("/admin/members/{}/{act}", member.id), body).await?.success()?;
    Ok(())
}

/// A request and what distinguishes it: method, path, body.
type Call = (&'static str, String, Value);

async fn send(client: &Client, (method, path, body): &Call) -> Result<Answer> {
    match *method {
        "PUT" => client.put(path, body.clone()).await,
        "DELETE" => client.delete(path).await,
        _ => client.post(path, body.clone()).await,
    }
}

/// Everything that moves money or changes where it goes, as it would succeed if the member were not frozen.
fn calls(
    member: &Member,
    plan: &str,
    method: &str,
    own_method: &str,
    trades: &[String],
    withdrawal: &str,
) -> Vec<Call> {
    let address = json!({ "currency": "USDT", "network": "TRC20", "address": DESTINATION });
    let id = &member.id;
    let profile = json!({ "name": "Mia", "email": member.email, "phone": "+1 555 0100", "country": "Germany" });
    vec![
        (
            "POST",
            "/transactions/deposit".into(),
            json!({ "amount": 150, "method": method, "receipt": PROOF, "type": "deposit" }),
        ),
        ("POST", "/transactions/withdraw".into(), json!({ "amount": 100, "method": method, "address": DESTINATION })),
        (
            "POST",
            format!("/transactions/fee/{withdrawal}"),
            json!({ "amount": 2.5, "method": method, "receipt": PROOF, "transactionId": withdrawal }),
        ),
        ("POST", "/courses/purchase".into(), json!({})),
        ("POST", "/trades/create".into(), json!({ "planId": plan, "amount": 250 })),
        ("PUT", format!("/trades/claim/{}", trades[0]), json!({})),
        ("DELETE", format!("/trades/close/{}", trades[0]), Value::Null),
        ("POST", "/payment-methods".into(), address.clone()),
        ("PUT", format!("/payment-methods/{own_method}"), address),
        ("DELETE", format!("/payment-methods/{own_method}"), Value::Null),
        ("POST", format!("/payment-methods/{own_method}/confirm"), json!({ "code": "123456" })),
        ("POST", format!("/transactions/{withdrawal}/confirm/resend"), Value::Null),
        ("PUT", format!("/users/profile/{id}"), profile),
        ("PUT", format!("/users/image/{id}"), json!({ "image": PROOF })),
        (
            "PUT",
            format!("/users/password/{id}"),
            json!({ "oldPassword": "x", "newPassword": "correct horse battery 2" }),
        ),
    ]
}

/// [D-R13] The first call after a freeze is refused, no matter which answers were cached; so are approval and payout.
#[tokio::test]
async fn a_freeze_takes_effect_at_once() -> Result<()> {
    let stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    let (member, reviewer) = (stack.member_with("5000.00").await?, stack.staff("reviewer").await?);
    let treasurer = stack.staff("treasurer").await?;
    let method = member.platform_method("TRC20").await?;
    let plan = member.client.plan("Starter").await?;
    let trades = [id(&member.client.make(request::open_trade(&plan, "250.00")).await?)?];
    let own = id(&member.client.make(request::save_destination("Own")).await?)?;
    let withdrawal = id(&member.withdraw("100.00").await?.success()?)?;
    stack.confirm_destination(&member, &withdrawal).await?;
    let before = member.client.get("/auth/check").await?.success()?["user"]["wallet"].clone();
    for call in calls(&member, &plan, &method, &own, &trades, &withdrawal) {
        warm_up(&member).await?;
        set_frozen(&reviewer, &member, "freeze").await?;
        let answer = send(&member.client, &call).await?;
        ensure!((answer.status, answer.code()) == (403, Some("ACCOUNT_FROZEN")), "{call:?}: {}", answer.body);
        member.client.get("/transactions/user").await?.success()?;
        set_frozen(&reviewer, &member, "unfreeze").await?;
    }
    let after = member.client.get("/auth/check").await?.success()?["user"]["wallet"].clone();
    assert_eq!(before, after, "nothing moved");
    refuse_payout(&member, &reviewer, &treasurer, &withdrawal).await?;
    assert_eq!(stack.broken_promises().await?, []);
    Ok(())
}

async fn refuse_payout(member: &Member, reviewer: &Client, treasurer: &Client, withdrawal: &str) -> Result<()> {
    let txid = txid();
    let paid = Decision::Paid { txid: &txid };
    set_frozen(reviewer, member, "freeze").await?;
    let answer = reviewer.decide(withdrawal, Decision::Approve).await?;
    ensure!((answer.status, answer.code()) == (409, Some("ACCOUNT_FROZEN")), "{}", answer.body);
    set_frozen(reviewer, member, "unfreeze").await?;
    reviewer.decide(withdrawal, Decision::Approve).await?.success()?;
    set_frozen(reviewer, member, "freeze").await?;
    for decision in [Decision::Take, paid] {
        let answer = treasurer.decide(withdrawal, decision).await?;
        ensure!((answer.status, answer.code()) == (409, Some("ACCOUNT_FROZEN")), "{decision:?}: {}", answer.body);
    }
    set_frozen(reviewer, member, "unfreeze").await?;
    treasurer.decide(withdrawal, paid).await?.success().map(drop)
}
