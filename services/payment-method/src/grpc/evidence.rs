//! For wallet: what the chain shows about deposits and payouts.

use chassis::clock::{from_proto, to_proto};
use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::id::TransactionId;
use chassis::money::{Cents, Units};
use chassis::page;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck, HeldAtAddress};
use proto::payment_method::v1 as message;
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    ConsumedSum as Sum, GetConsumedRequest, GetConsumedResponse, GetEvidenceRequest, GetEvidenceResponse,
    GetHoldingsRequest, GetHoldingsResponse, GetPayoutRequest, GetPayoutResponse, ListCandidatesRequest,
    ListCandidatesResponse, ListOutflowsRequest, ListOutflowsResponse, ListPaymentsRequest, ListPaymentsResponse,
    ListedPayment, MatchPayoutsRequest, MatchPayoutsResponse, NoteConsumedRequest, NoteConsumedResponse, PayoutOnChain,
    PayoutOutput,
};
use time::OffsetDateTime;
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::get_consumed::get_consumed;
use crate::app::get_evidence::{Evidence, GetEvidence, Pricing, get_evidence};
use crate::app::get_holdings::{AssetHolding, Holdings, Scales, get_holdings, list_outflows};
use crate::app::get_payout::{GetPayout, Output, Payout, get_payout};
use crate::app::list_candidates::{Claim, list_candidates};
use crate::app::list_payments::{Arrival, list_payments};
use crate::app::match_payouts::match_payouts;
use crate::app::note_consumed::note_consumed;
use crate::domain::payment::{Key, State, Way, confirmations};
use crate::error::Error;
use crate::store::chain_payments::{Outflow, Payment};
use crate::store::consumed_payments::ConsumedSum;
use crate::store::holdings::Holding;

const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl EvidenceService for GrpcServer {
    async fn get_evidence(&self, request: Request<GetEvidenceRequest>) -> Reply<GetEvidenceResponse> {
        let found = self.find_evidence(request).await?;
        Ok(Response::new(GetEvidenceResponse { evidence: found.map(Into::into) }))
    }

    async fn list_payments(&self, request: Request<ListPaymentsRequest>) -> Reply<ListPaymentsResponse> {
        let found = self.find_payments(request).await?;
        Ok(Response::new(ListPaymentsResponse { payments: found.into_iter().map(Into::into).collect() }))
    }

    async fn list_candidates(&self, request: Request<ListCandidatesRequest>) -> Reply<ListCandidatesResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let ListCandidatesRequest { address, currency, claimed_cents, since } = request.into_inner();
        let since = since.as_ref().and_then(from_proto).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let claim = Claim { address, currency, amount: Cents::new(claimed_cents), since };
        let found = list_candidates(&self.db, &claim).await?;
        Ok(Response::new(ListCandidatesResponse { payments: found.into_iter().map(Into::into).collect() }))
    }

    async fn get_holdings(&self, request: Request<GetHoldingsRequest>) -> Reply<GetHoldingsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        Ok(Response::new(get_holdings(&self.db).await?.into()))
    }

    async fn list_outflows(&self, request: Request<ListOutflowsRequest>) -> Reply<ListOutflowsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let (found, scales) = list_outflows(&self.db, request.into_inner().after).await?;
        let outflows = found.into_iter().map(|one| outflow(one, &scales)).collect();
        Ok(Response::new(ListOutflowsResponse { outflows }))
    }

    async fn match_payouts(&self, request: Request<MatchPayoutsRequest>) -> Reply<MatchPayoutsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let matches = matches(request.into_inner())?;
        retrying(|| match_payouts(&self.db, &matches)).await?;
        Ok(Response::new(MatchPayoutsResponse {}))
    }

    async fn note_consumed(&self, request: Request<NoteConsumedRequest>) -> Reply<NoteConsumedResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let payments = consumed(request.into_inner())?;
        retrying(|| note_consumed(&self.db, &payments)).await?;
        Ok(Response::new(NoteConsumedResponse {}))
    }

    async fn get_consumed(&self, request: Request<GetConsumedRequest>) -> Reply<GetConsumedResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let sums = get_consumed(&self.db).await?.into_iter().map(Into::into).collect();
        Ok(Response::new(GetConsumedResponse { sums }))
    }

    async fn get_payout(&self, request: Request<GetPayoutRequest>) -> Reply<GetPayoutResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let GetPayoutRequest { currency, network, address, txid, amount_cents } = request.into_inner();
        let asked = GetPayout { currency, network, address, txid, amount: Cents::new(amount_cents) };
        let found = get_payout(&self.db, &self.chains, &asked).await?;
        Ok(Response::new(GetPayoutResponse { payout: found.map(Into::into) }))
    }
}

