//! Everything with an expiry: each function shows that it lives until then and ends then, and sets the clock forward itself.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use time::{Duration, OffsetDateTime};
use tokio::time::{Instant, sleep};

use crate::year::product::Year;
use crate::year::retention::PERSONAL_DATA_DAYS;
use play::client::{Answer, send};
use play::mails;
use play::request::{self, DESTINATION, Decision, PROOF, txid};
use play::seed;
use play::testing::{Member, PASSWORD, TestStack};
use stack::Service;

/// How long sweeps that start with a process may take, and cached sessions may live.
pub(super) const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);
const SECOND: Duration = Duration::seconds(1);

/// All of them, but for those that take months.
pub(super) async fn all(year: &mut Year) -> Result<()> {
    (year.say)("codes, links and sessions");
    verification_code(year).await.context("verification code")?;
    reset_link(year).await.context("reset link")?;
    destination_code(year).await.context("destination code")?;
    quote(year).await.context("quote")?;
    lease(year).await.context("lease of a payout")?;
    idempotency_key(year).await.context("idempotency key")?;
    cooling_off(year).await.context("cooling-off")?;
    undo_link(year).await.context("undo link")?;
    not_me_link(year).await.context("\"This was not me\"")?;
    (year.say)("a session that is used for a week, and proposals");
    session(year).await.context("session")?;
    proposal(year).await.context("proposal")
}

fn refused(answer: &Answer, code: &str) -> Result<()> {
    ensure!(answer.code() == Some(code), "{code} was expected, not {}: {}", answer.status, answer.body);
    Ok(())
}

async fn secret(year: &Year, email: &str, page: &str) -> Result<String> {
    mails::wait_for_secret(year.stack.mail_dir(), email, page).await
}

/// Ten minutes.
async fn verification_code(year: &mut Year) -> Result<()> {
    let (early, late) = (year.stack.register().await?, year.stack.register().await?);
    let code_of = async |year: &Year, member: &Member| mails::wait_for_code(year.stack.mail_dir(), &member.email).await;
    let (in_time, too_late) = (code_of(year, &early).await?, code_of(year, &late).await?);
    let verify =
        async |member: &Member, code: &str| member.client.send(&request::verify_email(&member.email, code)).await;
    year.advance(Duration::minutes(9)).await?;
    verify(&early, &in_time).await?.success()?;
    year.advance(Duration::minutes(1) + SECOND).await?;
    refused(&verify(&late, &too_late).await?, "INVALID_CODE")?;
    late.client.post("/auth/resend", json!({ "email": late.email })).await?.success()?;
    let again =
        mails::wait_for(year.stack.mail_dir(), &late.email, |mail| mail.code().is_some_and(|code| code != too_late));
    let code = again.await?.code().context("just seen")?;
    verify(&late, &code).await?.success().map(drop)
}

/// Thirty minutes.
async fn reset_link(year: &mut Year) -> Result<()> {
    let member = year.stack.member().await?;
    let forget = request::forget_password(&member.email);
    year.stack.client().make(forget.clone()).await?;
    let first = secret(year, &member.email, "/reset-password").await?;
    year.advance(Duration::minutes(30) + SECOND).await?;
    let late = year.stack.client().send(&request::set_password(&first, PASSWORD)).await?;
    refused(&late, "INVALID_RESET_TOKEN")?;
    year.stack.client().make(forget).await?;
    let limit = Instant::now() + LIMIT;
    let second = loop {
        let newest = secret(year, &member.email, "/reset-password").await?;
        if newest != first {
            break newest;
        }
        ensure!(Instant::now() < limit, "no second link");
        sleep(std::time::Duration::from_millis(50)).await;
    };
    year.advance(Duration::minutes(29)).await?;
    year.stack.client().make(request::set_password(&second, "another quiet harbour")).await.map(drop)
}

/// A withdrawal, when the books were just checked.
async fn withdraw(year: &mut Year, member: &Member) -> Result<String> {
    year.check_books().await?;
    request::id(&member.withdraw("100.00").await?.success()?)
}

