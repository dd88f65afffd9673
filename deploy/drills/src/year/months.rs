//! What goes on over months: a trade until its maturity, rotated keys, a clock that jumps, and the statements of every month.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use time::{Date, Duration, Month, OffsetDateTime};
use tokio::process::Command;
use tokio::time::{Instant, sleep};

use crate::year::lives::LIMIT;
use crate::year::product::Year;
use play::client::cents;
use play::request;
use play::testing::Member;
use stack::Service;

/// A trade of thirty days is paid at the value of its maturity, however the plan goes on.
pub(super) async fn maturity(year: &mut Year, member: &Member, trade: &str) -> Result<()> {
    let member = year.login(member).await?;
    let trades = member.client.get("/trades").await?.success()?;
    let row = trades["trades"].as_array().into_iter().flatten().find(|row| row["id"] == *trade).context("the trade")?;
    let matures = row["maturesAt"].as_str().context("a maturity")?;
    let matures = OffsetDateTime::parse(matures, &time::format_description::well_known::Rfc3339)?;
    year.advance_to(matures - Duration::minutes(10)).await?;
    year.publish_value(0, "1.100000").await?;
    year.advance_to(matures + Duration::hours(1)).await?;
    year.publish_value(0, "1.500000").await?;
    year.advance(Duration::days(1)).await?;
    let member = year.login(&member).await?;
    let before = balance(&member).await?;
    member.client.put(&format!("/trades/claim/{trade}"), json!({})).await?.success()?;
    let paid = balance(&member).await? - before;
    ensure!(paid == 110_000, "a claim after maturity pays {paid} cents, not those at maturity");
    Ok(())
}

async fn balance(member: &Member) -> Result<i64> {
    let check = member.client.get("/auth/check").await?.success()?;
    cents(&check["user"]["wallet"]["balance"])
}

/// Ends what is open: claimed if in profit, closed otherwise.
pub(super) async fn end_open_trades(member: &Member) -> Result<()> {
    let list = member.client.get("/trades").await?.success()?;
    for trade in list["trades"].as_array().context("a list")? {
        let id = trade["id"].as_str().context("an id")?;
        member.client.end_trade(id).await?;
    }
    Ok(())
}

/// New keys for tokens and for a service, half an hour apart: members who keep using the product stay logged in.
pub(super) async fn key_rotation(year: &mut Year, member: &Member) -> Result<()> {
    let mut member = year.login(member).await?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rotate-key.sh").canonicalize()?;
    for (step, services) in [("add", &Service::ALL[..]), ("switch", &Service::ALL[..2]), ("retire", &Service::ALL)] {
        for key in ["token", "wallet"] {
            let mut command = Command::new(&script);
            command.arg("--folder").arg(year.stack.folder()).args([step, key]);
            let output = command.output().await?;
            ensure!(output.status.success(), "{step} {key}: {}", String::from_utf8_lossy(&output.stderr));
        }
        year.restart(services).await?;
        for _ in 0..2 {
            let answer = member.client.get("/auth/check").await?.success().context(step)?;
            member.client = member.client.with_token(answer["token"].as_str().context("a token")?);
            year.advance(Duration::minutes(16)).await?;
        }
    }
    member.client.get("/auth/check").await?.success().map(drop)
}

/// The clock jumps while requests are under way: by seconds, as after a pause of a virtual machine, and by an hour.
pub(super) async fn clock_steps(year: &mut Year, member: &Member) -> Result<()> {
    for by in [Duration::seconds(5), Duration::minutes(20), Duration::hours(1)] {
        let member = year.login(member).await?;
        let before = balance(&member).await?;
        let open = request::open_trade(&year.plans[0], "100.00").with_key("step");
        let (client, opening) = (member.client.clone(), open.clone());
        let trade = tokio::spawn(async move { client.send(&opening).await });
        sleep(std::time::Duration::from_millis(3)).await;
        year.step(by)?;
        trade.await??;
        // Its first answer may have been lost with the session's time; the key shows.
        let member = year.login(&member).await?;
        let limit = Instant::now() + LIMIT;
        let opened = loop {
            let answer = member.client.send(&open).await?;
            if answer.status == 201 {
                break answer.body;
            }
            ensure!(answer.status >= 409 && Instant::now() < limit, "{} {}", answer.status, answer.body);
            sleep(std::time::Duration::from_millis(100)).await;
        };
        ensure!(before - balance(&member).await? == 10_000, "a trade for a key, across a step of {by}");
        member.client.make(request::close_trade(&request::id(&opened)?)).await?;
        year.advance(Duration::hours(25)).await?;
    }
    Ok(())
}

/// Every month's statement continues the one before, up to today's balance; the days at the end of a year and of February are
/// in the right one.
pub(super) async fn statements(year: &mut Year, member: &Member) -> Result<()> {
    let member = year.login(member).await?;
    let (mut month, mut before) = (Date::from_calendar_date(2023, Month::November, 1)?, 0);
    while month <= year.now().date() {
        let next = month + Duration::days(i64::from(month.month().length(month.year())));
        let last = next.previous_day().context("a day before")?;
        let path = format!("/transactions/statement?from={month}&to={last}");
        let statement = member.client.get(&path).await?.success()?;
        let lines = statement["lines"].as_array().context("lines")?;
        let days: Vec<&str> = lines.iter().filter_map(|line| line["at"].as_str()).map(|at| &at[..10]).collect();
        ensure!(cents(&statement["openingBalance"])? == before, "{month} does not go on where the month before ended");
        let moved = lines.iter().map(|line| cents(&line["amount"])).sum::<Result<i64>>()?;
        before += moved;
        ensure!(cents(&statement["closingBalance"])? == before, "the lines of {month} do not add up");
        let own = &month.to_string()[..7];
        if let Some(other) = days.iter().find(|day| !day.starts_with(own)) {
            bail!("the statement of {own} has a line of {other}");
        }
        for day in ["2023-12-31", "2024-01-01", "2024-02-29"] {
            ensure!(!day.starts_with(own) || days.contains(&day), "nothing on {day} in {days:?}");
        }
        month = next;
    }
    ensure!(balance(&member).await? == before, "the last statement ends with another balance");
    Ok(())
}
