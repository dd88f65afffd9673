//! Payments from outside: deposits, the course and separate fees.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::common::v1::Idempotency;
use proto::wallet::v1::{
    DepositArrivedRequest, PayWithdrawalFeeRequest, Receipt, RequestDepositRequest, ReserveReceiptRequest,
    ReserveReceiptResponse, TakeBackDepositRequest, Transaction as Row,
};
use route_macros::{delete, post, request};

use super::TransactionMade;
use crate::app::App;
use crate::extract::ActiveMember;
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Field, Form, ToProto, ok};
use crate::http::names::DepositType;
use crate::peers::clients::{keyed, send};
use crate::storage::files::{Purpose, Stored};

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

/// Take back a pending deposit
///
/// A deposit or course payment ends as failed with `MEMBER_REQUEST` if no payment was seen; otherwise it is 409 `PAYMENT_SEEN`.
/// To repeat it changes nothing.
#[delete("/transactions/{id}", "Transactions")]
pub async fn take_back(caller: ActiveMember, Path(id): Path<String>) -> Answer<TransactionMade> {
    let answer = send!(caller.wallet.take_back_deposit(TakeBackDepositRequest { id }))?;
    Ok(ok(TransactionMade::new(answer.transaction, "Your request has been taken back.")?))
}
