//! What payment-method observes on the chains.

mod holdings;

mod payouts;

use chassis::call;
use chassis::clock::to_proto;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use chassis::money::{Cents, Units};
use chassis::page;
use proto::common::v1 as common;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::evidence_service_client::EvidenceServiceClient;
use proto::payment_method::v1::payout_service_client::PayoutServiceClient;
use proto::payment_method::v1::{
    ChainOutput, ConsumedPayment, GetConsumedRequest, GetEvidenceRequest, GetPayoutRequest, ListCandidatesRequest,
    ListPaymentsRequest, ListedPayment, MatchPayoutsRequest, NoteConsumedRequest, PayoutMatch, PayoutOutput,
};
use time::Duration as Span;
use uuid::Uuid;

use crate::domain::bridge::{Consumed, ConsumedSum, Span as BridgeSpan};
use crate::domain::destination::PayoutAddress;
use crate::domain::observed_payment::{AtDestination, Finality, Taken};
use crate::domain::transaction::{Destination, PayoutPrice, Transaction, Withdrawal};
use crate::domain::txid::Txid;

/// How long before their request members may have paid.
const EARLIER: Span = Span::days(1);

/// What payment-method observes on the chains.
#[derive(Clone)]
pub struct Chains {
    client: EvidenceServiceClient<Channel>,
    payouts: PayoutServiceClient<Channel>,
    credential: Credential,
}

/// What is asked about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Nodes too, so that a decision rests on what they say now.
    AtNodes,
    /// Only what was observed: for many transactions at once.
    AtObserved,
}

