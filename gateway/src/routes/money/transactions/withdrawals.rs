//! Withdrawals and where they go.

use axum::extract::Path;
use proto::wallet::v1::{RequestWithdrawalRequest, SetDestinationRequest};
use route_macros::{post, put, request};

use super::TransactionMade;
use crate::extract::{ActiveMember, NamedMember};
use crate::http::error::ApiError;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Field, Json, ToProto, ok};
use crate::peers::clients::{keyed, send};

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
