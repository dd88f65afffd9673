//! Returns what a calendar year did to the balance of a member.

use chassis::clock;
use chassis::db::{PgConnection, Reads};
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::money::Cents;
use time::{Date, Month, OffsetDateTime};

use crate::app::wait_until_over;
use crate::error::Error;
use crate::store::entries::{self, MovementSum};
use crate::store::trade_fundings::{self, PlanResult, TradeResult};
use crate::store::transactions;

/// Trades that are listed one by one.
const MOST_TRADES: i64 = 1_000;

/// A year of a member.
#[derive(Debug, Clone)]
pub struct YearReport {
    /// It ends before this moment.
    pub until: OffsetDateTime,
    pub opening: Cents,
    pub closing: Cents,
    /// All movements of the free balance.
    pub sums: Vec<MovementSum>,
    /// What withdrawals cost out of the payout, and apart from it.
    pub fees: (Cents, Cents),
    /// All trades that ended.
    pub plans: Vec<PlanResult>,
    /// The newest of them.
    pub trades: Vec<TradeResult>,
    /// Kinds of accounts and what they held at the end; none before the member had accounts.
    pub balances: Vec<(String, Cents)>,
}

/// A year in UTC; the current one up to now. The report of a year that is over never changes.
///
/// # Errors
/// Invalid for a year that has not begun, Unavailable while something may still be posted in it.
pub async fn get_year_report(reads: &Reads, user_id: MemberId, year: i32) -> Result<YearReport, Error> {
    let db = reads.primary();
    let no_year = || Error::from(Refusal::field("year", "Please choose a year that has begun."));
    let now = clock::now(&mut *db.conn().await?).await?;
    if !(2000..=now.year()).contains(&year) {
        return Err(no_year());
    }
    let start = |year| Date::from_calendar_date(year, Month::January, 1).map(|day| day.midnight().assume_utc());
    let from = start(year).map_err(|_| no_year())?;
    let until = start(year + 1).map_err(|_| no_year())?.min(now);
    wait_until_over(db, until).await?;
    reads.read_current(|conn| read(conn, user_id, (from, until))).await
}

async fn read(
    mut conn: Box<PgConnection>,
    user_id: MemberId,
    within: (OffsetDateTime, OffsetDateTime),
) -> Result<YearReport, Error> {
    let period = entries::period(&mut conn, user_id, within, i64::MAX).await?;
    let sums = match &period {
        Some(period) => entries::movement_sums(&mut conn, period).await?,
        None => Vec::new(),
    };
    Ok(YearReport {
        until: within.1,
        opening: period.as_ref().map_or(Cents::ZERO, |period| period.opening),
        closing: period.as_ref().map_or(Cents::ZERO, |period| period.closing),
        sums,
        fees: transactions::fees_paid(&mut conn, user_id, within).await?,
        plans: trade_fundings::ended_by_plan(&mut conn, user_id, within).await?,
        trades: trade_fundings::ended(&mut conn, user_id, within, MOST_TRADES).await?,
        balances: entries::balances_at(&mut conn, user_id, within.1 - time::Duration::MICROSECOND).await?,
    })
}
