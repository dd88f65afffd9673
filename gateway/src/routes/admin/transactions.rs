//! The review queue and the decisions of staff on transactions.

pub mod waiting;

pub mod queue;

pub mod list;

pub mod review;

pub mod decisions;

pub mod payouts;

use proto::wallet::v1 as wallet;
use proto::wallet::v1::Transaction as Row;
use route_macros::response;

use crate::app::App;
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::json::Dollars;
use crate::peers::cache::profiles::People;
use crate::routes::money::transactions::Transaction;

/// The staff member who is paying a withdrawal. No other person can pay or reject it meanwhile.
#[response(from = wallet::PayoutLease)]
pub struct Paying {
    #[from(treasurer_id)]
    by: String,
    #[from(skip)]
    by_name: String,
    #[nullable]
    until: Option<String>,
}

/// The first of two approvals of a deposit: another reviewer has to approve the same.
#[response(from = wallet::FirstApproval)]
pub struct FirstApproval {
    #[from(reviewer_id)]
    by: String,
    #[from(skip)]
    by_name: String,
    #[nullable]
    at: Option<String>,
    received_amount: Dollars,
    txid: String,
    vout: Option<u32>,
}

/// A transaction as staff see it.
#[response]
pub struct StaffTransaction {
    #[serde(flatten)]
    transaction: Transaction,
    member_id: String,
    paying: Option<Paying>,
    first_approval: Option<FirstApproval>,
}

impl StaffTransaction {
    pub(super) fn new(app: &App, mut row: Row, people: &People) -> Result<Self, ApiError> {
        let mut paying: Option<Paying> = from_proto(row.paying.take())?;
        let mut first_approval: Option<FirstApproval> = from_proto(row.first_approval.take())?;
        if let Some(lease) = &mut paying {
            lease.by_name = people.name(&lease.by).unwrap_or_default();
        }
        if let Some(first) = &mut first_approval {
            first.by_name = people.name(&first.by).unwrap_or_default();
        }
        let (member_id, member) = (row.user_id.clone(), people.profile(&row.user_id));
        Ok(Self { member_id, paying, first_approval, transaction: Transaction::new(app, row, member)? })
    }
}

/// The people whom a row names: the member, the person who is paying, and the first approver.
pub(super) fn named_by(row: &Row) -> impl Iterator<Item = String> + use<> {
    let staff = [
        row.paying.as_ref().map(|lease| lease.treasurer_id.clone()),
        row.first_approval.as_ref().map(|first| first.reviewer_id.clone()),
    ];
    staff.into_iter().flatten().chain([row.user_id.clone()])
}
