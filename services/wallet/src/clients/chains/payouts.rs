//! Payouts in one transaction: prepared, signed, sent.

use chassis::call;
use chassis::error::{Refusal, from_status};
use chassis::grpc::Outgoing;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::OutgoingPayout;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::PreparePayoutsResponse;

use super::Chains;
use crate::domain::payout_batch::PayoutBatch;
use crate::domain::transaction::PayoutPrice;

impl Chains {
    /// One unsigned transaction of a batch, and files for signers.
    ///
    /// # Errors
    /// Invalid for what cannot be paid together, Unavailable if it cannot be asked.
    pub async fn prepare_payouts(&self, batch: &PayoutBatch) -> Result<PreparePayoutsResponse, Refusal> {
        let message =
            payment_method::PreparePayoutsRequest { network: batch.network.clone(), payouts: outgoing(batch) };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.payouts, prepare_payouts, request).await.map_err(|status| from_status(&status))?;
        let payment_method::PreparePayoutsResponse { psbt, fee_units, files } = answer.into_inner();
        let file = |one: payment_method::PayoutFile| wallet::PayoutFile {
            name: one.name,
            content_type: one.content_type,
            content: one.content,
        };
        Ok(PreparePayoutsResponse { psbt, fee_units, files: files.into_iter().map(file).collect() })
    }

    /// Has a signed transaction of a batch checked and kept; its hash, and the output of each payout.
    ///
    /// # Errors
    /// Invalid (`psbt`) if it does not pay exactly the batch, Unavailable if it cannot be asked.
    pub async fn keep_signed_payouts(&self, batch: &PayoutBatch, psbt: &str) -> Result<(String, Vec<u32>), Refusal> {
        let message = payment_method::KeepSignedPayoutsRequest {
            network: batch.network.clone(),
            payouts: outgoing(batch),
            psbt: psbt.to_owned(),
        };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.payouts, keep_signed_payouts, request).await.map_err(|status| from_status(&status))?;
        let kept = answer.into_inner();
        if kept.outputs.len() == batch.payouts.len() {
            Ok((kept.txid, kept.outputs))
        } else {
            Err(Refusal::unavailable())
        }
    }

    /// Has a transaction that was kept sent; one that was not is left alone.
    ///
    /// # Errors
    /// Invalid if the node refuses it, Unavailable if it cannot be asked.
    pub async fn send_payouts(&self, txid: &str) -> Result<(), Refusal> {
        let message = payment_method::SendPayoutsRequest { txid: txid.to_owned() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        call!(self.payouts, send_payouts, request).await.map(drop).map_err(|status| from_status(&status))
    }
}

fn outgoing(batch: &PayoutBatch) -> Vec<OutgoingPayout> {
    let payout = |(address, price): &(String, PayoutPrice)| OutgoingPayout {
        address: address.clone(),
        units: price.units.to_string(),
        contract: price.contract.clone(),
        decimals: price.conversion.decimals.into(),
    };
    batch.payouts.iter().map(payout).collect()
}