impl Chains {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let payouts = PayoutServiceClient::new(channel.clone());
        Self { client: EvidenceServiceClient::new(channel), payouts, credential }
    }

    /// What the chain shows about a deposit or payout, apart from what others account for; `None` where it is not observed, and
    /// for other transactions. With a hash that staff enter, of that, no matter what the member claimed. What the member claims by
    /// other deposits at about the same time counts for the confirmations.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn evidence(
        &self,
        (one, look): (&Transaction, Look),
        txid: Option<&Txid>,
        taken: &Taken,
        lately: Cents,
    ) -> Result<Option<common::ChainEvidence>, Refusal> {
        let Some(mut message) = question(one) else { return Ok(None) };
        message.is_for_member = look == Look::AtObserved;
        if let Some(txid) = txid {
            (message.txid, message.vout, message.outputs) = (txid.key.clone(), txid.vout(), txid.outputs.clone());
        }
        let output = |(txid, index): &(String, u32)| ChainOutput { txid: txid.clone(), index: *index };
        message.claimed_lately_cents = lately.get();
        message.consumed = taken.outputs.iter().map(output).collect();
        message.settled_quotes = taken.quotes.iter().map(ToString::to_string).collect();
        self.ask(message).await
    }

    /// What was observed: no node is asked.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn observed(&self, one: &Transaction) -> Result<Option<common::ChainEvidence>, Refusal> {
        let Some(asked) = question(one) else { return Ok(None) };
        self.ask(GetEvidenceRequest { is_for_member: true, ..asked }).await
    }

    /// Whether a payment of it was observed that was not lost since.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn is_seen(&self, one: &Transaction) -> Result<bool, Refusal> {
        let is_lost = |state: &str| ["orphaned", "replaced", "failed"].contains(&state);
        let evidence = self.observed(one).await?;
        Ok(evidence.is_some_and(|evidence| evidence.payments.iter().any(|payment| !is_lost(&payment.state))))
    }

    /// Payments to the platform below a number, 0 for the newest, newest first; as many as this.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn payments(&self, before: i64, size: i32) -> Result<Vec<ListedPayment>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(ListPaymentsRequest { before, size });
        let answer = call!(self.client, list_payments, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().payments)
    }

    /// Payments to the address that the member of a payment was shown, the nearest in value first: those of the day before the
    /// request, too.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn candidates(&self, one: &Transaction) -> Result<Vec<common::ChainPayment>, Refusal> {
        let Some(payment) = one.as_payment() else { return Ok(Vec::new()) };
        let message = ListCandidatesRequest {
            address: payment.method.address.clone(),
            currency: payment.method.currency.clone(),
            claimed_cents: payment.claimed_amount.unwrap_or(one.amount).get(),
            since: Some(to_proto(one.created_at - EARLIER)),
        };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, list_candidates, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().payments.into_iter().filter_map(|one| one.payment).collect())
    }

    /// Notes which withdrawals payouts belong to, by the number of the payout.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn match_payouts(&self, matches: &[(i64, Uuid)]) -> Result<(), Refusal> {
        for matches in matches.chunks(page::LARGEST.into()) {
            let matches =
                matches.iter().map(|(number, id)| PayoutMatch { number: *number, transaction_id: id.to_string() });
            let message = MatchPayoutsRequest { matches: matches.collect() };
            let request = Outgoing::service(&self.credential).idempotent(message);
            call!(self.client, match_payouts, request).await.map_err(|status| from_status(&status))?;
        }
        Ok(())
    }

    /// Notes that transactions rest on these payments.
    ///
    /// # Errors
    /// Unavailable if it cannot be reached.
    pub async fn note_consumed(&self, payments: &[Consumed]) -> Result<(), Refusal> {
        let payments = payments.iter().filter_map(|one| {
            Some(ConsumedPayment {
                chain: one.chain.clone(),
                txid: one.txid.clone(),
                // A payment that is reported has units, and so an output.
                index: one.vout.try_into().ok()?,
                is_outgoing: one.direction == "out",
            })
        });
        let request =
            Outgoing::service(&self.credential).idempotent(NoteConsumedRequest { payments: payments.collect() });
        call!(self.client, note_consumed, request).await.map(drop).map_err(|status| from_status(&status))
    }

    /// What the payments that transactions rest on come to, as far as payment-method knows.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn consumed(&self) -> Result<Vec<ConsumedSum>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(GetConsumedRequest {});
        let answer = call!(self.client, get_consumed, request).await.map_err(|status| from_status(&status))?;
        let sum = |one: payment_method::ConsumedSum| {
            let direction = if one.is_outgoing { "out" } else { "in" }.to_owned();
            let units = one.units.parse().map_err(|_| Refusal::unavailable())?;
            let span = BridgeSpan { chain: one.chain, asset: one.asset, direction };
            Ok(ConsumedSum { span, payments: one.payments, units })
        };
        answer.into_inner().sums.into_iter().map(sum).collect()
    }

    /// How far the payment of a withdrawal by this transaction is.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn finality(
        &self,
        one: &Withdrawal,
        txid: &Txid,
        price: Option<&PayoutPrice>,
    ) -> Result<Finality, Refusal> {
        let destination =
            one.destination.clone().unwrap_or(Destination { address: String::new(), memo: String::new() });
        let to = one.method.payout_address(&destination);
        Ok(match (self.at_destination(&to, txid, one.net_amount).await?, price) {
            (None, _) => Finality::Unobserved,
            (Some((true, outputs)), Some(price)) => Finality::of(&outputs, txid, price),
            _ => Finality::Open,
        })
    }

    /// What a transaction paid to a destination, and whether that is final; `None` where no node shows it.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn at_destination(
        &self,
        to: &PayoutAddress,
        txid: &Txid,
        worth: Cents,
    ) -> Result<Option<(bool, Vec<AtDestination>)>, Refusal> {
        let message = GetPayoutRequest {
            currency: to.currency.clone(),
            network: to.network.clone(),
            address: to.address.clone(),
            txid: txid.key.clone(),
            amount_cents: worth.get(),
        };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_payout, request).await.map_err(|status| from_status(&status))?.into_inner();
        let Some(shown) = answer.payout else { return Ok(None) };
        let read = |one: &PayoutOutput| {
            let (vout, is_observed) = (one.index, one.observed);
            Units::parse(&one.units).map(|units| AtDestination { vout, units, is_observed })
        };
        let outputs: Result<_, _> = shown.outputs.iter().map(read).collect();
        Ok(Some((shown.state == "final", outputs.map_err(|_| Refusal::unavailable())?)))
    }

    async fn ask(&self, message: GetEvidenceRequest) -> Result<Option<common::ChainEvidence>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_evidence, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().evidence)
    }
}

fn question(one: &Transaction) -> Option<GetEvidenceRequest> {
    let method = one.method()?;
    let withdrawal = one.as_withdrawal();
    let destination = withdrawal.and_then(|withdrawal| withdrawal.destination.as_ref());
    let address = if withdrawal.is_some() { destination?.address.clone() } else { method.address.clone() };
    let payment = one.as_payment();
    let quote = payment.and_then(|payment| payment.quote.as_ref());
    let price = withdrawal.and_then(|withdrawal| withdrawal.price.as_ref());
    Some(GetEvidenceRequest {
        user_id: one.user_id.to_string(),
        is_payout: withdrawal.is_some(),
        currency: method.currency.clone(),
        network: method.network.clone(),
        address,
        txid: one.known_txid().unwrap_or_default().to_owned(),
        vout: one.txid().and_then(Txid::vout),
        quote_id: quote.map(|quote| quote.id.to_string()).unwrap_or_default(),
        units_due: price.map(|price| price.units.to_string()).unwrap_or_default(),
        claimed_cents: payment.and_then(|payment| payment.claimed_amount).unwrap_or(one.amount).get(),
        requested_at: Some(to_proto(one.created_at)),
        ..GetEvidenceRequest::default()
    })
}
