//! Handling times of deposits and withdrawals.

use axum::extract::State;
use proto::wallet::v1::{GetTimesRequest, HandlingTime};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::VerifiedMember;
use crate::json::{Reply, ok};

/// Handling times of the last 24 hours, in seconds.
#[derive(Debug, Clone, Serialize, ToSchema)]
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
#[derive(Debug, Serialize, ToSchema)]
pub struct MemberTimes {
    /// From request to review.
    deposit: Option<Percentiles>,
    /// From request to payout.
    withdrawal: Option<Percentiles>,
}

/// Handling times of all members.
#[derive(Debug, Serialize, ToSchema)]
pub struct Times {
    success: bool,
    times: MemberTimes,
}

/// See how long deposits and withdrawals take
///
/// Of all members, in the last 24 hours; up to a minute old.
#[utoipa::path(get, path = "/transactions/times", responses((status = 200, body = Times), Errors), tag = "Transactions")]
pub async fn times(State(app): State<App>, VerifiedMember(caller): VerifiedMember) -> Result<Reply<Times>, ApiError> {
    let times = call_retrying!(app.clients.wallet, get_times, caller.out, GetTimesRequest {})?.into_inner().times;
    let times = MemberTimes { deposit: of_kind(&times, "deposit"), withdrawal: of_kind(&times, "withdrawal") };
    Ok(ok(Times { success: true, times }))
}
