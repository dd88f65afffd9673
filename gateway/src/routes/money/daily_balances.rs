//! The balances of a member at the end of each of the last days.

use axum::extract::Query;
use proto::wallet::v1::{GetBalancesResponse, ListDailyBalancesRequest, ListDailyBalancesResponse};
use route_macros::{get, response};
use serde::Deserialize;

use crate::extract::VerifiedMember;
use crate::http::convert::{FromProto, from_proto};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Dollars, reply};
use crate::peers::clients::ask;
use crate::routes::money::wallet::Balances;

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

impl FromProto<GetBalancesResponse> for DayBalances {
    fn from_proto(found: GetBalancesResponse) -> Result<Self, ApiError> {
        let Balances { at, balance, held, bonus, invested, on_hold, owed } = from_proto(found)?;
        Ok(Self { at, balance, held, bonus, invested, on_hold, owed })
    }
}

/// The balances at the end of days, oldest first.
#[response(from = ListDailyBalancesResponse)]
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
    reply(ask!(caller.wallet.list_daily_balances(message))?)
}
