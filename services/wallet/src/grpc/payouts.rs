//! Batches of payouts: what the treasury signs, and what it signed.

use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer};
use chassis::id::StaffId;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use futures::{StreamExt, TryStreamExt};
use proto::wallet::v1 as message;
use proto::wallet::v1::{
    DissolvePayoutsRequest, DissolvePayoutsResponse, PreparePayoutsRequest, PreparePayoutsResponse, SendPayoutsRequest,
    SendPayoutsResponse,
};
use tonic::{Request, Response};

use crate::app::payout::dissolve_payouts::{DissolvePayouts, dissolve_payouts};
use crate::app::payout::mark_withdrawal_paid::MarkWithdrawalPaid;
use crate::app::payout::send_payouts::{SendPayouts, send_payouts};
use crate::app::review::get_review::get;
use crate::domain::observed_payment::Finality;
use crate::domain::payout_batch::PayoutBatch;
use crate::domain::transaction::Transaction;
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::evidence::outputs;
use crate::grpc::{GrpcServer, convert};

/// Payouts in a batch.
const MOST: usize = 20;
/// Payouts that are looked at together.
const AT_ONCE: usize = 4;

impl GrpcServer {
    pub(super) async fn prepare(&self, request: Request<PreparePayoutsRequest>) -> Reply<PreparePayoutsResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.staff(&metadata, Permission::Pay).await?;
        let (payouts, batch) = self.batch(&message.payouts, staff.id).await?;
        if payouts.iter().any(|(one, revision)| one.revision != *revision) {
            return Err(Error::StaleRevision.into());
        }
        Ok(Response::new(self.chains.prepare_payouts(&batch).await.map_err(Error::from)?))
    }

    pub(super) async fn send(&self, request: Request<SendPayoutsRequest>) -> Reply<SendPayoutsResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.staff(&metadata, Permission::Pay).await?;
        let by = staff.id;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let (payouts, batch) = self.batch(&message.payouts, by).await?;
        let (txid, vouts) = self.chains.keep_signed_payouts(&batch, &message.psbt).await.map_err(Error::from)?;
        let key = Txid::parse(&txid, &batch.network).map_err(Error::from)?;
        let mut marking = Vec::new();
        for (payout, vout) in payouts.iter().zip(vouts) {
            marking.push(self.marking(&call, payout, key.clone().at([vout])));
        }
        let payouts = futures::stream::iter(marking).buffered(AT_ONCE).try_collect().await?;
        let command = SendPayouts { call, payouts };
        let done = retrying(|| send_payouts(&self.db, &command)).await?;
        // What is recorded is sent again by the look at payouts until the chain has it.
        let is_sent = match self.chains.send_payouts(&key.key).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%error, txid, "payouts are recorded and could not be sent yet");
                false
            }
        };
        Ok(answer(done.map(|all| SendPayoutsResponse {
            txid: key.text.clone(),
            is_sent,
            transactions: all.into_iter().map(Into::into).collect(),
        })))
    }

    pub(super) async fn dissolve(&self, request: Request<DissolvePayoutsRequest>) -> Reply<DissolvePayoutsResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.staff(&metadata, Permission::Pay).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let payouts = self.named(&message.payouts).await?;
        for (one, revision) in &payouts {
            // What is on the chain already is paid, and can only be attached.
            self.check_payouts(one, *revision, (None, None)).await?;
        }
        let payouts = payouts.into_iter().map(|(one, revision)| (one.id, revision)).collect();
        let command = DissolvePayouts { call, payouts };
        let done = retrying(|| dissolve_payouts(&self.db, &command)).await?;
        Ok(answer(done.map(|all| DissolvePayoutsResponse { transactions: all.into_iter().map(Into::into).collect() })))
    }

    /// The withdrawals of a batch, with the revisions that were seen.
    async fn batch(
        &self,
        named: &[message::PayoutOfBatch],
        by: StaffId,
    ) -> Result<(Vec<(Transaction, i32)>, PayoutBatch), Error> {
        let payouts = self.named(named).await?;
        let all: Vec<_> = payouts.iter().map(|(one, _)| one.clone()).collect();
        let batch = PayoutBatch::of(&all, by)?;
        Ok((payouts, batch))
    }

    /// Withdrawals with the revisions that were seen.
    async fn named(&self, named: &[message::PayoutOfBatch]) -> Result<Vec<(Transaction, i32)>, Error> {
        if named.is_empty() || named.len() > MOST {
            return Err(Refusal::field("payouts", format!("Choose 1 to {MOST} payouts.")).into());
        }
        let mut payouts: Vec<(Transaction, i32)> = Vec::new();
        for one in named {
            let id = convert::transaction_id(&one.id)?;
            if payouts.iter().any(|(known, _)| known.id == id) {
                return Err(Refusal::field("payouts", "A payout is named twice.").into());
            }
            payouts.push((get(&self.db, id).await?, one.revision));
        }
        Ok(payouts)
    }

    /// The payout of a batch as one that is sent with an output. A payment to its destination that is on the chain already has to
    /// be this one (D-N4).
    async fn marking(
        &self,
        call: &StaffCall,
        (one, revision): &(Transaction, i32),
        txid: Txid,
    ) -> Result<MarkWithdrawalPaid, Error> {
        let seen = self.check_payouts(one, *revision, (Some(&txid), None)).await?;
        Ok(MarkWithdrawalPaid {
            call: call.clone(),
            id: one.id,
            member: self.payout_state(one).await?,
            revision: *revision,
            outputs: outputs(&txid, &seen)?,
            txid,
            is_seen: !seen.is_empty(),
            // It cannot be final before it is sent.
            finality: Finality::Open,
            price: Ok(None),
        })
    }
}
