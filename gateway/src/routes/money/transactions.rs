//! Deposits, withdrawals and the transaction history.

pub mod model;

pub mod payments;

pub mod receipt;

pub mod statement;

pub mod times;

pub mod deposits;

pub mod withdrawals;

pub mod list;

use proto::common::v1::PageRequest;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::Transaction as Row;
use route_macros::response;
use serde::Deserialize;
use time::OffsetDateTime;

use crate::app::App;
use crate::http::convert::{from_proto, non_empty};
use crate::http::error::ApiError;
use crate::http::json::{Dollars, field};
use crate::http::names::RejectionReason;
use crate::peers::cache::profiles::Profile;
use crate::routes::money::quotes::{PayoutPrice, TransactionQuote};
use crate::routes::money::transactions::model::{Direction, Step, TransactionKind, TransactionStatus};

/// The proof of payment of a transaction.
#[response]
pub struct ReceiptLink {
    /// The link. It works without a token for 15 minutes.
    pub url: String,
    /// Media type of the file, e.g. `image/png`.
    pub content_type: String,
}

/// The payment method as the member saw it.
#[response(from = wallet::MethodCopy)]
pub struct MethodCopy {
    id: String,
    pub currency: String,
    pub network: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    memo: String,
    version: i32,
}

/// The destination of a withdrawal.
#[response(from = wallet::Destination)]
pub struct Destination {
    pub address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    memo: String,
}

/// A transaction in the history.
#[response(from = Row)]
pub struct Transaction {
    /// Id of the transaction.
    pub id: String,
    /// Short reference: `TNX-` and the first six characters of the id.
    #[from(self, with = |row: &Row| reference(&row.id))]
    #[schema(example = "TNX-1a2b3c")]
    pub reference: String,
    /// Name of the kind, e.g. `Deposit`.
    pub title: String,
    /// Description in one sentence.
    pub description: String,
    pub status: TransactionStatus,
    #[from(direction)]
    pub r#type: Direction,
    pub kind: TransactionKind,
    /// Amount in dollars, always positive.
    pub amount: Dollars,
    /// Approved payments: the amount that the member claimed, in dollars.
    pub claimed_amount: Option<Dollars>,
    /// Withdrawals: the fee in dollars.
    pub fee: Option<Dollars>,
    /// Withdrawals: the payout in dollars.
    pub net_amount: Option<Dollars>,
    /// Withdrawals: whether the fee was paid separately.
    #[from(self, with = |row: &Row| of_withdrawal(row, row.fee_paid))]
    pub fee_paid: Option<bool>,
    /// The payment method.
    pub method: Option<MethodCopy>,
    /// The quote that it was requested with. Without one, a deposit is valued on arrival. Of a withdrawal it is an estimate.
    pub quote: Option<TransactionQuote>,
    /// Withdrawals: what is sent, once the payment has begun. It is the rate of that moment.
    pub payout: Option<PayoutPrice>,
    /// Withdrawals: the payout destination.
    pub destination: Option<Destination>,
    /// Withdrawals: whether the destination is missing.
    #[from(self, with = |row: &Row| of_withdrawal(row, row.needs_destination))]
    pub needs_destination: Option<bool>,
    /// Withdrawals: whether the member has to confirm the destination before approval.
    #[from(self, with = |row: &Row| of_withdrawal(row, row.needs_confirmation))]
    pub needs_confirmation: Option<bool>,
    /// Withdrawals: whether it is approved and waits for the payout.
    #[from(self, with = |row: &Row| of_withdrawal(row, row.approved))]
    pub approved: Option<bool>,
    /// Withdrawals: when it was sent. Where a node shows payouts it stays pending until its payment is final.
    pub sent_at: Option<String>,
    /// Open withdrawals: the earliest time of approval, after a change of email, password or second factor, or a new
    /// destination after a login from a new device.
    pub not_before: Option<String>,
    /// The proof of payment.
    #[from(skip)]
    #[nullable]
    pub receipt: Option<ReceiptLink>,
    /// Hash of the transaction on its network.
    pub txid: Option<String>,
    /// Index of the transaction's output, if one was named.
    pub vout: Option<u32>,
    /// Why it was rejected.
    #[schema(value_type = Option<RejectionReason>)]
    pub reason_code: Option<String>,
    /// Fees: id of the withdrawal. Trades and profits: id of the trade.
    pub related_id: Option<String>,
    /// When it was requested.
    pub created_at: String,
    /// When staff decided on it.
    pub decided_at: Option<String>,
    /// The way from the request to the end, in order. At most one step is current; after a failed one none follows.
    pub steps: Vec<Step>,
    /// Increases with every change. Decisions name the revision they are about.
    pub revision: i32,
    /// The member whose transaction it is.
    #[from(skip)]
    pub user: Profile,
}

impl Transaction {
    /// Converts wallet's transaction. Fails if its kind, status or direction is unknown here, or its time is missing.
    pub fn new(app: &App, row: Row, user: Profile) -> Result<Self, ApiError> {
        let receipt = non_empty(&row.receipt_key).map(|key| ReceiptLink {
            url: app.files.private_link(key, &row.user_id, OffsetDateTime::now_utc()),
            content_type: row.receipt_content_type.clone(),
        });
        Ok(Self { receipt, user, ..from_proto(row)? })
    }
}

fn of_withdrawal(row: &Row, is: bool) -> Option<bool> {
    (row.kind() == wallet::TransactionKind::Withdrawal).then_some(is)
}

/// The short reference of a transaction.
#[must_use]
pub fn reference(id: &str) -> String {
    format!("TNX-{}", id.chars().take(6).collect::<String>())
}

/// The response with a new transaction.
#[response]
pub struct TransactionMade {
    message: String,
    transaction: TransactionSummary,
}

/// The transaction as of the response, also when the response is replayed.
#[response(from = Row)]
pub struct TransactionSummary {
    id: String,
    #[from(self, with = |row: &Row| reference(&row.id))]
    reference: String,
    title: String,
    status: TransactionStatus,
    amount: Dollars,
    fee: Option<Dollars>,
    net_amount: Option<Dollars>,
    #[from(with = |needs: bool| needs.then_some(true))]
    needs_destination: Option<bool>,
    /// `true` for a new destination: a code was emailed to confirm it.
    #[from(with = |needs: bool| needs.then_some(true))]
    needs_confirmation: Option<bool>,
    created_at: String,
}

impl TransactionMade {
    /// Adds a sentence. Fails if the service responded without a transaction.
    pub fn new(row: Option<Row>, message: &str) -> Result<Self, ApiError> {
        Ok(Self { message: message.to_owned(), transaction: from_proto(row)? })
    }
}

/// The page of a list.
#[derive(Debug, Default, Deserialize)]
pub struct PageQuery {
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
    /// Lines on the page, 1 to 500; the list's default if it is not set.
    pub size: Option<String>,
}

impl PageQuery {
    /// The page that a service is asked for.
    pub fn request(self) -> Result<PageRequest, ApiError> {
        let size = match self.size.as_deref().map(str::parse) {
            None => 0,
            // 0 would stand for the list's default.
            Some(Ok(size)) if size != 0 => size,
            Some(_) => return Err(field("size", "A page has 1 to 500 lines.")),
        };
        Ok(PageRequest { size, cursor: self.cursor.unwrap_or_default() })
    }
}