impl GrpcServer {
    async fn find_evidence(&self, request: Request<GetEvidenceRequest>) -> Result<Option<Evidence>, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let pricing = Pricing { spread_bps: self.spread_bps, tolerance: self.tolerance };
        get_evidence(&self.db, (&self.chains, &self.lookups), pricing, &asked(request.into_inner())?).await
    }

    async fn find_payments(&self, request: Request<ListPaymentsRequest>) -> Result<Vec<Arrival>, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let ListPaymentsRequest { before, size } = request.into_inner();
        if !(1..=i32::from(page::LARGEST)).contains(&size) {
            return Err(Refusal::field("size", format!("The page size must be 1 to {}.", page::LARGEST)).into());
        }
        list_payments(&self.db, if before == 0 { i64::MAX } else { before }, size.into()).await
    }
}

impl From<ConsumedSum> for Sum {
    fn from(one: ConsumedSum) -> Self {
        let is_outgoing = one.way == Way::Out.into_str();
        Self { chain: one.chain, asset: one.symbol, is_outgoing, payments: one.payments, units: one.units }
    }
}

fn matches(message: MatchPayoutsRequest) -> Result<Vec<(i64, TransactionId)>, Error> {
    if message.matches.len() > usize::from(page::LARGEST) {
        return Err(Refusal::field("matches", format!("At most {} matches at once.", page::LARGEST)).into());
    }
    let ids = message.matches.into_iter().map(|one| Ok((one.number, convert::id(&one.transaction_id)?)));
    ids.collect()
}

fn consumed(message: NoteConsumedRequest) -> Result<Vec<(String, Key)>, Error> {
    if message.payments.len() > usize::from(page::LARGEST) {
        return Err(Refusal::field("payments", format!("At most {} payments at once.", page::LARGEST)).into());
    }
    let places = message.payments.into_iter().map(|one| {
        let index =
            one.index.try_into().map_err(|_| Refusal::field("index", "Please enter the index of an output."))?;
        let way = if one.is_outgoing { Way::Out } else { Way::In };
        Ok((one.chain, Key { txid: one.txid, index, way }))
    });
    places.collect()
}

fn asked(message: GetEvidenceRequest) -> Result<GetEvidence, Error> {
    let requested_at = message.requested_at.as_ref().and_then(from_proto);
    let outputs = message.vout.into_iter().chain(message.outputs).map(i32::try_from).collect::<Result<_, _>>();
    let consumed = message.consumed.into_iter().filter_map(|one| Some((one.txid, one.index.try_into().ok()?)));
    Ok(GetEvidence {
        user_id: convert::id(&message.user_id)?,
        way: if message.is_payout { Way::Out } else { Way::In },
        currency: message.currency,
        network: message.network,
        address: message.address,
        txid: message.txid.trim().to_ascii_lowercase().trim_start_matches("0x").to_owned(),
        outputs: outputs.map_err(|_| Refusal::field("vout", "Please enter the index of an output."))?,
        consumed: consumed.collect(),
        settled: message.settled_quotes.iter().filter_map(|id| id.parse().ok()).collect(),
        quote_id: message.quote_id.parse().ok(),
        units_due: Units::parse(&message.units_due).ok(),
        claimed: Cents::new(message.claimed_cents),
        claimed_lately: Cents::new(message.claimed_lately_cents.max(0)),
        requested_at: requested_at.ok_or_else(|| Refusal::field("requestedAt", "Name the time of the request."))?,
        is_for_member: message.is_for_member,
    })
}

impl From<Holdings> for GetHoldingsResponse {
    fn from(found: Holdings) -> Self {
        let Holdings { assets, outflows, undone, scales, shared } = found;
        let undone_one = |one: Payment| message::UndonePayment {
            changed_at: Some(to_proto(one.changed_at)),
            is_deposit: one.key.way == Way::In,
            payment: Some(told(one, &scales)),
        };
        Self {
            holdings: assets.into_iter().map(Into::into).collect(),
            outflows: outflows.into_iter().map(|one| outflow(one, &scales)).collect(),
            undone: undone.into_iter().map(undone_one).collect(),
            shared: shared.into_iter().map(Into::into).collect(),
        }
    }
}

