//! Staff: platform methods and rates, proposed by one treasurer and confirmed by another.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer};
use chassis::id::{StaffId, TransactionId};
use chassis::idempotency::Answer;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decides, Proposal};
use chassis::staff_call::StaffCall;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    FoundPayment, ListPlatformMethodsRequest, ListPlatformMethodsResponse, ListedPayment, PlatformMethod,
    ProposePlatformMethodRequest, ProposePlatformMethodResponse, ProposeRateRequest, ProposeRateResponse,
    ProveAddressRequest, ProveAddressResponse, SearchPaymentsRequest, SearchPaymentsResponse,
    SignPlatformMethodRequest, SignPlatformMethodResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::decide_proposal::{check_proposal, decide_proposal};
use crate::app::list_payments::Arrival;
use crate::app::list_platform_methods::list_platform_methods;
use crate::app::propose_platform_method::{ProposePlatformMethod, propose_platform_method};
use crate::app::propose_rate::propose_rate;
use crate::app::prove_address::{ProveAddress, prove_address};
use crate::app::search_payments::search_payments;
use crate::app::sign_platform_method::{SignPlatformMethod, sign_platform_method};
use crate::domain::address_proof::SignedProof;
use crate::domain::payment::Way;
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn list_platform_methods(
        &self,
        request: Request<ListPlatformMethodsRequest>,
    ) -> Reply<ListPlatformMethodsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let list = list_platform_methods(&self.db).await?;
        let methods = list.into_iter().map(PlatformMethod::from).collect();
        Ok(Response::new(ListPlatformMethodsResponse { methods }))
    }

    async fn search_payments(&self, request: Request<SearchPaymentsRequest>) -> Reply<SearchPaymentsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let chains: Vec<_> = self.chains.iter().map(|chain| chain.name().to_owned()).collect();
        let found = search_payments(&self.db, &chains, &request.into_inner().text).await?;
        let told = |(one, withdrawal): (Arrival, Option<TransactionId>)| FoundPayment {
            is_outgoing: one.payment.key.way == Way::Out,
            transaction_id: withdrawal.map(|id| id.to_string()).unwrap_or_default(),
            payment: ListedPayment::from(one).payment,
        };
        Ok(Response::new(SearchPaymentsResponse { payments: found.into_iter().map(told).collect() }))
    }

    async fn propose_platform_method(
        &self,
        request: Request<ProposePlatformMethodRequest>,
    ) -> Reply<ProposePlatformMethodResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ChangeMethods).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command =
            ProposePlatformMethod { call, change: convert::change(&message.id, message.fields, message.signature)? };
        let proposed = retrying(|| propose_platform_method(&self.db, &self.treasury, &command)).await?;
        Ok(answer(proposed.map(|proposal| ProposePlatformMethodResponse { proposal: Some(proposal.into()) })))
    }

    async fn sign_platform_method(
        &self,
        request: Request<SignPlatformMethodRequest>,
    ) -> Reply<SignPlatformMethodResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ChangeMethods).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = SignPlatformMethod {
            call,
            id: convert::id(&message.id)?,
            version: message.version,
            signature: message.signature,
        };
        let signed = retrying(|| sign_platform_method(&self.db, &self.treasury, &command)).await?;
        Ok(answer(signed.map(|method| SignPlatformMethodResponse { payment_method: Some(method.into()) })))
    }

    async fn prove_address(&self, request: Request<ProveAddressRequest>) -> Reply<ProveAddressResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ChangeMethods).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let proof = SignedProof { message: message.message, signature: message.signature };
        let command = ProveAddress { call, id: convert::id(&message.id)?, proof };
        let proven = retrying(|| prove_address(&self.db, &command)).await?;
        Ok(answer(proven.map(|method| ProveAddressResponse { payment_method: Some(method.into()) })))
    }

    async fn propose_rate(&self, request: Request<ProposeRateRequest>) -> Reply<ProposeRateResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::PublishRates).await?;
        let rate = convert::publication(&message)?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let proposed = retrying(|| propose_rate(&self.db, &call, &rate)).await?;
        Ok(answer(proposed.map(|proposal| ProposeRateResponse { proposal: Some(proposal.into()) })))
    }
}

impl Decides for GrpcServer {
    const PERMISSIONS: &'static [Permission] = &[Permission::ChangeMethods, Permission::PublishRates];
    type Error = Error;

    async fn decide(&self, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
        decide_proposal(&self.db, command).await
    }

    async fn check(&self, proposal: &Proposal, _: StaffId) -> Result<(), Error> {
        check_proposal(&self.db, proposal).await
    }
}
