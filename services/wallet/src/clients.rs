//! Clients of payment-method and auth.

use chassis::id::{MemberId, MethodId, QuoteId};
use std::time::Duration;

use chassis::batch::Batch;
use chassis::call;
use chassis::clock::{from_proto, to_proto};
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::{Credential, Session};
use chassis::money::{Cents, Conversion, Rate, SignedUnits, Units};
use chassis::page;
use proto::auth::v1::confirmation_service_client::ConfirmationServiceClient;
use proto::auth::v1::{CheckDestinationCodeRequest, IssueDestinationCodeRequest, NoteDestinationRequest};
use proto::common::v1 as common;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::evidence_service_client::EvidenceServiceClient;
use proto::payment_method::v1::method_lookup_service_client::MethodLookupServiceClient;
use proto::payment_method::v1::payout_service_client::PayoutServiceClient;
use proto::payment_method::v1::quote_service_client::QuoteServiceClient;
use proto::payment_method::v1::{
    ChainOutput, ConsumedPayment, CreateQuoteRequest, CreateQuoteResponse, GetArrivedRequest, GetArrivedResponse,
    GetConsumedRequest, GetEvidenceRequest, GetHoldingsRequest, GetPayoutRequest, GetQuoteRequest,
    ListCandidatesRequest, ListOutflowsRequest, ListPaymentsRequest, ListedPayment, MatchPayoutsRequest,
    NoteConsumedRequest, OutgoingPayout, PayoutMatch, PayoutOutput, PricePayoutRequest, ResolveDepositMethodRequest,
    ResolveWithdrawalMethodRequest, ResolveWithdrawalMethodResponse, ResolveWithdrawalMethodsRequest,
    TakeBackMethodsRequest,
};
use proto::wallet::v1 as wallet;
use proto::wallet::v1::PreparePayoutsResponse;
use time::{Duration as Span, OffsetDateTime};
use tonic::Response;
use uuid::Uuid;

use crate::domain::bridge::{Consumed, ConsumedSum, Span as BridgeSpan};
use crate::domain::destination::PayoutAddress;
use crate::domain::holding::{AddressProof, AssetHolding, HeldAt, Movement, Observed, Outflow, SharedAddress, Undone};
use crate::domain::observed_payment::{AtDestination, Finality, ObservedPayment, Taken};
use crate::domain::payout_batch::PayoutBatch;
use crate::domain::transaction::{
    Destination, MethodCopy, PayoutPrice, QuoteCopy, QuoteDirection, Transaction, Withdrawal,
};
use crate::domain::txid::Txid;

/// How long before their request members may have paid.
const EARLIER: Span = Span::days(1);
/// How long a report waits for the holdings before it is returned without them.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Methods {
    lookup: Lookup,
    plain: Batch<ResolveWithdrawalMethodRequest, Resolved>,
}

/// A withdrawal's method and destination; `None` where it was not plain.
type Resolved = Result<Option<ResolveWithdrawalMethodResponse>, Refusal>;

#[derive(Clone)]
struct Lookup {
    client: MethodLookupServiceClient<Channel>,
    credential: Credential,
}

