//! Deposits, withdrawals and the transaction history.

pub mod model;

pub mod payments;

pub mod receipt;

pub mod statement;

pub mod times;

use axum::extract::{Path, Query};
use chassis::clock::{self, Timestamp};
use chassis::grpc::Outgoing;
use proto::common::v1::{Idempotency, PageRequest};
use proto::wallet::v1 as wallet;
use proto::wallet::v1::{
    DepositArrivedRequest, GetTransactionRequest, ListTransactionsRequest, PayWithdrawalFeeRequest, Receipt,
    RequestDepositRequest, RequestWithdrawalRequest, ReserveReceiptRequest, ReserveReceiptResponse,
    SetDestinationRequest, TakeBackDepositRequest, Transaction as Row,
};
use route_macros::{delete, get, post, put, request, response};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::app::App;
use crate::cache::profiles::Profile;
use crate::clients::{ask, keyed, send};
use crate::convert::{from_proto, non_empty};
use crate::error::ApiError;
use crate::extract::{ActiveMember, NamedMember, VerifiedMember};
use crate::files::{Purpose, Stored};
use crate::idempotency::{Key, Keyed};
use crate::json::{Answer, Created, Dollars, Field, Form, Json, ToProto, field, ok};
use crate::names::{DepositType, RejectionReason};
use crate::routes::quotes::{PayoutPrice, TransactionQuote};
use crate::routes::transactions::model::{Direction, Step, TransactionKind, TransactionStatus};

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

fn receipt(stored: &Stored) -> Receipt {
    Receipt { key: stored.key.clone(), content_type: stored.content_type.to_owned(), digest: stored.digest.clone() }
}

/// Stores a proof of payment after wallet has claimed the key of the request and found room for the file. A repeated
/// request stores nothing.
async fn store_receipt(
    app: &App,
    out: &Outgoing,
    proof: String,
    claim: Option<&Idempotency>,
) -> Result<Stored, ApiError> {
    let mut file = app.files.check("receipt", proof, Purpose::Receipt).await?;
    let message = ReserveReceiptRequest {
        key: file.stored.key.clone(),
        bytes: i64::try_from(file.len()).unwrap_or(i64::MAX),
        idempotency: claim.cloned(),
    };
    let reserved = chassis::call!(app.clients.receipts, reserve_receipt, out.clone().idempotent(message)).await;
    let ReserveReceiptResponse { key, answered } = reserved?.into_inner();
    if answered {
        return Ok(file.stored);
    }
    if !key.is_empty() {
        file.stored.key = key;
    }
    app.files.keep(file).await
}

/// A payment that the member made.
#[request(to = RequestDepositRequest)]
pub struct Deposit {
    /// Amount in dollars, e.g. `250.00`.
    #[schema(example = 250)]
    amount: Field<f64>,
    /// Id of a platform method, or a currency code.
    #[schema(example = "BTC")]
    method: Field<String>,
    /// Id of an open quote for this amount and method, which the deposit uses. Without one, it is valued on arrival.
    quote_id: Field<Option<String>>,
    /// Whether the quote may have ended within the last 24 hours. A payment that was seen while it was open counts at its rate.
    quote_may_have_ended: Field<Option<bool>>,
    /// Another name for `method`.
    #[to(skip)]
    currency: Field<Option<String>>,
    /// Version of the platform method whose address was shown; the current one by default.
    #[schema(example = 1)]
    method_version: Field<Option<i32>>,
    /// The proof of payment as a data URL.
    #[schema(example = "data:image/png;base64,iVBORw0KGgo=")]
    #[to(skip)]
    receipt: Field<String>,
    /// What the payment is for, by default a deposit.
    r#type: Field<Option<DepositType>>,
    /// Hash of the transaction on its network.
    txid: Field<Option<String>>,
}

/// Request a deposit
#[post("/transactions/deposit", "Transactions")]
pub async fn deposit(caller: ActiveMember, Keyed { value, claim }: Keyed<Deposit>) -> Created<TransactionMade> {
    let mut form = Form::new();
    let mut message: RequestDepositRequest = value.fill(&mut form);
    if !value.method.is_given() {
        message.method = form.text("method", &value.currency);
    }
    if !value.r#type.is_given() {
        "deposit".clone_into(&mut message.r#type);
    }
    let proof = form.file("receipt", value.receipt);
    form.finish()?;
    let stored = store_receipt(&caller.app, &caller.out, proof, claim.as_ref()).await?;
    let message = RequestDepositRequest { receipt: Some(receipt(&stored)), idempotency: claim, ..message };
    let answer = keyed!(caller.wallet.request_deposit(message));
    discard_orphan(&caller.app, &stored, answer.as_ref().map(|kept| kept.sent.transaction.as_ref())).await;
    let sentence = "Your payment proof has been received. We will confirm it shortly.";
    answer?.reply(|answer| TransactionMade::new(answer.transaction, sentence))
}

