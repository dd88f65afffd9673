//! For wallet: payouts as transactions that the treasury signs.

use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::money::Units;
use proto::payment_method::v1 as message;
use proto::payment_method::v1::payout_service_server::PayoutService;
use proto::payment_method::v1::{
    KeepSignedPayoutsRequest, KeepSignedPayoutsResponse, OutgoingPayout, PreparePayoutsRequest, PreparePayoutsResponse,
    SendPayoutsRequest, SendPayoutsResponse,
};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::keep_signed_payouts::keep_signed_payouts;
use crate::app::prepare_payouts::{Prepared, prepare_payouts};
use crate::app::send_payouts::send_payouts;
use crate::domain::payout_batch::{File, Payout};
use crate::error::Error;

const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl PayoutService for GrpcServer {
    async fn prepare_payouts(&self, request: Request<PreparePayoutsRequest>) -> Reply<PreparePayoutsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let PreparePayoutsRequest { network, payouts } = request.into_inner();
        let prepared = prepare_payouts(&self.db, &self.chains, &network, &read(payouts)?).await?;
        Ok(Response::new(prepared.into()))
    }

    async fn keep_signed_payouts(
        &self,
        request: Request<KeepSignedPayoutsRequest>,
    ) -> Reply<KeepSignedPayoutsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        let KeepSignedPayoutsRequest { network, payouts, psbt } = request.into_inner();
        let kept = keep_signed_payouts(&self.db, &self.chains, &network, &read(payouts)?, &psbt).await?;
        Ok(Response::new(KeepSignedPayoutsResponse { txid: kept.txid, outputs: kept.outputs }))
    }

    async fn send_payouts(&self, request: Request<SendPayoutsRequest>) -> Reply<SendPayoutsResponse> {
        self.verifier.service(request.metadata(), &CALLERS).map_err(Error::from)?;
        send_payouts(&self.db, &self.chains, &request.into_inner().txid).await?;
        Ok(Response::new(SendPayoutsResponse {}))
    }
}

fn read(payouts: Vec<OutgoingPayout>) -> Result<Vec<Payout>, Error> {
    let unreadable = || Refusal::field("payouts", "A payout has no amount.");
    let payout = |one: OutgoingPayout| {
        let units = Units::parse(&one.units).map_err(|_| unreadable())?;
        let decimals = one.decimals.try_into().map_err(|_| unreadable())?;
        Ok(Payout { address: one.address, units, contract: one.contract, decimals })
    };
    payouts.into_iter().map(payout).collect()
}

impl From<Prepared> for PreparePayoutsResponse {
    fn from(prepared: Prepared) -> Self {
        let (psbt, fee) = prepared.psbt.unzip();
        Self {
            psbt: psbt.unwrap_or_default(),
            fee_units: fee.map(|fee| fee.to_string()).unwrap_or_default(),
            files: prepared.files.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<File> for message::PayoutFile {
    fn from(file: File) -> Self {
        Self { name: file.name, content_type: file.content_type.to_owned(), content: file.content }
    }
}
