//! The behaviour of the product when parts of it fail: nothing is lost, nothing happens twice.

use std::{collections::BTreeSet, time::Duration};

use anyhow::{Context, Result, ensure};
use play::{
    client::Answer,
    request,
    testing::{Member, Options, TestStack},
};
use serde_json::{Value, json};
use sqlx::PgConnection;
use stack::Service;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

const LIMIT: Duration = Duration::from_secs(30);

async fn deposit(member: &Member, method: &str, key: &str) -> Result<Answer> {
    member.client.send(&request::deposit("150.00", method).with_key(key)).await
}

/// Sends the same request again until the product answers it, as a careful client does.
async fn deposit_at_last(member: &Member, method: &str, key: &str) -> Result<Answer> {
    let limit = Instant::now() + LIMIT;
    loop {
        let answer = deposit(member, method, key).await?;
        let unsettled =
            answer.status >= 500 || (answer.status == 409 && answer.code() == Some("IDEMPOTENCY_KEY_IN_FLIGHT"));
        if !unsettled || Instant::now() > limit {
            return Ok(answer);
        }
        sleep(Duration::from_millis(50)).await;
    }
}

async fn deposits(member: &Member) -> Result<Vec<Value>> {
    let list = member.client.get("/transactions/user").await?.success()?;
    Ok(list["transactions"].as_array().context("a list")?.clone())
}

/// [K7] [K11] [D-E2] With the broker away requests still succeed; the mails come after its return, without a restart.
#[tokio::test]
async fn requests_succeed_while_the_broker_is_away() -> Result<()> {
    let mut stack = TestStack::with(Options { own_broker: true, ..Options::default() }).await?;
    let member = stack.member().await?;
    let method = member.platform_method("TRC20").await?;
    stack.stop_broker().await?;
    let answer = deposit(&member, &method, "away").await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let newcomer = stack.register().await?;
    stack.start_broker().await?;
    stack.mail(&member.email, "deposit").await?;
    stack.mail(&newcomer.email, "").await?;
    assert_eq!(deposits(&member).await?.len(), 1);
    Ok(())
}