/// A payment that arrived at an own address.
#[request(to = DepositArrivedRequest)]
pub struct ArrivedPayment {
    /// `bitcoin`, `ethereum` or `tron`.
    #[schema(example = "ethereum")]
    chain: Field<String>,
    /// Hash of the transaction.
    txid: Field<String>,
    /// Of the output, or of the transfer within the transaction.
    #[schema(example = 0)]
    index: Field<u32>,
}

/// Make a deposit of a payment that arrived
///
/// For payments that `GET /payment-methods` lists as arrived. The deposit is worth what the payment was worth when it arrived, and needs
/// no proof.
#[post("/transactions/deposit/arrived", "Transactions")]
pub async fn deposit_arrived(caller: ActiveMember, body: Keyed<ArrivedPayment>) -> Created<TransactionMade> {
    let message = DepositArrivedRequest { idempotency: body.claim, ..body.value.to_proto()? };
    let sentence = "Your deposit is in review. We will confirm it shortly.";
    keyed!(caller.wallet.deposit_arrived(message))?.reply(|answer| TransactionMade::new(answer.transaction, sentence))
}

/// Discards a file that nothing refers to, because its request was refused or another file is stored under its key.
/// After a response that leaves this open the file stays, because the transaction may refer to it.
async fn discard_orphan(app: &App, stored: &Stored, answer: Result<Option<&Row>, &ApiError>) {
    let is_orphan = match answer {
        Ok(row) => row.is_some_and(|row| row.receipt_key != stored.key),
        Err(error) => error.is_final(),
    };
    if is_orphan {
        app.files.discard(&stored.key).await;
    }
}

/// A withdrawal to request.
#[request(to = RequestWithdrawalRequest)]
pub struct Withdrawal {
    /// Gross, in dollars; the fee of 2.5 % comes out of it.
    #[schema(example = 250)]
    amount: Field<f64>,
    /// Id of a platform method, or a currency code.
    #[schema(example = "BTC")]
    method: Field<String>,
    /// The address to pay to.
    address: Field<Option<String>>,
    /// Memo or destination tag, on networks that use one.
    memo: Field<Option<String>>,
    /// Id of an open quote for this amount and method, as an estimate that the withdrawal keeps.
    quote_id: Field<Option<String>>,
}

/// Request a withdrawal
#[post("/transactions/withdraw", "Transactions", params(Key), request_body(content = Withdrawal))]
pub async fn withdraw(caller: NamedMember, form: Result<Keyed<Withdrawal>, ApiError>) -> Created<TransactionMade> {
    let message = match form.and_then(withdrawal) {
        Ok(message) => message,
        Err(refusal) => return Err(caller.refusal(refusal).await),
    };
    let sentence = "Your withdrawal request has been received.";
    keyed!(caller.wallet.request_withdrawal(message))?
        .reply(|answer| TransactionMade::new(answer.transaction, sentence))
}

fn withdrawal(Keyed { value, claim }: Keyed<Withdrawal>) -> Result<RequestWithdrawalRequest, ApiError> {
    Ok(RequestWithdrawalRequest { idempotency: claim, ..value.to_proto()? })
}

/// A separate payment of the fee of an open withdrawal.
#[request(to = PayWithdrawalFeeRequest)]
pub struct FeePayment {
    /// The withdrawal's fee, in dollars.
    #[schema(example = 6.25)]
    amount: Field<f64>,
    /// Id of a platform method, or a currency code.
    #[schema(example = "BTC")]
    method: Field<String>,
    /// Version of the platform method whose address was shown; the current one by default.
    #[schema(example = 1)]
    method_version: Field<Option<i32>>,
    /// The proof of payment as a data URL.
    #[schema(example = "data:image/png;base64,iVBORw0KGgo=")]
    #[to(skip)]
    receipt: Field<String>,
    /// Id of the withdrawal, the same as in the path.
    #[to(withdrawal_id)]
    transaction_id: Field<String>,
    /// Hash of the transaction on its network.
    txid: Field<Option<String>>,
}