impl Methods {
    /// Asks over this channel with this credential. Call inside the runtime.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let lookup = Lookup { client: MethodLookupServiceClient::new(channel), credential };
        let asked = lookup.clone();
        let plain = Batch::new(move |withdrawals| {
            let lookup = asked.clone();
            async move { lookup.plain(withdrawals).await }
        });
        Self { lookup, plain }
    }

    /// The active platform method that a payment names, by id or unique currency code, in the version that was shown; 0 for
    /// the one in force. With the member's own address, if the method gives each member one.
    ///
    /// # Errors
    /// Invalid if there is none, Unavailable if it cannot be asked.
    pub async fn resolve_deposit(&self, method: &str, version: i32, user_id: MemberId) -> Result<MethodCopy, Refusal> {
        let user_id = user_id.to_string();
        let request = ResolveDepositMethodRequest { method: method.to_owned(), version, user_id };
        let request = Outgoing::service(&self.lookup.credential).idempotent(request);
        let answer =
            call!(self.lookup.client, resolve_deposit_method, request).await.map_err(|status| from_status(&status))?;
        copy_of(answer.into_inner().payment_method.ok_or_else(Refusal::unavailable)?)
    }

    /// What arrived at an own address of a member, and the method that it was paid by.
    ///
    /// # Errors
    /// `NotFound` if nothing did, Invalid if no active method is of it, Unavailable if it cannot be asked.
    pub async fn arrived(
        &self,
        user_id: MemberId,
        (chain, txid, index): (&str, &str, u32),
    ) -> Result<(ObservedPayment, Option<Cents>, MethodCopy), Refusal> {
        let (chain, txid) = (chain.to_owned(), txid.to_owned());
        let request = GetArrivedRequest { user_id: user_id.to_string(), chain, txid, index };
        let request = Outgoing::service(&self.lookup.credential).idempotent(request);
        let answer = call!(self.lookup.client, get_arrived, request).await.map_err(|status| from_status(&status))?;
        let GetArrivedResponse { payment, payment_method } = answer.into_inner();
        let (payment, found) = payment.zip(payment_method).ok_or_else(Refusal::unavailable)?;
        let value = payment.value_cents.map(Cents::new);
        let payment = ObservedPayment {
            chain: payment.chain,
            txid: payment.txid,
            vout: payment.index,
            address: payment.address,
            asset: payment.asset,
            units: payment.units,
        };
        Ok((payment, value, copy_of(found)?))
    }

    /// The network and destination of a withdrawal; the address is checked for the network. No destination if the
    /// member gave none and has saved none.
    ///
    /// # Errors
    /// Invalid for an unknown method or a bad address, Unavailable if it cannot be asked.
    pub async fn resolve_withdrawal(
        &self,
        user_id: MemberId,
        method: &str,
        typed: Destination,
    ) -> Result<(MethodCopy, Option<Destination>), Refusal> {
        let request = ResolveWithdrawalMethodRequest {
            user_id: user_id.to_string(),
            method: method.to_owned(),
            address: typed.address,
            memo: typed.memo,
        };
        let answer = match self.plain.ask(request.clone()).await.ok_or_else(Refusal::unavailable)?? {
            Some(answer) => answer,
            None => self.lookup.alone(request).await?,
        };
        let method = MethodCopy {
            id: answer.method_id.parse().map_err(|_| Refusal::unavailable())?,
            currency: answer.currency,
            network: answer.network,
            address: String::new(),
            memo: String::new(),
            version: 0,
        };
        let destination = Destination { address: answer.address, memo: answer.memo };
        Ok((method, Some(destination).filter(|destination| !destination.address.is_empty())))
    }
}

fn copy_of(found: payment_method::PaymentMethod) -> Result<MethodCopy, Refusal> {
    Ok(MethodCopy {
        id: found.id.parse().map_err(|_| Refusal::unavailable())?,
        currency: found.currency,
        network: found.network,
        address: found.address,
        memo: found.memo,
        version: found.version,
    })
}

impl Methods {
    /// Takes back what happened to a member's own methods in this period.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn take_back(
        &self,
        user_id: MemberId,
        (since, until): (OffsetDateTime, OffsetDateTime),
    ) -> Result<(), Refusal> {
        let (since, until) = (Some(to_proto(since)), Some(to_proto(until)));
        let message = TakeBackMethodsRequest { user_id: user_id.to_string(), since, until };
        let request = Outgoing::service(&self.lookup.credential).idempotent(message);
        call!(self.lookup.client, take_back_methods, request).await.map(drop).map_err(|status| from_status(&status))
    }
}

impl Lookup {
    async fn plain(&self, withdrawals: Vec<ResolveWithdrawalMethodRequest>) -> Vec<Resolved> {
        if let [withdrawal] = &withdrawals[..] {
            return vec![self.alone(withdrawal.clone()).await.map(Some)];
        }
        let count = withdrawals.len();
        let request = Outgoing::service(&self.credential).idempotent(ResolveWithdrawalMethodsRequest { withdrawals });
        let asked = call!(self.client, resolve_withdrawal_methods, request);
        match asked.await {
            Ok(answer) => answer.into_inner().resolutions.into_iter().map(|one| Ok(one.found)).collect(),
            Err(status) => vec![Err(from_status(&status)); count],
        }
    }

    async fn alone(&self, request: ResolveWithdrawalMethodRequest) -> Result<ResolveWithdrawalMethodResponse, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(request);
        call!(self.client, resolve_withdrawal_method, request)
            .await
            .map(Response::into_inner)
            .map_err(|status| from_status(&status))
    }
}