/// [D-E2] [E1] With the SMTP server away requests still succeed; each mail comes once after its return.
#[tokio::test]
async fn mail_waits_for_the_smtp_server() -> Result<()> {
    let mut stack = TestStack::with(Options { smtp: true, ..Options::default() }).await?;
    stack.stop_smtp().await?;
    let member = stack.register().await?;
    assert!(stack.mails()?.iter().all(|mail| mail.to != member.email));
    stack.start_smtp().await?;
    stack.mail(&member.email, "").await?;
    let ids: Vec<_> = stack.mails()?.into_iter().map(|mail| mail.message_id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no mail comes twice");
    Ok(())
}

/// [Q1] [L7] [L9] [D-G4] A wallet killed in the middle of requests loses and doubles nothing: each key has exactly one
/// transaction once its request was answered, and the answer stays the same.
#[tokio::test]
async fn a_killed_wallet_loses_and_doubles_nothing() -> Result<()> {
    let mut stack = TestStack::start().await?;
    let mut members = Vec::new();
    for _ in 0..4 {
        members.push(stack.member().await?);
    }
    let method = members[0].platform_method("TRC20").await?;
    let mut requests = JoinSet::new();
    for member in &members {
        for number in 0..4 {
            let (member, method) = (member.clone(), method.clone());
            // A lost connection is the point here, not a failure.
            requests.spawn(async move { deposit(&member, &method, &format!("key-{number}")).await.ok() });
        }
    }
    // The first answer shows that the others are on their way.
    requests.join_next().await.context("an answer")??;
    stack.kill(Service::Wallet).await?;
    while requests.join_next().await.is_some() {}
    stack.restart(Service::Wallet).await?;
    for member in &members {
        for number in 0..4 {
            let key = format!("key-{number}");
            let first = deposit_at_last(member, &method, &key).await?;
            assert_eq!(first.status, 201, "{}", first.body);
            let again = deposit_at_last(member, &method, &key).await?;
            assert_eq!(first.body["transaction"]["id"], again.body["transaction"]["id"]);
            assert_eq!(again.headers.get("idempotency-replayed").map(|value| value.as_bytes()), Some(&b"true"[..]));
        }
        assert_eq!(deposits(member).await?.len(), 4);
    }
    Ok(())
}

/// [D-S2] [K11] With the wallet away nobody is logged out, and it needs no restart of the others when it is back.
#[tokio::test]
async fn a_wallet_outage_logs_nobody_out() -> Result<()> {
    let mut stack = TestStack::start().await?;
    let member = stack.member().await?;
    stack.terminate(Service::Wallet).await?;
    let check = member.client.get("/auth/check").await?.success()?;
    assert_eq!((&check["user"]["wallet"], &check["degraded"]), (&Value::Null, &json!(true)));
    stack.restart(Service::Wallet).await?;
    let limit = Instant::now() + LIMIT;
    loop {
        let check = member.client.get("/auth/check").await?.success()?;
        if check["user"]["wallet"]["balance"] == json!(0) {
            return Ok(());
        }
        assert!(Instant::now() < limit, "still {check}");
        sleep(Duration::from_millis(50)).await;
    }
}

/// [K9] A service that hangs is answered for in time, and the product goes on when it does.
#[tokio::test]
async fn a_hanging_wallet_is_answered_for_in_time() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    stack.stop(Service::Wallet)?;
    let asked = Instant::now();
    let answer = member.client.get("/transactions/user").await?;
    assert!(matches!(answer.status, 503 | 504), "{}", answer.status);
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
    assert_eq!(answer.body["success"], false, "a JSON answer even now");
    stack.cont(Service::Wallet)?;
    let limit = Instant::now() + LIMIT;
    while member.client.get("/transactions/user").await?.status != 200 {
        assert!(Instant::now() < limit, "the product does not go on");
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Waits until a count is this.
async fn counted(database: &mut PgConnection, sql: &'static str, wanted: i64) -> Result<()> {
    let limit = Instant::now() + LIMIT;
    while sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut *database).await? != wanted {
        ensure!(Instant::now() < limit, "never {wanted}: {sql}");
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// [Q1] [L7] [L9] [D-G4] A wallet that dies after the commit of many and before its answers: each key shows what became
/// of its request.
#[tokio::test]
async fn what_was_committed_is_told_by_its_key() -> Result<()> {
    let mut stack = TestStack::start().await?;
    let (one, other) = (stack.member_with("500.00").await?, stack.member_with("500.00").await?);
    let method = one.platform_method("TRC20").await?;
    let withdraw = request::withdraw("100.00", &method).with_key("key");
    let mut database = audit::connect(&stack.databases().owner_url(Service::Wallet)?).await?;
    // Of this database: others of the server have locks, too.
    let waiting = "CREATE TEMP VIEW waiting_here AS SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted
        AND relation = 'transactions'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    sqlx::raw_sql(waiting).execute(&mut database).await?;
    // Held up by this lock, the statement commits after its client is gone.
    sqlx::raw_sql("BEGIN; LOCK TABLE transactions IN SHARE ROW EXCLUSIVE MODE").execute(&mut database).await?;
    let mut unanswered = JoinSet::new();
    for member in [&one, &other] {
        let (client, withdraw) = (member.client.clone(), withdraw.clone());
        unanswered.spawn(async move { client.send(&withdraw).await });
    }
    counted(&mut database, "SELECT least(waiting, 1) FROM waiting_here", 1).await?;
    stack.stop(Service::Wallet)?;
    sqlx::raw_sql("COMMIT").execute(&mut database).await?;
    counted(&mut database, "SELECT waiting FROM waiting_here", 0).await?;
    counted(&mut database, "SELECT least(count(*), 1) FROM transactions WHERE kind = 'withdrawal'", 1).await?;
    stack.kill(Service::Wallet).await?;
    while let Some(answer) = unanswered.join_next().await {
        assert!(answer?.map_or(true, |answer| answer.status >= 500), "nobody was there to answer");
    }
    stack.restart(Service::Wallet).await?;
    let limit = Instant::now() + LIMIT;
    for member in [&one, &other] {
        let mut ids = Vec::new();
        while ids.len() < 2 {
            let answer = member.client.send(&withdraw).await?;
            if answer.status < 500 {
                assert_eq!(answer.status, 201, "{}", answer.body);
                ids.push(answer.body["transaction"]["id"].clone());
            }
            ensure!(Instant::now() < limit, "no answer in time");
        }
        assert_eq!(ids[0], ids[1], "one key, one answer");
    }
    counted(&mut database, "SELECT count(*) FROM transactions WHERE kind = 'withdrawal'", 2).await?;
    assert_eq!(stack.broken_promises().await?, []);
    Ok(())
}
