//! The balances of a member at the end of each of the last days.

use axum::extract::Query;
use proto::wallet::v1::{GetBalancesResponse, ListDailyBalancesRequest};
use route_macros::{get, response};
use serde::Deserialize;

use crate::clients::ask;
use crate::extract::VerifiedMember;
use crate::json::{Answer, Dollars, moment, ok};

/// Days by default.
const DAYS: i32 = 30;

/// How many days.
#[derive(Debug, Default, Deserialize)]
pub struct Days {
    days: Option<i32>,
}

/// The balances at the end of a day, in dollars.
#[response]
pub struct DayBalances {
    /// The last moment of the day.
    #[nullable]
    at: Option<String>,
    balance: Dollars,
    held: Dollars,
    bonus: Dollars,
    invested: Dollars,
    on_hold: Dollars,
    owed: Dollars,
}

impl From<GetBalancesResponse> for DayBalances {
    fn from(found: GetBalancesResponse) -> Self {
        let cents = |account| {
            let balance = found.balances.iter().find(|one| one.account == account);
            balance.map_or(0, |one| one.amount_cents)
        };
        let of = |account| Dollars::from_cents(cents(account));
        Self {
            at: moment(found.at.as_ref()),
            balance: of("available"),
            held: of("held"),
            bonus: of("bonus"),
            invested: of("invested"),
            on_hold: of("on_hold"),
            // The account stands below zero by what is owed.
            owed: Dollars::from_cents(cents("owed").saturating_neg()),
        }
    }
}

/// The balances at the end of days, oldest first.
#[response]
pub struct DailyBalances {
    days: Vec<DayBalances>,
}

/// List the balances of the last days
///
/// At the end of each day in UTC, oldest first, without today.
#[get("/wallet/days", "Money",
    params(("days" = Option<i32>, Query, minimum = 1, maximum = 92, description = "How many; 30 by default")))]
pub async fn list(caller: VerifiedMember, Query(query): Query<Days>) -> Answer<DailyBalances> {
    let message = ListDailyBalancesRequest { days: query.days.unwrap_or(DAYS) };
    let found = ask!(caller.wallet.list_daily_balances(message))?;
    Ok(ok(DailyBalances { days: found.days.into_iter().map(DayBalances::from).collect() }))
}