/// Quotes, which payment-method makes.
#[derive(Clone)]
pub struct Quotes {
    client: QuoteServiceClient<Channel>,
    credential: Credential,
}

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

    /// The holdings of the platform's addresses and the payments without a withdrawal; `None` if payment-method does not
    /// answer in time.
    pub async fn holdings(&self) -> Option<Observed> {
        let request = Outgoing::service(&self.credential).idempotent(GetHoldingsRequest {});
        let asked = call!(self.client, get_holdings, request);
        let all = async {
            let mut answer = asked.await.ok()?.into_inner();
            // What is missing is the sum of all of them, however many there are.
            while let Some(last) = answer.outflows.last() {
                let next = self.outflows(last.number).await.ok()?;
                if next.is_empty() {
                    break;
                }
                answer.outflows.extend(next);
            }
            Some(answer)
        };
        let answer = tokio::time::timeout(PATIENCE, all).await.ok()??;
        Some(Observed {
            assets: answer.holdings.into_iter().filter_map(holding).collect(),
            outflows: answer.outflows.into_iter().filter_map(outflow).collect(),
            undone: answer.undone.into_iter().filter_map(undone).collect(),
            shared: answer.shared.into_iter().map(shared).collect(),
        })
    }

    async fn outflows(&self, after: i64) -> Result<Vec<payment_method::Outflow>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(ListOutflowsRequest { after });
        let answer = call!(self.client, list_outflows, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().outflows)
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

    async fn ask(&self, message: GetEvidenceRequest) -> Result<Option<common::ChainEvidence>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_evidence, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().evidence)
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

fn holding(one: payment_method::AssetHolding) -> Option<AssetHolding> {
    let sums = Units::parse(&one.units).ok().zip(SignedUnits::parse(&one.recorded).ok());
    Some(AssetHolding {
        chain: one.chain,
        asset: one.asset,
        decimals: one.decimals.try_into().ok()?,
        sums,
        at: one.at.as_ref().and_then(from_proto),
        rate: one.rate_micros.zip(one.rate_at.as_ref().and_then(from_proto)),
        value_cents: one.value_cents,
        addresses: one.addresses.into_iter().filter_map(held_at).collect(),
    })
}

fn held_at(one: common::HeldAtAddress) -> Option<HeldAt> {
    Some(HeldAt { units: Units::parse(&one.units).ok()?, at: from_proto(one.at.as_ref()?)?, address: one.address })
}

fn movement(one: common::ChainPayment) -> Option<Movement> {
    Some(Movement {
        units: Units::parse(&one.units).ok()?,
        seen_at: from_proto(one.seen_at.as_ref()?)?,
        decimals: one.decimals.try_into().ok()?,
        chain: one.chain,
        txid: one.txid,
        vout: one.index,
        asset: one.asset,
        address: one.address,
        counterparty: one.counterparty,
        state: one.state,
    })
}

fn outflow(one: payment_method::Outflow) -> Option<Outflow> {
    Some(Outflow { number: one.number, payment: movement(one.payment?)?, replaces: one.replaces })
}

fn undone(one: payment_method::UndonePayment) -> Option<Undone> {
    let changed_at = from_proto(one.changed_at.as_ref()?)?;
    Some(Undone { payment: movement(one.payment?)?, changed_at, is_deposit: one.is_deposit })
}

fn shared(one: payment_method::PaymentMethod) -> SharedAddress {
    SharedAddress {
        currency: one.currency,
        network: one.network,
        address: one.address,
        memo: one.memo,
        version: one.version,
        signature: one.signature,
        proof: one.proof.map(|proof| AddressProof {
            message: proof.message,
            signature: proof.signature,
            day: proof.day,
        }),
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

/// A quote as a transaction keeps it, and what it is for.
#[derive(Debug, Clone)]
pub struct Quoted {
    pub quote: QuoteCopy,
    pub direction: QuoteDirection,
    /// As requested; gross.
    pub amount: Cents,
    pub method_id: MethodId,
    /// Deposits: the version of the method whose address was quoted.
    pub method_version: i32,
    pub network: String,
    /// Deposits: where to pay, which may be an address of this quote alone.
    pub address: String,
}

impl Quotes {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: QuoteServiceClient::new(channel), credential }
    }

    /// A new quote, once a key.
    ///
    /// # Errors
    /// Invalid for an unknown method, Conflict for too many open quotes, Unavailable without a rate.
    pub async fn create(&self, message: CreateQuoteRequest) -> Result<Response<CreateQuoteResponse>, Refusal> {
        let out = Outgoing::service(&self.credential);
        let request = if message.idempotency.is_some() { out.idempotent(message) } else { out.once(message) };
        call!(self.client, create_quote, request).await.map_err(|status| from_status(&status))
    }

    /// A member's open quote.
    ///
    /// # Errors
    /// NotFound, Conflict if it expired, Unavailable if it cannot be asked.
    pub async fn get(&self, user_id: MemberId, quote_id: QuoteId, may_have_ended: bool) -> Result<Quoted, Refusal> {
        let (user_id, quote_id) = (user_id.to_string(), quote_id.to_string());
        let message = GetQuoteRequest { user_id, quote_id, may_have_ended };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_quote, request).await.map_err(|status| from_status(&status))?;
        let found = answer.into_inner().quote.ok_or_else(Refusal::unavailable)?;
        quoted(&found).ok_or_else(Refusal::unavailable)
    }
}

