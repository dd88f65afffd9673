//! Returns the balances of a member at the end of each of the last days.

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::money::Cents;
use time::{Date, Duration, OffsetDateTime, Time};

use crate::app::account::get_balances::Balances;
use crate::app::wait_until_over;
use crate::error::Error;
use crate::store::entries::{self, DayChange};

/// The longest list.
const MOST_DAYS: i32 = 92;

/// What a member had at the end of each day in UTC, oldest first; today has not ended.
///
/// # Errors
/// Invalid for no or too many days, Unavailable while something may still be posted before today.
pub async fn list_daily_balances(db: &Db, user_id: MemberId, days: i32) -> Result<Vec<Balances>, Error> {
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Refusal::field("days", "Please choose 1 to 92 days.").into());
    }
    let today = clock::now(&mut *db.conn().await?).await?.date();
    let first = today - Duration::days(days.into());
    wait_until_over(db, end_of(today - Duration::DAY)).await?;
    let (opening, changes) = entries::by_day(&mut *db.conn().await?, user_id, midnight(first)).await?;
    add_up(opening, &changes, first, days)
}

/// The balances after each day.
fn add_up(
    mut balances: Vec<(String, Cents)>,
    changes: &[DayChange],
    first: Date,
    days: i32,
) -> Result<Vec<Balances>, Error> {
    let mut ended = Vec::new();
    for day in (0..days).map(|day| first + Duration::days(day.into())) {
        for change in changes.iter().filter(|change| change.day == day) {
            if let Some((_, balance)) = balances.iter_mut().find(|(account, _)| *account == change.account) {
                *balance = balance.plus(change.amount)?;
            }
        }
        ended.push(Balances { at: end_of(day), accounts: balances.clone() });
    }
    Ok(ended)
}

fn midnight(day: Date) -> OffsetDateTime {
    day.with_time(Time::MIDNIGHT).assume_utc()
}

/// The last moment of a day.
fn end_of(day: Date) -> OffsetDateTime {
    midnight(day + Duration::DAY) - Duration::MICROSECOND
}
