//! Everything that waits for a decision or a payout, with what a row of the queue shows.

use proto::common::v1::PageRequest;
use proto::wallet::v1::{ListStaffTransactionsRequest, Transaction as Row, TransactionStatus};
use route_macros::{get, response};

use super::{FirstApproval, Paying, StaffTransaction, named_by};
use crate::clients::ask;
use crate::error::ApiError;
use crate::extract::StaffMember;
use crate::json::{Answer, Dollars, ok};
use crate::routes::quotes::PayoutPrice;
use crate::routes::transactions::Destination;
use crate::routes::transactions::model::TransactionKind;

/// The most transactions that wait for a decision.
const MOST: usize = 1_000;
/// Pages that are read. The newest come first, and those that wait the longest are kept.
const MOST_PAGES: usize = 10;
const PAGE: i32 = 1_000;

/// The payment method of a waiting transaction.
#[response]
pub struct WaitingMethod {
    currency: String,
    network: String,
}

/// The member of a waiting transaction.
#[response]
pub struct WaitingMember {
    name: String,
    email: String,
}

/// A waiting transaction, as a row of the queue shows it. `GET /admin/transactions/{id}` has everything else.
#[response]
pub struct WaitingTransaction {
    id: String,
    reference: String,
    kind: TransactionKind,
    amount: Dollars,
    method: Option<WaitingMethod>,
    /// Description in one sentence, where there is no method.
    description: Option<String>,
    /// Whether the member gave the hash of the payment.
    has_txid: Option<bool>,
    /// Withdrawals: whether the destination is missing.
    needs_destination: Option<bool>,
    /// Withdrawals: whether the member has to confirm the destination before approval.
    needs_confirmation: Option<bool>,
    created_at: String,
    /// Increases with every change. Decisions name the revision they are about.
    revision: i32,
    user: WaitingMember,
    first_approval: Option<FirstApproval>,
    /// Whether it is approved and waits for the payout. What follows is of such withdrawals.
    approved: Option<bool>,
    /// When it was approved.
    decided_at: Option<String>,
    /// The payout in dollars.
    net_amount: Option<Dollars>,
    /// What is sent, once the payment has begun.
    payout: Option<PayoutPrice>,
    destination: Option<Destination>,
    paying: Option<Paying>,
    /// When it was sent, as long as its payment is not final.
    sent_at: Option<String>,
}

impl From<StaffTransaction> for WaitingTransaction {
    fn from(StaffTransaction { transaction: one, paying, first_approval, .. }: StaffTransaction) -> Self {
        let approved = one.approved.filter(|is| *is);
        let is_approved = approved.is_some();
        Self {
            id: one.id,
            reference: one.reference,
            kind: one.kind,
            amount: one.amount,
            description: one.method.is_none().then_some(one.description),
            method: one.method.map(|to| WaitingMethod { currency: to.currency, network: to.network }),
            has_txid: one.txid.map(|_| true),
            needs_destination: one.needs_destination.filter(|is| *is),
            needs_confirmation: one.needs_confirmation.filter(|is| *is),
            created_at: one.created_at,
            revision: one.revision,
            user: WaitingMember { name: one.user.name, email: one.user.email },
            first_approval,
            approved,
            decided_at: one.decided_at.filter(|_| is_approved),
            net_amount: one.net_amount.filter(|_| is_approved),
            payout: one.payout.filter(|_| is_approved),
            destination: one.destination.filter(|_| is_approved),
            paying: paying.filter(|_| is_approved),
            sent_at: one.sent_at.filter(|_| is_approved),
        }
    }
}

/// The transactions that wait for a decision or a payout.
#[response]
pub struct WaitingTransactions {
    /// The longest waiting first.
    transactions: Vec<WaitingTransaction>,
}

/// List what waits
///
/// The 1,000 transactions that wait the longest for a decision, and all that wait for their payout.
#[get("/admin/queue/transactions", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<WaitingTransactions> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    for _ in 0..MOST_PAGES {
        let status = TransactionStatus::Pending.into();
        let page = Some(PageRequest { size: PAGE, cursor });
        let message = ListStaffTransactionsRequest { status, page, ..Default::default() };
        let answer = ask!(caller.wallet_staff.list_staff_transactions(message))?;
        rows.extend(answer.transactions);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let rows = longest_waiting(rows);
    let people = caller.app.profiles.look_up(rows.iter().flat_map(named_by)).await?;
    let row = |row: Row| {
        // Neither is shown, and a link to a proof is a signature.
        let row = Row { receipt_key: String::new(), steps: Vec::new(), ..row };
        Ok::<_, ApiError>(StaffTransaction::new(&caller.app, row, &people)?.into())
    };
    Ok(ok(WaitingTransactions { transactions: rows.into_iter().map(row).collect::<Result<_, _>>()? }))
}

/// Those that wait the longest, from rows of which the newest is first; all of those that are approved.
fn longest_waiting(rows: Vec<Row>) -> Vec<Row> {
    let mut decisions = 0;
    let is_kept = |row: &Row| {
        decisions += usize::from(!row.approved);
        row.approved || decisions <= MOST
    };
    rows.into_iter().rev().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [R9] A queue that is too long for one answer is cut at its new end, and keeps what is to be paid out.
    #[test]
    fn the_longest_waiting_are_kept() {
        let row = |number: usize, approved| Row { id: number.to_string(), approved, ..Default::default() };
        let newest_first = (0..MOST + 3).rev().map(|number| row(number, number == MOST + 2));
        let kept: Vec<_> = longest_waiting(newest_first.collect()).into_iter().map(|row| row.id).collect();
        assert_eq!(kept.len(), MOST + 1);
        assert_eq!(
            (kept[0].as_str(), &kept[MOST - 1], &kept[MOST]),
            ("0", &(MOST - 1).to_string(), &(MOST + 2).to_string())
        );
    }
}
