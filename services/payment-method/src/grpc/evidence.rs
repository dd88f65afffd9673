//! For wallet: what the chain shows about deposits and payouts.

use chassis::clock::{from_proto, to_proto};
use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::money::{Cents, Units};
use chassis::page;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    GetEvidenceRequest, GetEvidenceResponse, ListPaymentsRequest, ListPaymentsResponse, ListedPayment,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::get_evidence::{Evidence, GetEvidence, get_evidence};
use crate::app::list_payments::{Arrival, list_payments};
use crate::domain::payment::{State, Way, confirmations};
use crate::error::Error;
use crate::store::chain_payments::Payment;

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
}

impl GrpcServer {
    async fn find_evidence(&self, request: Request<GetEvidenceRequest>) -> Result<Option<Evidence>, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        get_evidence(&self.db, &self.chains, &asked(request.into_inner())?).await
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

fn asked(message: GetEvidenceRequest) -> Result<GetEvidence, Error> {
    let requested_at = message.requested_at.as_ref().and_then(from_proto);
    let index = message.vout.map(i32::try_from).transpose();
    Ok(GetEvidence {
        user_id: convert::id(&message.user_id)?,
        way: if message.is_payout { Way::Out } else { Way::In },
        currency: message.currency,
        network: message.network,
        address: message.address,
        txid: message.txid.trim().to_ascii_lowercase().trim_start_matches("0x").to_owned(),
        index: index.map_err(|_| Refusal::field("vout", "Please enter the index of an output."))?,
        quote_id: message.quote_id.parse().ok(),
        units_due: Units::parse(&message.units_due).ok(),
        claimed: Cents::new(message.claimed_cents),
        requested_at: requested_at.ok_or_else(|| Refusal::field("requestedAt", "Name the time of the request."))?,
    })
}

impl From<Evidence> for ChainEvidence {
    fn from(found: Evidence) -> Self {
        let tip = found.tip;
        let check = |check: crate::domain::evidence::Check| EvidenceCheck {
            name: check.name.to_owned(),
            state: check.verdict.as_str().to_owned(),
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

impl From<Arrival> for ListedPayment {
    fn from(one: Arrival) -> Self {
        Self { number: one.number, payment: Some(payment(one.payment, one.decimals, one.tip)) }
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
        state: one.state.as_str().to_owned(),
        confirmations: confirmed,
        confirmations_needed: one.depth,
        seen_at: Some(to_proto(one.seen_at)),
        block_at: one.block.map(|block| to_proto(block.at)),
        replaced_by: one.replaced_by,
    }
}
