//! How many transactions wait for staff, and for how long.

use proto::wallet::v1 as wallet;
use proto::wallet::v1::GetQueueRequest;
use route_macros::{get, response};

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::json::{Answer, ok};
use crate::http::names::QueueKind;
use crate::peers::clients::ask;
use crate::routes::money::transactions::times::{Percentiles, of_kind};

/// The open items of one kind.
#[response(from = wallet::QueueCount)]
pub struct QueueCount {
    #[schema(value_type = QueueKind)]
    kind: String,
    count: i32,
    #[nullable]
    oldest_at: Option<String>,
}

/// Handling times of the last 24 hours. `null` for a kind of which none was handled.
#[response]
pub struct QueueTimes {
    /// Deposits and course payments, from request to review.
    #[nullable]
    deposit: Option<Percentiles>,
    /// Fee payments, from request to review.
    #[nullable]
    fee: Option<Percentiles>,
    /// Withdrawals, from request to review.
    #[nullable]
    withdrawal: Option<Percentiles>,
    /// Withdrawals, from approval to payout.
    #[nullable]
    payout: Option<Percentiles>,
}

/// The open items of all kinds.
#[response]
pub struct Queue {
    queue: Vec<QueueCount>,
    times: QueueTimes,
}

/// Count what waits
#[get("/admin/queue", "Back office")]
pub async fn queue(caller: StaffMember) -> Answer<Queue> {
    let answer = ask!(caller.wallet_staff.get_queue(GetQueueRequest {}))?;
    let of = |kind| of_kind(&answer.times, kind);
    let times =
        QueueTimes { deposit: of("deposit"), fee: of("fee"), withdrawal: of("withdrawal"), payout: of("payout") };
    Ok(ok(Queue { queue: from_proto(answer.counts)?, times }))
}
