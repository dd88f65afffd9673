//! What decisions and payouts rest on: amounts, prices, and what the chain and the account of the member show now.

use chassis::clock;
use chassis::error::Refusal;
use chassis::identity::{PayoutState, Staff};
use chassis::money::Cents;
use chassis::staff_call::StaffCall;
use proto::common::v1::ChainPayment;
use proto::wallet::v1::MarkWithdrawalPaidRequest;
use time::{Duration, OffsetDateTime};
use tonic::metadata::MetadataMap;

use crate::app::payout::mark_withdrawal_paid::MarkWithdrawalPaid;
use crate::app::payout::payout_state::known_since;
use crate::app::review::get_review::get;
use crate::domain::observed_payment::Finality;
use crate::domain::transaction::{MethodCopy, PayoutPrice, Transaction, Withdrawal};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::evidence::outputs;
use crate::grpc::{GrpcServer, convert};

/// Times on the wire are cut to milliseconds.
const ROUNDED: Duration = Duration::milliseconds(1);
/// The states of payments that moved nothing, or do not count any more.
const UNDONE: [&str; 3] = ["orphaned", "replaced", "failed"];

impl GrpcServer {
    /// What keeps payouts of the member of a withdrawal waiting at this moment. What goes in is always taken.
    pub(in crate::grpc) async fn payout_state(&self, transaction: &Transaction) -> Result<PayoutState, Error> {
        match known_since(transaction) {
            None => Ok(PayoutState::default()),
            since => Ok(self.verifier.payout_state(transaction.user_id, since).await?),
        }
    }

    /// One person's slip must not make a fortune: beyond the largest deposit it takes a correction, and so two people.
    pub(super) fn received(&self, cents: Option<i64>) -> Result<Option<Cents>, Error> {
        let (least, most) = (Cents::new(1), self.limits.deposit_max);
        match cents.map(Cents::new) {
            Some(received) if !(least..=most).contains(&received) => {
                let sentence = format!("Please enter the amount received, {least} to {most}.");
                Err(Refusal::field("receivedAmount", sentence).into())
            }
            received => Ok(received),
        }
    }

    /// Looks again for payments to the destination since the approval (D-N4, D-Q5). One of them is the payout until somebody
    /// attaches it, and another that the treasurer has not seen may be the same payout made twice. Returns the payments;
    /// where there are some, the hash is that of one of them.
    pub(in crate::grpc) async fn check_payouts(
        &self,
        one: &Transaction,
        revision: i32,
        (txid, seen_at): (Option<&Txid>, Option<OffsetDateTime>),
    ) -> Result<Vec<ChainPayment>, Error> {
        let approval = one.as_withdrawal().and_then(|withdrawal| withdrawal.approval);
        // What happened since is refused as such, and a repeated request is answered as before.
        let is_open = one.is_approved() && one.revision == revision;
        let Some(approval) = approval.filter(|_| is_open) else { return Ok(Vec::new()) };
        let mut payments = self.evidence(one, None).await?.map(|evidence| evidence.payments).unwrap_or_default();
        payments.retain(|payment| {
            let is_since = moment(payment).is_none_or(|at| at + ROUNDED > approval.at);
            is_since && !UNDONE.contains(&payment.state.as_str())
        });
        let is_attached = |payment: &ChainPayment, txid: &Txid| {
            let is_output = txid.outputs.is_empty() || txid.outputs.contains(&payment.index);
            payment.txid == txid.key && is_output
        };
        let Some(first) = payments.first() else { return Ok(Vec::new()) };
        let Some(txid) = txid.filter(|txid| payments.iter().any(|payment| is_attached(payment, txid))) else {
            return Err(Error::PayoutSeen(first.txid.clone()));
        };
        let is_new = |at: OffsetDateTime| seen_at.is_some_and(|seen_at| at > seen_at + ROUNDED);
        let is_stale = payments.iter().any(|payment| payment.txid != txid.key && moment(payment).is_some_and(is_new));
        if is_stale { Err(Error::StaleEvidence) } else { Ok(payments) }
    }

    /// How far the payment of an approved withdrawal is, at the price that its lease fixed, or this one.
    pub(super) async fn finality(
        &self,
        one: &Transaction,
        revision: i32,
        txid: &Txid,
        price: Option<&Option<PayoutPrice>>,
    ) -> Result<Finality, Refusal> {
        let is_open = one.is_approved() && one.revision == revision;
        match one.as_withdrawal().filter(|_| is_open) {
            Some(withdrawal) => {
                let price = withdrawal.price.as_ref().or(price.and_then(Option::as_ref));
                self.chains.finality(withdrawal, txid, price).await
            }
            None => Ok(Finality::Open),
        }
    }

    /// Converts the request, with the payments that the chain shows.
    pub(super) async fn mark_paid_command(
        &self,
        staff: Staff,
        metadata: &MetadataMap,
        message: MarkWithdrawalPaidRequest,
    ) -> Result<MarkWithdrawalPaid, Error> {
        let call = StaffCall::of(staff, metadata, message.client_address, message.idempotency.as_ref())?;
        let id = convert::transaction_id(&message.id)?;
        let transaction = get(&self.db, id).await?;
        let network = transaction.method().map(|method| method.network.as_str()).unwrap_or_default();
        let txid = Txid::parse(&message.txid, network)?.at(message.vout);
        let seen_at = message.evidence_at.as_ref().and_then(clock::from_proto);
        let seen = self.check_payouts(&transaction, message.revision, (Some(&txid), seen_at)).await?;
        let outputs = outputs(&txid, &seen)?;
        let txid = txid.at(outputs.iter().filter_map(|output| output.vout));
        let price = match transaction.as_withdrawal() {
            Some(Withdrawal { price: None, .. }) => self.price(&transaction, message.revision).await,
            _ => Ok(None),
        };
        Ok(MarkWithdrawalPaid {
            call,
            id,
            member: self.payout_state(&transaction).await?,
            revision: message.revision,
            finality: self.finality(&transaction, message.revision, &txid, price.as_ref().ok()).await?,
            txid,
            outputs,
            is_seen: !seen.is_empty(),
            price,
        })
    }

    /// What an approved withdrawal pays at the rate of now; `None` for an asset that is never quoted.
    pub(in crate::grpc) async fn price(
        &self,
        one: &Transaction,
        revision: i32,
    ) -> Result<Option<PayoutPrice>, Refusal> {
        let is_open = one.is_approved() && one.revision == revision;
        match one.as_withdrawal().filter(|_| is_open) {
            Some(withdrawal) => self.quotes.price(withdrawal).await,
            None => Ok(None),
        }
    }

    /// The platform method of a payment as it is now; `None` if it has none or cannot be asked.
    pub(in crate::grpc) async fn current_method(&self, transaction: &Transaction) -> Option<MethodCopy> {
        let payment = transaction.as_payment()?;
        self.methods.resolve_deposit(&payment.method.id.to_string(), 0, transaction.user_id).await.ok()
    }
}

/// When a payment was seen.
fn moment(payment: &ChainPayment) -> Option<OffsetDateTime> {
    payment.seen_at.as_ref().and_then(clock::from_proto)
}