/// Pay the fee of an open withdrawal
#[post("/transactions/fee/{transactionId}", "Transactions")]
pub async fn pay_fee(
    caller: ActiveMember,
    Path(withdrawal_id): Path<String>,
    Keyed { value, claim }: Keyed<FeePayment>,
) -> Created<TransactionMade> {
    let mut form = Form::new();
    let message: PayWithdrawalFeeRequest = value.fill(&mut form);
    if message.withdrawal_id != withdrawal_id {
        form.wrong("transactionId", "This is not the withdrawal of the URL.");
    }
    let proof = form.file("receipt", value.receipt);
    form.finish()?;
    let stored = store_receipt(&caller.app, &caller.out, proof, claim.as_ref()).await?;
    let message = PayWithdrawalFeeRequest { receipt: Some(receipt(&stored)), idempotency: claim, ..message };
    let answer = keyed!(caller.wallet.pay_withdrawal_fee(message));
    discard_orphan(&caller.app, &stored, answer.as_ref().map(|kept| kept.sent.transaction.as_ref())).await;
    let sentence = "Your fee payment has been received. We will confirm it shortly.";
    answer?.reply(|answer| TransactionMade::new(answer.transaction, sentence))
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

/// A page of transactions, newest first.
#[response]
pub struct Transactions {
    transactions: Vec<Transaction>,
    next_cursor: Option<String>,
}

/// The page of a search.
#[derive(Debug, Default, Deserialize)]
pub struct SearchQuery {
    q: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(flatten)]
    page: PageQuery,
}

/// A moment of a period: an instant, or a day in UTC, of which a period begins with the start and ends with the end.
fn boundary(name: &str, text: Option<&str>, is_end: bool) -> Result<Option<Timestamp>, ApiError> {
    let Some(text) = text.and_then(non_empty) else { return Ok(None) };
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Ok(Some(clock::to_proto(at)));
    }
    let sentence = "Enter a date like 2026-01-31 or a time like 2026-01-31T12:00:00Z";
    let day = crate::json::day(name, Some(text)).map_err(|_| field(name, sentence))?;
    let day = if is_end { day.next_day().ok_or_else(|| field(name, sentence))? } else { day };
    Ok(Some(clock::to_proto(day.midnight().assume_utc())))
}

/// List the transactions
///
/// `q` finds a reference, an amount, or a part of a description, hash or address. `from` and `to` are instants, or days in UTC;
/// the day of `to` is part of the period.
#[get("/transactions/user", "Transactions",
    params(("q" = Option<String>, Query, example = "TNX-1a2b3c"), ("from" = Option<String>, Query, example = "2026-01-01"), ("to" = Option<String>, Query, example = "2026-01-31"), ("cursor" = Option<String>, Query), ("size" = Option<u16>, Query, minimum = 1, maximum = 500)))]
pub async fn list(caller: VerifiedMember, Query(query): Query<SearchQuery>) -> Answer<Transactions> {
    let message = ListTransactionsRequest {
        q: query.q.unwrap_or_default(),
        from: boundary("from", query.from.as_deref(), false)?,
        to: boundary("to", query.to.as_deref(), true)?,
        page: Some(query.page.request()?),
    };
    let request = async { ask!(caller.wallet.list_transactions(message)) };
    let (answer, owner) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let rows = answer.transactions.into_iter();
    Ok(ok(Transactions {
        transactions: rows.map(|row| Transaction::new(&caller.app, row, owner.clone())).collect::<Result<_, _>>()?,
        next_cursor: from_proto(answer.next_cursor)?,
    }))
}

/// The response with a transaction.
#[response]
pub struct TransactionReply {
    transaction: Transaction,
}

/// Get a transaction
#[get("/transactions/{id}", "Transactions")]
pub async fn get(caller: VerifiedMember, Path(id): Path<String>) -> Answer<TransactionReply> {
    let request = async { ask!(caller.wallet.get_transaction(GetTransactionRequest { id })) };
    let (answer, owner) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let row = answer.transaction.ok_or_else(ApiError::not_found)?;
    Ok(ok(TransactionReply { transaction: Transaction::new(&caller.app, row, owner)? }))
}

/// Take back a pending deposit
///
/// A deposit or course payment ends as failed with `MEMBER_REQUEST` if no payment was seen; otherwise it is 409 `PAYMENT_SEEN`.
/// To repeat it changes nothing.
#[delete("/transactions/{id}", "Transactions")]
pub async fn take_back(caller: ActiveMember, Path(id): Path<String>) -> Answer<TransactionMade> {
    let answer = send!(caller.wallet.take_back_deposit(TakeBackDepositRequest { id }))?;
    Ok(ok(TransactionMade::new(answer.transaction, "Your request has been taken back.")?))
}

/// The missing destination of a withdrawal.
#[request(to = SetDestinationRequest)]
pub struct NewDestination {
    address: Field<String>,
    memo: Field<Option<String>>,
}

/// Set the missing destination of a withdrawal
#[put("/transactions/{id}/destination", "Transactions")]
pub async fn set_destination(
    caller: ActiveMember,
    Path(transaction_id): Path<String>,
    Json { value, .. }: Json<NewDestination>,
) -> Answer<TransactionMade> {
    let message = SetDestinationRequest { transaction_id, ..value.to_proto()? };
    let answer = send!(caller.wallet.set_destination(message))?;
    Ok(ok(TransactionMade::new(answer.transaction, "The destination has been saved.")?))
}