impl Quotes {
    /// What a withdrawal pays at the rate of now; `None` for an asset that is never quoted.
    ///
    /// # Errors
    /// Unavailable without a rate, or if it cannot be asked.
    pub async fn price(&self, one: &Withdrawal) -> Result<Option<PayoutPrice>, Refusal> {
        let MethodCopy { currency, network, .. } = one.method.clone();
        let message = PricePayoutRequest { currency, network, net_amount_cents: one.net_amount.get() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, price_payout, request).await.map_err(|status| from_status(&status))?;
        let Some(found) = answer.into_inner().price else { return Ok(None) };
        price(found, &one.method.currency).ok_or_else(Refusal::unavailable).map(Some)
    }
}

/// `None` if it lacks a part.
fn price(found: payment_method::PayoutPrice, asset: &str) -> Option<PayoutPrice> {
    Some(PayoutPrice {
        asset: asset.to_owned(),
        contract: found.contract,
        conversion: Conversion {
            rate: Rate::new(found.rate_micros).ok()?,
            decimals: found.decimals.try_into().ok()?,
            spread_bps: found.spread_bps.try_into().ok()?,
        },
        units: Units::parse(&found.units).ok()?,
        at: from_proto(found.at.as_ref()?)?,
    })
}

/// `None` if it lacks a part.
fn quoted(found: &common::Quote) -> Option<Quoted> {
    Some(Quoted {
        direction: match found.direction() {
            common::QuoteDirection::Deposit => QuoteDirection::Deposit,
            common::QuoteDirection::Withdrawal => QuoteDirection::Withdrawal,
            common::QuoteDirection::Unspecified => return None,
        },
        amount: Cents::new(found.amount_cents),
        method_id: found.method_id.parse().ok()?,
        method_version: found.method_version,
        network: found.network.clone(),
        address: found.address.clone(),
        quote: QuoteCopy {
            id: found.id.parse().ok()?,
            asset: found.currency.clone(),
            conversion: Conversion {
                rate: Rate::new(found.rate_micros).ok()?,
                decimals: found.decimals.try_into().ok()?,
                spread_bps: found.spread_bps.try_into().ok()?,
            },
            units: Units::parse(&found.units).ok()?,
            at: from_proto(found.at.as_ref()?)?,
            expires_at: from_proto(found.expires_at.as_ref()?)?,
        },
    })
}

/// The codes by which members confirm destinations, which auth issues and checks.
#[derive(Clone)]
pub struct Codes {
    client: ConfirmationServiceClient<Channel>,
    credential: Credential,
}

impl Codes {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: ConfirmationServiceClient::new(channel), credential }
    }

    /// Has a code mailed to a member for the destination with this key.
    ///
    /// # Errors
    /// RateLimited within a minute of the last one, and after six within an hour; Unavailable if auth cannot be asked.
    pub async fn issue(&self, user_id: MemberId, key: Vec<u8>, to: &PayoutAddress) -> Result<(), Refusal> {
        let message = IssueDestinationCodeRequest {
            user_id: user_id.to_string(),
            destination: key,
            currency: to.currency.clone(),
            network: to.network.clone(),
            address: to.address.clone(),
            memo: to.memo.clone(),
        };
        let request = Outgoing::service(&self.credential).once(message);
        call!(self.client, issue_destination_code, request).await.map(drop).map_err(|status| from_status(&status))
    }

    /// Confirms the destination with this key by the second factor that the member gave in this session: it is noted in their
    /// activity. Returns what auth signs about it.
    ///
    /// # Errors
    /// Forbidden if auth knows of no such factor; Unavailable if it cannot be asked.
    pub async fn note(&self, member: &Session, key: Vec<u8>) -> Result<String, Refusal> {
        let message = NoteDestinationRequest {
            user_id: member.member_id().to_string(),
            destination: key,
            session_id: member.id.to_string(),
        };
        let request = Outgoing::service(&self.credential).once(message);
        let answer = call!(self.client, note_destination, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().assertion)
    }

    /// Uses up the code of the destination with this key. Returns what auth signs about it.
    ///
    /// # Errors
    /// Invalid (`INVALID_CODE`) if it is another, was replaced or is too old; Unavailable if auth cannot be asked.
    pub async fn check(&self, user_id: MemberId, key: Vec<u8>, code: &str) -> Result<String, Refusal> {
        let message =
            CheckDestinationCodeRequest { user_id: user_id.to_string(), destination: key, code: code.to_owned() };
        let request = Outgoing::service(&self.credential).once(message);
        let answer =
            call!(self.client, check_destination_code, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().assertion)
    }
}
