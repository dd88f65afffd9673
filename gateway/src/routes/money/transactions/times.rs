//! Handling times of deposits and withdrawals.

use proto::wallet::v1::{GetTimesRequest, HandlingTime};
use route_macros::{get, response};

use crate::extract::VerifiedMember;
use crate::http::json::{Answer, ok};
use crate::peers::clients::ask;

/// Handling times of the last 24 hours, in seconds.
#[response]
#[derive(Clone)]
pub struct Percentiles {
    /// Half of them took at most this many seconds.
    median: i64,
    /// 90 % of them took at most this many seconds.
    p90: i64,
}

/// The times of one kind, if enough were handled.
#[must_use]
pub fn of_kind(times: &[HandlingTime], kind: &str) -> Option<Percentiles> {
    let time = times.iter().find(|time| time.kind == kind)?;
    Some(Percentiles { median: time.median_seconds, p90: time.p90_seconds })
}

/// The handling times that members see. `null` for a kind of which fewer than ten were handled.
#[response]
pub struct MemberTimes {
    /// From request to review.
    #[nullable]
    deposit: Option<Percentiles>,
    /// From request to payout.
    #[nullable]
    withdrawal: Option<Percentiles>,
}

/// Handling times of all members.
#[response]
pub struct Times {
    times: MemberTimes,
}

/// See how long deposits and withdrawals take
///
/// Of all members, in the last 24 hours; up to a minute old.
#[get("/transactions/times", "Transactions")]
pub async fn times(caller: VerifiedMember) -> Answer<Times> {
    let times = ask!(caller.wallet.get_times(GetTimesRequest {}))?.times;
    let times = MemberTimes { deposit: of_kind(&times, "deposit"), withdrawal: of_kind(&times, "withdrawal") };
    Ok(ok(Times { times }))
}
