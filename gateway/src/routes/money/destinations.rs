//! Confirms payout destinations by an emailed code or a second factor.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::payment_method::v1::{PaymentMethod, Scope};
use proto::wallet::v1::confirm_destination_request::Subject as Confirmed;
use proto::wallet::v1::send_destination_code_request::Subject as Asked;
use proto::wallet::v1::{
    ConfirmDestinationRequest, FindKnownDestinationsRequest, PayoutAddress, SendDestinationCodeRequest,
};
use route_macros::{post, request};

use crate::app::App;
use crate::extract::ActiveMember;
use crate::http::json::{Answer, Done, Field, Json, done};
use crate::peers::clients::{call, call_retrying};

/// The code that confirms a destination.
#[request]
pub struct DestinationCode {
    /// Six digits from the email. Not needed within five minutes after a second factor.
    #[schema(example = "012345")]
    code: Field<Option<String>>,
}

/// Confirm the destination of a withdrawal
#[post("/transactions/{id}/confirm", "Transactions")]
pub async fn confirm_withdrawal(
    caller: ActiveMember,
    Path(id): Path<String>,
    Json { value, .. }: Json<DestinationCode>,
) -> Answer<Done> {
    confirm(&caller.app, &caller.out, Confirmed::TransactionId(id), value.code.text("code")?).await
}

/// Mail the code of a withdrawal's destination again
#[post("/transactions/{id}/confirm/resend", "Transactions")]
pub async fn resend_withdrawal_code(caller: ActiveMember, Path(id): Path<String>) -> Answer<Done> {
    resend(&caller.app, &caller.out, Asked::TransactionId(id)).await
}

/// Confirm the address of an own payment method
#[post("/payment-methods/{id}/confirm", "Payment methods")]
pub async fn confirm_method(caller: ActiveMember, Path(id): Path<String>, body: Json<DestinationCode>) -> Answer<Done> {
    confirm(&caller.app, &caller.out, Confirmed::MethodId(id), body.value.code.text("code")?).await
}

/// Mail the code of an own payment method again
#[post("/payment-methods/{id}/confirm/resend", "Payment methods")]
pub async fn resend_method_code(caller: ActiveMember, Path(id): Path<String>) -> Answer<Done> {
    resend(&caller.app, &caller.out, Asked::MethodId(id)).await
}

async fn confirm(app: &App, out: &Outgoing, subject: Confirmed, code: String) -> Answer<Done> {
    let message = ConfirmDestinationRequest { subject: Some(subject), code };
    call!(app.clients.wallet, confirm_destination, out, message)?;
    done("The address is confirmed.")
}

async fn resend(app: &App, out: &Outgoing, subject: Asked) -> Answer<Done> {
    let message = SendDestinationCodeRequest { subject: Some(subject) };
    let answer = call!(app.clients.wallet, send_destination_code, out, message)?.into_inner();
    done(if answer.needs_confirmation { "We have sent you a new code." } else { "The address is confirmed." })
}

/// Asks the member to confirm the destination of a saved method, unless it is known, and returns whether they have to. If the
/// code cannot be emailed, the method is saved all the same, because the code can be requested again.
pub async fn ask_for_method(app: &App, out: &Outgoing, method: &PaymentMethod) -> Option<bool> {
    let message = SendDestinationCodeRequest { subject: Some(Asked::MethodId(method.id.clone())) };
    match call!(app.clients.wallet, send_destination_code, out, message) {
        Ok(answer) => return Some(answer.into_inner().needs_confirmation),
        // Most often because a code was sent a moment ago.
        Err(error) if error.is_final() => {}
        Err(error) => tracing::warn!(?error, "no code was mailed for a payment method"),
    }
    Some(unconfirmed(app, out, std::slice::from_ref(method)).await?.contains(&method.id))
}

/// Ids of those of the member's own methods whose destination is unconfirmed. `None` if the wallet does not answer.
pub async fn unconfirmed(app: &App, out: &Outgoing, methods: &[PaymentMethod]) -> Option<Vec<String>> {
    let own: Vec<_> = methods.iter().filter(|method| method.scope() == Scope::Personal).collect();
    if own.is_empty() {
        return Some(Vec::new());
    }
    let destinations = own.iter().map(|method| PayoutAddress {
        currency: method.currency.clone(),
        network: method.network.clone(),
        address: method.address.clone(),
        memo: method.memo.clone(),
    });
    let message = FindKnownDestinationsRequest { destinations: destinations.collect() };
    let known = call_retrying!(app.clients.wallet, find_known_destinations, out, message).ok()?.into_inner().known;
    Some(own.iter().zip(known).filter(|(_, known)| !known).map(|(method, _)| method.id.clone()).collect())
}
