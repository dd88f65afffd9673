//! Everything that waits for a decision or a payout, with what a row of the queue shows.

use proto::common::v1::PageRequest;
use proto::wallet::v1::{ListStaffTransactionsRequest, Transaction as Row, TransactionStatus, WaitingFor};
use route_macros::{get, response};

use super::{FirstApproval, Paying, StaffTransaction, named_by};
use crate::extract::StaffMember;
use crate::http::error::ApiError;
use crate::http::json::{Answer, Dollars, ok};
use crate::peers::clients::ask;
use crate::routes::money::quotes::PayoutPrice;
use crate::routes::money::transactions::Destination;
use crate::routes::money::transactions::model::TransactionKind;

/// Maximum transactions that wait for a decision: one page.
const PAGE: i32 = 1_000;
/// Maximum pages of those that wait for their payout.
const MOST_PAGES: usize = 10;

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
    // One that is approved between the two is in both.
    let decisions = longest_waiting(&caller, WaitingFor::Decision, 1).await?;
    let payouts = longest_waiting(&caller, WaitingFor::Payout, MOST_PAGES).await?;
    let rows = merged(payouts, decisions);
    let people = caller.app.profiles.look_up(rows.iter().flat_map(named_by)).await?;
    let row = |row: Row| {
        // Neither is shown, and a link to a proof is a signature.
        let row = Row { receipt_key: String::new(), steps: Vec::new(), ..row };
        Ok::<_, ApiError>(StaffTransaction::new(&caller.app, row, &people)?.into())
    };
    Ok(ok(WaitingTransactions { transactions: rows.into_iter().map(row).collect::<Result<_, _>>()? }))
}

/// What waits for this, the longest waiting first, as many pages as this.
async fn longest_waiting(caller: &StaffMember, what: WaitingFor, pages: usize) -> Result<Vec<Row>, ApiError> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    for _ in 0..pages {
        let page = Some(PageRequest { size: PAGE, cursor });
        let status = TransactionStatus::Pending.into();
        let message = ListStaffTransactionsRequest { status, waiting_for: what.into(), page, ..Default::default() };
        let answer = ask!(caller.wallet_staff.list_staff_transactions(message))?;
        rows.extend(answer.transactions);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    Ok(rows)
}

/// Both in one, the longest waiting first; a row in both as it is among the first.
fn merged(mut rows: Vec<Row>, more: Vec<Row>) -> Vec<Row> {
    fn place(row: &Row) -> (Option<(i64, i32)>, &str) {
        (row.created_at.as_ref().map(|at| (at.seconds, at.nanos)), &row.id)
    }
    rows.extend(more);
    rows.sort_by(|one, other| place(one).cmp(&place(other)));
    rows.dedup_by(|one, kept| one.id == kept.id);
    rows
}

#[cfg(test)]
mod tests {
    use chassis::clock::Timestamp;

    use super::*;

    /// [R9] The queue is in the order in which its transactions were requested, and has each once: as it was approved.
    #[test]
    fn the_longest_waiting_come_first() {
        let row = |id: &str, seconds, approved| Row {
            id: id.to_owned(),
            created_at: Some(Timestamp { seconds, nanos: 0 }),
            approved,
            ..Default::default()
        };
        let payouts = vec![row("b", 2, true), row("d", 4, true)];
        let decisions = vec![row("a", 1, false), row("b", 2, false), row("c", 2, false)];
        let queue: Vec<_> = merged(payouts, decisions).into_iter().map(|row| (row.id, row.approved)).collect();
        let known = [("a", false), ("b", true), ("c", false), ("d", true)].map(|(id, is)| (id.to_owned(), is));
        assert_eq!(queue, known);
    }
}