fn outflow(one: Outflow, scales: &Scales) -> message::Outflow {
    message::Outflow { number: one.payment.id, payment: Some(told(one.payment, scales)), replaces: one.replaces }
}

fn told(one: Payment, scales: &Scales) -> ChainPayment {
    let scale = scales.get(&(one.chain.clone(), one.symbol.clone())).copied().unwrap_or_default();
    payment(one, scale.decimals, scale.tip)
}

impl From<AssetHolding> for message::AssetHolding {
    fn from(one: AssetHolding) -> Self {
        let address = |held: Holding| HeldAtAddress {
            address: held.address,
            units: held.units.to_string(),
            at: Some(to_proto(held.read_at)),
        };
        Self {
            chain: one.asset.chain,
            asset: one.asset.symbol,
            decimals: one.asset.decimals.into(),
            units: one.sums.map(|(units, _)| units.to_string()).unwrap_or_default(),
            recorded: one.sums.map(|(_, recorded)| recorded.to_string()).unwrap_or_default(),
            at: one.at.map(to_proto),
            rate_micros: one.rate.map(|(rate, _)| rate.micros()),
            rate_at: one.rate.map(|(_, at)| to_proto(at)),
            value_cents: one.value.map(Cents::get),
            addresses: one.addresses.into_iter().map(address).collect(),
        }
    }
}

impl From<Evidence> for ChainEvidence {
    fn from(found: Evidence) -> Self {
        let tip = found.tip;
        let check = |check: crate::domain::evidence::Check| EvidenceCheck {
            name: check.name.to_owned(),
            state: check.verdict.into_str().to_owned(),
            detail: check.detail,
        };
        Self {
            at: found.at.map(to_proto),
            changed_at: found.payments.iter().map(|(one, _)| one.changed_at).max().map(to_proto),
            payments: found.payments.into_iter().map(|(one, decimals)| payment(one, decimals, tip)).collect(),
            checks: found.checks.into_iter().map(check).collect(),
            suggested_cents: found.suggested.map(Cents::get),
        }
    }
}

impl From<Payout> for PayoutOnChain {
    fn from(found: Payout) -> Self {
        let (state, outputs) = match found {
            Payout::Unknown => ("unknown", Vec::new()),
            Payout::Missing => ("missing", Vec::new()),
            Payout::Shown { state, outputs } => (state.into_str(), outputs),
        };
        let outputs = outputs.into_iter();
        let told = |one: Output| PayoutOutput {
            index: one.index.unsigned_abs(),
            units: one.units.to_string(),
            observed: one.is_observed,
        };
        Self { state: state.to_owned(), outputs: outputs.map(told).collect() }
    }
}

impl From<Arrival> for ListedPayment {
    fn from(one: Arrival) -> Self {
        Self { number: one.payment.id, payment: Some(one.into()) }
    }
}

impl From<Arrival> for ChainPayment {
    fn from(one: Arrival) -> Self {
        let member_id = one.owner.map(|owner| owner.to_string()).unwrap_or_default();
        Self { member_id, ..payment(one.payment, one.decimals, one.tip) }
    }
}

fn payment(one: Payment, decimals: u8, tip: i64) -> ChainPayment {
    let confirmed = match (&one.block, one.state) {
        (Some(block), State::Included | State::Final) => confirmations(tip, block.height),
        _ => 0,
    };
    ChainPayment {
        chain: one.chain,
        txid: one.key.txid,
        index: one.key.index.unsigned_abs(),
        asset: one.symbol,
        units: one.units.to_string(),
        decimals: decimals.into(),
        address: one.address,
        counterparty: one.counterparty,
        state: one.state.into_str().to_owned(),
        confirmations: confirmed,
        confirmations_needed: one.depth,
        seen_at: Some(to_proto(one.seen_at)),
        block_at: one.block.map(|block| to_proto(block.at)),
        replaced_by: one.replaced_by,
        arrived_at: Some(to_proto(one.arrived_at)),
        value_cents: one.value.map(Cents::get),
        member_id: String::new(),
    }
}
