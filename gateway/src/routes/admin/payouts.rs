//! Payouts that are paid together: what the treasury signs, and what it signed.

use proto::wallet::v1 as wallet;
use route_macros::{post, request, response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Field, Form, Json, ok};
use crate::peers::clients::{ask, keyed};

/// Characters of a signed transaction: more than the largest that nodes take.
const LARGEST: usize = 1 << 20;

/// A payout that the caller has started, as it was seen.
#[request]
pub struct PayoutOfBatch {
    id: Field<String>,
    #[schema(example = 3)]
    revision: Field<i32>,
}

/// Payouts to prepare, or to give up.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct PayoutBatch {
    /// 1 to 20, of one asset on one network.
    #[serde(default)]
    pub(super) payouts: Vec<PayoutOfBatch>,
}

pub(super) fn read(form: &mut Form, payouts: &[PayoutOfBatch]) -> Vec<wallet::PayoutOfBatch> {
    let payout = |one: &PayoutOfBatch| wallet::PayoutOfBatch {
        id: form.text("payouts", &one.id),
        revision: form.integer("payouts", &one.revision),
    };
    payouts.iter().map(payout).collect()
}

/// A file for a program that signs.
#[response(from = wallet::PayoutFile)]
pub struct PayoutFile {
    name: String,
    content_type: String,
    content: String,
}

/// What the treasury signs.
#[response]
pub struct PreparedPayouts {
    message: &'static str,
    /// Bitcoin: an unsigned transaction in base64 (BIP-174), if a node has a wallet of the treasury.
    psbt: Option<String>,
    /// What it pays to the network, in the smallest unit.
    fee_units: Option<String>,
    /// The payouts as files: CSV, and on Ethereum for the transaction builder of a Safe.
    files: Vec<PayoutFile>,
}

/// Prepare payouts that are paid together
///
/// Makes one unsigned transaction of payouts that the caller has started, or files for other signers. Nothing is kept or sent, and
/// each call makes another transaction.
#[post("/admin/payouts/prepare", "Back office")]
pub async fn prepare(caller: StaffMember, Json { value, .. }: Json<PayoutBatch>) -> Answer<PreparedPayouts> {
    let mut form = Form::new();
    let payouts = read(&mut form, &value.payouts);
    form.finish()?;
    let message = wallet::PreparePayoutsRequest { payouts };
    let found = ask!(caller.treasury.prepare_payouts(message))?;
    Ok(ok(PreparedPayouts {
        message: "The files are ready to be signed.",
        psbt: from_proto(found.psbt)?,
        fee_units: from_proto(found.fee_units)?,
        files: from_proto(found.files)?,
    }))
}

/// A signed transaction of payouts.
#[request]
pub struct SignedPayouts {
    /// Those that were prepared.
    #[serde(default)]
    payouts: Vec<PayoutOfBatch>,
    /// The signed transaction in base64 (BIP-174).
    psbt: Field<String>,
}

/// Payouts that were recorded.
#[response]
pub struct SentPayouts {
    message: &'static str,
    txid: String,
    /// Whether a node took the transaction; otherwise it is sent again every few seconds.
    sent: bool,
}

/// Send signed payouts
///
/// The transaction has to pay exactly these payouts, and otherwise only the treasury. All of them are recorded as sent, or none,
/// and the node sends the transaction. The same transaction again is only sent again.
#[post("/admin/payouts/send", "Back office")]
pub async fn send(caller: StaffMember, Keyed { value, claim }: Keyed<SignedPayouts>) -> Answer<SentPayouts> {
    let mut form = Form::new();
    let message = wallet::SendPayoutsRequest {
        payouts: read(&mut form, &value.payouts),
        psbt: form.file("psbt", value.psbt),
        client_address: caller.client.address,
        idempotency: claim,
    };
    if message.psbt.len() > LARGEST {
        form.wrong("psbt", "This file is too large.");
    }
    form.finish()?;
    keyed!(caller.treasury.send_payouts(message))?.reply(|answer| {
        let message = if answer.is_sent {
            "The payouts were sent."
        } else {
            "The payouts are recorded. The node did not take them yet, and is asked again every few seconds."
        };
        Ok(SentPayouts { message, txid: answer.txid, sent: answer.is_sent })
    })
}
