//! A year of the product on a clock that is set forward: everything that ends by time ends when it should, the audit is
//! clean after every month, and no table keeps rows beyond its retention. [D-H4]
//!
//! It begins in November 2023, so that the end of a year and a 29 February are in the first months. Only time that members
//! can notice is played; in between the clock is set forward.

mod lives;

mod months;

mod product;

mod retention;

use anyhow::{Context, Result, ensure};
use time::macros::datetime;
use time::{Date, Duration, OffsetDateTime};
use tokio::time::{Instant, sleep};

use crate::year::lives::LIMIT;
use crate::year::product::Year;
use crate::year::retention::{PERSONAL_DATA_DAYS, RECEIPT_DAYS};
use play::testing::{self, Member};
use stack::Service;

/// When the year begins.
const BEGIN: OffsetDateTime = datetime!(2023-11-25 9:00 UTC);

/// Plays this many months; fails at the first thing that does not end when it should.
///
/// # Errors
/// Also when libfaketime is not installed.
pub async fn play(months: u32, say: fn(&str)) -> Result<()> {
    let mut year = {
        let days = |name, days: u16| (name, days.to_string());
        let mut environment = testing::one_reviewer();
        environment.extend([
            days("PERSONAL_DATA_RETENTION_DAYS", PERSONAL_DATA_DAYS),
            days("RECEIPT_RETENTION_DAYS", RECEIPT_DAYS),
        ]);
        Year::begin(BEGIN, environment, say).await?
    };
    let closed = lives::close_account(&mut year).await.context("closing an account")?;
    year.advance(Duration::hours(3)).await?;
    let saver = year.stack.member_with("9000.00").await?;
    let maturing = year.open_trade(&saver, 0, "1000.00").await?;
    lives::all(&mut year).await?;
    lives::free_address(&mut year, &closed).await.context("address of a closed account")?;
    months::maturity(&mut year, &saver, &maturing).await?;
    year.advance_to(datetime!(2023-12-31 23:55 UTC)).await?;
    year.deposit(&saver, "310.00").await?;
    year.advance_to(datetime!(2024-01-01 0:00:10 UTC)).await?;
    year.deposit(&saver, "101.00").await?;
    let mut month = datetime!(2024-01-01 0:30 UTC);
    for number in 1..=months {
        (year.say)(&format!("month {number} of {months}: until {}", month.date()));
        year.advance_to(month).await?;
        end_month(&mut year, &closed).await.with_context(|| format!("in the month before {}", month.date()))?;
        live(&mut year, &saver, month).await.with_context(|| format!("in the month of {}", month.date()))?;
        month = first_of_next(month)?;
    }
    months::statements(&mut year, &saver).await?;
    year.stack.end().await
}

fn first_of_next(month: OffsetDateTime) -> Result<OffsetDateTime> {
    let later = month.date() + Duration::days(31);
    Ok(month.replace_date(Date::from_calendar_date(later.year(), later.month(), 1)?))
}

/// Every process is restarted, as deployments do now and then; then the books and every retention are checked.
async fn end_month(year: &mut Year, closed: &Member) -> Result<()> {
    year.traffic.end().await?;
    // Auth lists the members whose data is to be removed before the other services ask.
    year.restart(&[Service::Auth]).await?;
    let limit = Instant::now() + LIMIT;
    while lives::waits_for_erasure(&year.stack).await? && Instant::now() < limit {
        sleep(std::time::Duration::from_millis(50)).await;
    }
    year.restart(&Service::ALL[1..]).await?;
    if within_limit(year).await.is_err() {
        // A sweep that failed, on a busy machine, waits for up to an hour.
        year.restart(&Service::ALL).await?;
        within_limit(year).await?;
    }
    retention::finds_an_old_row(&year.stack).await?;
    // Within a month and a half, staff can still answer questions about a closed account.
    let is_due = year.now() > BEGIN + Duration::days(i64::from(PERSONAL_DATA_DAYS) + 1);
    loop {
        let kept = lives::kept_about(&year.stack, closed).await?;
        if is_due == (kept == 0) {
            break;
        }
        ensure!(Instant::now() < limit + LIMIT * 4, "{kept} rows about a member who closed the account on {BEGIN}");
        sleep(std::time::Duration::from_millis(100)).await;
    }
    let broken = year.stack.broken_promises().await?;
    ensure!(broken.is_empty(), "the audit found {broken:?}");
    Ok(())
}

/// Waits until the sweeps that started with the processes leave nothing beyond its retention.
async fn within_limit(year: &Year) -> Result<()> {
    let limit = Instant::now() + LIMIT;
    loop {
        match retention::check(&year.stack).await {
            Err(_) if Instant::now() < limit => sleep(std::time::Duration::from_millis(100)).await,
            checked => return checked,
        }
    }
}

/// What happens in an ordinary month: values, a deposit on its last day, a trade that is ended in the next one.
async fn live(year: &mut Year, saver: &Member, month: OffsetDateTime) -> Result<()> {
    let saver = year.login(saver).await?;
    let number = i64::from(month.year() - 2024) * 12 + i64::from(u8::from(month.month()));
    year.publish_value(0, &format!("1.{:06}", 600_000 + number * 1_000)).await?;
    months::end_open_trades(&saver).await?;
    year.open_trade(&saver, 0, "150.00").await?;
    if month.month() == time::Month::January && month.year() == 2024 {
        months::key_rotation(year, &saver).await?;
    }
    months::clock_steps(year, &saver).await?;
    year.advance_to(first_of_next(month)? - Duration::hours(12)).await?;
    year.deposit(&saver, "100.00").await
}