/// The code that confirms a payout address: ten minutes.
async fn destination_code(year: &mut Year) -> Result<()> {
    let member = year.stack.member_with("500.00").await?;
    let withdrawal = withdraw(year, &member).await?;
    let path = format!("/transactions/{withdrawal}/confirm");
    let first = mails::wait_for_destination_code(year.stack.mail_dir(), &member.email, DESTINATION).await?;
    year.advance(Duration::minutes(10) + SECOND).await?;
    refused(&member.client.post(&path, json!({ "code": first })).await?, "INVALID_CODE")?;
    member.client.post(&format!("{path}/resend"), json!({})).await?.success()?;
    let limit = Instant::now() + LIMIT;
    loop {
        let code = mails::wait_for_destination_code(year.stack.mail_dir(), &member.email, DESTINATION).await?;
        if code != first {
            year.advance(Duration::minutes(9)).await?;
            return member.client.post(&path, json!({ "code": code })).await?.success().map(drop);
        }
        ensure!(Instant::now() < limit, "no second code");
        sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// A rate of USDT for an hour.
async fn publish_rate(year: &Year) -> Result<()> {
    let (treasurer, treasurer2) = seed::pair(&year.stack.client(), "treasurer").await?;
    let rate = json!({
        "asset": "USDT", "bid": "0.9998", "ask": "1.0002", "source": seed::RATE_SOURCE, "validMinutes": 60,
    });
    seed::propose(&treasurer, &treasurer2, "/admin/rates", rate).await.map(drop)
}

/// Fifteen minutes; the rate behind it as long as it was published for.
async fn quote(year: &mut Year) -> Result<()> {
    publish_rate(year).await?;
    let member = year.stack.member().await?;
    let method = member.platform_method("TRC20").await?;
    let ask = async |member: &Member, amount: u32| {
        let body = json!({ "direction": "deposit", "amount": amount, "method": method });
        member.client.post("/quotes", body).await
    };
    let pay = async |member: &Member, quote: &Value| {
        let body = json!({
            "amount": quote["quote"]["amount"], "method": method, "receipt": PROOF, "type": "deposit",
            "quoteId": quote["quote"]["id"],
        });
        member.client.post("/transactions/deposit", body).await
    };
    let (one, other) = (ask(&member, 500).await?.success()?, ask(&member, 600).await?.success()?);
    year.advance(Duration::minutes(14)).await?;
    pay(&member, &one).await?.success()?;
    year.advance(Duration::minutes(1) + SECOND).await?;
    refused(&pay(&member, &other).await?, "QUOTE_EXPIRED")?;
    year.advance(Duration::minutes(45)).await?;
    let member = year.login(&member).await?;
    refused(&ask(&member, 500).await?, "RATE_UNAVAILABLE")
}

/// Fifteen minutes for one treasurer; then another may take the payout.
async fn lease(year: &mut Year) -> Result<()> {
    let member = year.stack.member_with("500.00").await?;
    let withdrawal = withdraw(year, &member).await?;
    year.stack.confirm_destination(&member, &withdrawal).await?;
    year.check_books().await?;
    year.decide("reviewer", &withdrawal, Decision::Approve).await?.success()?;
    publish_rate(year).await?;
    year.decide("treasurer", &withdrawal, Decision::Take).await?.success()?;
    let other = year.decide("treasurer2", &withdrawal, Decision::Take).await?;
    ensure!(other.status == 409, "two treasurers pay at once: {} {}", other.status, other.body);
    year.advance(Duration::minutes(15) + SECOND).await?;
    year.check_books().await?;
    year.decide("treasurer2", &withdrawal, Decision::Take).await?.success()?;
    year.decide("treasurer2", &withdrawal, Decision::Paid { txid: &txid() }).await?.success().map(drop)
}

/// A day.
async fn idempotency_key(year: &mut Year) -> Result<()> {
    let member = year.stack.member().await?;
    let method = member.platform_method("TRC20").await?;
    let request = request::deposit("150.00", &method).with_key("the same");
    let deposit = async |member: &Member| request::id(&member.client.make(request.clone()).await?);
    let first = deposit(&member).await?;
    year.advance(Duration::hours(23)).await?;
    let member = year.login(&member).await?;
    ensure!(deposit(&member).await? == first, "the key was forgotten within a day");
    year.advance(Duration::hours(1) + SECOND).await?;
    let member = year.login(&member).await?;
    ensure!(deposit(&member).await? != first, "the key is remembered after a day");
    Ok(())
}

/// Payouts wait for a day after a new password.
async fn cooling_off(year: &mut Year) -> Result<()> {
    let member = year.stack.member_with("500.00").await?;
    let withdrawal = withdraw(year, &member).await?;
    year.stack.confirm_destination(&member, &withdrawal).await?;
    let change = json!({ "oldPassword": PASSWORD, "newPassword": "another quiet harbour" });
    member.client.put(&format!("/users/password/{}", member.id), change).await?.success()?;
    year.advance(Duration::hours(24) - Duration::minutes(1)).await?;
    year.check_books().await?;
    refused(&year.decide("reviewer", &withdrawal, Decision::Approve).await?, "COOLING_OFF")?;
    year.advance(Duration::minutes(1) + SECOND).await?;
    year.check_books().await?;
    year.decide("reviewer", &withdrawal, Decision::Approve).await?.success().map(drop)
}

/// Changes the address of a member, and returns the link that undoes it.
async fn change_email(year: &mut Year, member: &Member) -> Result<String> {
    let new = format!("new-{}", member.email);
    let body = json!({
        "name": "Mia Member", "email": new, "phone": "+1 555 0100", "country": "Germany", "currentPassword": PASSWORD,
    });
    member.client.put(&format!("/users/profile/{}", member.id), body).await?.success()?;
    let code = mails::wait_for_code(year.stack.mail_dir(), &new).await?;
    member.client.make(request::verify_email(&new, &code)).await?;
    secret(year, &member.email, "/undo").await
}

/// Three days.
async fn undo_link(year: &mut Year) -> Result<()> {
    let (one, other) = (year.stack.member().await?, year.stack.member().await?);
    let (in_time, too_late) = (change_email(year, &one).await?, change_email(year, &other).await?);
    let undo = async |year: &Year, token: &str| year.stack.client().post("/auth/undo", json!({ "token": token })).await;
    year.advance(Duration::hours(71)).await?;
    undo(year, &in_time).await?.success()?;
    year.advance(Duration::hours(1) + SECOND).await?;
    refused(&undo(year, &too_late).await?, "INVALID_LINK")
}

/// Three days.
async fn not_me_link(year: &mut Year) -> Result<()> {
    let mut links = Vec::new();
    for _ in 0..2 {
        let member = year.stack.member().await?;
        let body = json!({ "email": member.email, "password": PASSWORD });
        let request = year.stack.client().request(Method::POST, "/auth/login").json(&body);
        let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
        send(request.header("User-Agent", browser)).await?.success()?;
        links.push(secret(year, &member.email, "/not-me").await?);
    }
    let disown =
        async |year: &Year, token: &str| year.stack.client().post("/auth/not-me", json!({ "token": token })).await;
    year.advance(Duration::hours(71)).await?;
    disown(year, &links[0]).await?.success()?;
    year.advance(Duration::hours(1) + SECOND).await?;
    refused(&disown(year, &links[1]).await?, "INVALID_LINK")
}

/// Sessions end after half an hour without use, and after a week. An answer may be kept for some seconds of the machine's time.
async fn session(year: &mut Year) -> Result<()> {
    let (member, idle) = (year.stack.member().await?, year.stack.member().await?);
    let check = async |member: &Member| member.client.get("/auth/check").await;
    let begun = year.now();
    year.advance(Duration::minutes(30) + SECOND).await?;
    ended(&idle).await.context("half an hour without use")?;
    let mut member = year.login(&member).await?;
    let begun = begun + Duration::minutes(30);
    let mut last = year.now();
    loop {
        year.step(Duration::minutes(29))?;
        let answer = check(&member).await?;
        if answer.status == 401 {
            break;
        }
        last = year.now();
        let token = answer.success()?["token"].as_str().context("a token")?.to_owned();
        member.client = member.client.with_token(&token);
        ensure!(last - begun < Duration::days(8), "a session lives longer than a week");
    }
    let life = last - begun;
    ensure!(life > Duration::days(7) - Duration::hours(1) && life <= Duration::days(7), "a session lived for {life}");
    Ok(())
}

async fn ended(member: &Member) -> Result<()> {
    let limit = Instant::now() + LIMIT;
    while member.client.get("/auth/check").await?.status != 401 {
        ensure!(Instant::now() < limit, "the session still works");
        sleep(std::time::Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A week.
async fn proposal(year: &mut Year) -> Result<()> {
    let member = year.stack.member().await?;
    let path = format!("/admin/members/{}/bonus", member.id);
    let treasurer = year.stack.staff("treasurer").await?;
    let mut ids = Vec::new();
    for note in ["Welcome bonus", "Referred a friend"] {
        let proposed = treasurer.post(&path, json!({ "amount": "25.00", "note": note })).await?.success()?;
        ids.push(proposed["proposalId"].as_str().context("a proposal")?.to_owned());
    }
    let confirm = async |year: &Year, id: &str| {
        year.stack.staff("treasurer2").await?.post(&format!("/admin/proposals/{id}/confirm"), json!({})).await
    };
    year.advance(Duration::days(7) - Duration::minutes(1)).await?;
    confirm(year, &ids[0]).await?.success()?;
    year.advance(Duration::minutes(1) + SECOND).await?;
    refused(&confirm(year, &ids[1]).await?, "PROPOSAL_EXPIRED")?;
    let wallet = year.login(&member).await?.client.get("/wallet").await?.success()?;
    ensure!(wallet.to_string().contains("25"), "one bonus of two: {wallet}");
    Ok(())
}

/// A member who closes the account; the other services keep something of theirs.
pub(super) async fn close_account(year: &mut Year) -> Result<Member> {
    let member = year.stack.member().await?;
    member.client.make(request::save_destination("Own")).await?;
    let note = json!({ "note": "Called about the bonus." });
    let reviewer = year.stack.staff("reviewer").await?;
    reviewer.post(&format!("/admin/members/{}/notes", member.id), note).await?.success()?;
    member.client.post("/users/close", json!({ "password": PASSWORD })).await?.success()?;
    year.advance(Duration::hours(24) + SECOND).await?;
    let limit = Instant::now() + LIMIT;
    while !is_closed(year, &member).await? {
        ensure!(Instant::now() < limit, "the account does not close");
        sleep(std::time::Duration::from_millis(100)).await;
    }
    Ok(member)
}

async fn is_closed(year: &Year, member: &Member) -> Result<bool> {
    let mut auth = PgConnection::connect(&year.stack.databases().owner_url(Service::Auth)?).await?;
    let closed = sqlx::query_scalar("SELECT closed_at IS NOT NULL FROM users WHERE id = $1::uuid").bind(&member.id);
    Ok(closed.fetch_one(&mut auth).await?)
}

/// Thirty days.
pub(super) async fn free_address(year: &mut Year, closed: &Member) -> Result<()> {
    let register = async |year: &Year| {
        year.stack.client().send(&request::register("Mia Member", &closed.email, PASSWORD, "Germany")).await
    };
    let mut auth = PgConnection::connect(&year.stack.databases().owner_url(Service::Auth)?).await?;
    let closed_at: OffsetDateTime = sqlx::query_scalar("SELECT closed_at FROM users WHERE id = $1::uuid")
        .bind(&closed.id)
        .fetch_one(&mut auth)
        .await?;
    let free_at = closed_at + Duration::days(30);
    year.advance_to(free_at - Duration::minutes(1)).await?;
    year.restart(&[Service::Auth]).await?;
    refused(&register(year).await?, "EMAIL_TAKEN")?;
    year.advance_to(free_at + SECOND).await?;
    year.restart(&[Service::Auth]).await?;
    let limit = Instant::now() + LIMIT;
    loop {
        let answer = register(year).await?;
        if answer.status == 201 {
            return Ok(());
        }
        ensure!(Instant::now() < limit, "the address of a closed account is not free: {}", answer.body);
        sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Whether auth has not yet removed the data of a closed account whose time is over.
pub(super) async fn waits_for_erasure(stack: &TestStack) -> Result<bool> {
    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    let statement = format!(
        "SELECT EXISTS (SELECT FROM users WHERE erased_at IS NULL
         AND closed_at < clock_timestamp() - interval '{} days')",
        PERSONAL_DATA_DAYS
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&mut auth).await?)
}

/// How many rows the services keep about a member whose account is closed.
pub(super) async fn kept_about(stack: &TestStack, closed: &Member) -> Result<i64> {
    let tables = [
        (Service::Auth, "member_notes"),
        (Service::Auth, "security_events"),
        (Service::PaymentMethod, "methods"),
        (Service::PaymentMethod, "quotes"),
        (Service::Wallet, "destinations"),
        (Service::Course, "progress"),
    ];
    let mut kept = 0;
    for (service, table) in tables {
        let mut database = audit::connect(&stack.databases().owner_url(service)?).await?;
        let statement = format!("SELECT count(*) FROM {table} WHERE user_id = $1::uuid");
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(statement)).bind(&closed.id).fetch_one(&mut database).await?;
        kept += rows;
    }
    Ok(kept)
}
