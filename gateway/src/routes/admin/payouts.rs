//! Payouts that are paid together: what the treasury signs, and what it signed.

use axum::extract::State;
use axum::response::Response;
use proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Json, Reply, ok};

/// Characters of a signed transaction: more than the largest that nodes take.
const LARGEST: usize = 1 << 20;

/// A payout that the caller has started, as it was seen.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct PayoutOfBatch {
    #[schema(value_type = String)]
    id: Field,
    #[schema(value_type = i32, example = 3)]
    revision: Field,
}

/// Payouts to prepare.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct PayoutBatch {
    /// 1 to 20, of one asset on one network.
    #[serde(default)]
    payouts: Vec<PayoutOfBatch>,
}

fn read(form: &mut Form, payouts: &[PayoutOfBatch]) -> Vec<wallet::PayoutOfBatch> {
    let payout = |one: &PayoutOfBatch| wallet::PayoutOfBatch {
        id: form.text("payouts", &one.id),
        revision: form.integer("payouts", &one.revision),
    };
    payouts.iter().map(payout).collect()
}

/// A file for a program that signs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutFile {
    name: String,
    content_type: String,
    content: String,
}

/// What the treasury signs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedPayouts {
    success: bool,
    message: &'static str,
    /// Bitcoin: an unsigned transaction in base64 (BIP-174), if a node has a wallet of the treasury.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    psbt: Option<String>,
    /// What it pays to the network, in the smallest unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    fee_units: Option<String>,
    /// The payouts as files: CSV, and on Ethereum for the transaction builder of a Safe.
    files: Vec<PayoutFile>,
}

/// Prepare payouts that are paid together
///
/// Makes one unsigned transaction of payouts that the caller has started, or files for other signers. Nothing is kept or sent, and
/// each call makes another transaction.
#[utoipa::path(post, path = "/admin/payouts/prepare", request_body = PayoutBatch,
    responses((status = 200, body = PreparedPayouts), Errors), tag = "Back office")]
pub async fn prepare(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Json { value, .. }: Json<PayoutBatch>,
) -> Result<Reply<PreparedPayouts>, ApiError> {
    let mut form = Form::new();
    let payouts = read(&mut form, &value.payouts);
    form.finish()?;
    let message = wallet::PreparePayoutsRequest { payouts };
    let found = call_retrying!(app.clients.treasury, prepare_payouts, caller.out, message)?.into_inner();
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let file =
        |one: wallet::PayoutFile| PayoutFile { name: one.name, content_type: one.content_type, content: one.content };
    Ok(ok(PreparedPayouts {
        success: true,
        message: "The files are ready to be signed.",
        psbt: given(found.psbt),
        fee_units: given(found.fee_units),
        files: found.files.into_iter().map(file).collect(),
    }))
}

/// A signed transaction of payouts.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SignedPayouts {
    /// Those that were prepared.
    #[serde(default)]
    payouts: Vec<PayoutOfBatch>,
    /// The signed transaction in base64 (BIP-174).
    #[schema(value_type = String)]
    psbt: Field,
}

/// Payouts that were recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct SentPayouts {
    success: bool,
    message: &'static str,
    txid: String,
    /// Whether a node took the transaction; otherwise it is sent again every few seconds.
    sent: bool,
}

/// Send signed payouts
///
/// The transaction has to pay exactly these payouts, and otherwise only the treasury. All of them are recorded as sent, or none,
/// and the node sends the transaction. The same transaction again is only sent again.
#[utoipa::path(post, path = "/admin/payouts/send", request_body = SignedPayouts, params(Key),
    responses((status = 200, body = SentPayouts), Errors), tag = "Back office")]
pub async fn send(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Keyed { value, claim }: Keyed<SignedPayouts>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let message = wallet::SendPayoutsRequest {
        payouts: read(&mut form, &value.payouts),
        psbt: form.file("psbt", value.psbt),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    if message.psbt.len() > LARGEST {
        form.wrong("psbt", "This file is too large.");
    }
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.treasury, send_payouts, caller.out, claim, message)?.into_parts();
    let message = if answer.is_sent {
        "The payouts were sent."
    } else {
        "The payouts are recorded. The node did not take them yet, and is asked again every few seconds."
    };
    Ok(marked(&metadata, ok(SentPayouts { success: true, message, txid: answer.txid, sent: answer.is_sent })))
}
