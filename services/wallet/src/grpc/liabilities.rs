//! The proof of liabilities: public data, a member's part, and publication by staff.

use chassis::clock;
use chassis::grpc::{Reply, answer};
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use proto::wallet::v1 as message;
use proto::wallet::v1::liabilities_service_server::LiabilitiesService;
use proto::wallet::v1::{
    GetLiabilitiesRequest, GetLiabilitiesResponse, GetLiabilityProofRequest, GetLiabilityProofResponse, LiabilityLeaf,
    LiabilitySibling, PublishLiabilitiesRequest, PublishLiabilitiesResponse,
};
use tonic::{Request, Response};

use crate::app::get_liabilities::{get_liabilities, get_liability_proof};
use crate::app::publish_liabilities::{PublishLiabilities, publish_liabilities};
use crate::domain::liabilities::{Leaf, Liabilities};
use crate::grpc::GrpcServer;

#[tonic::async_trait]
impl LiabilitiesService for GrpcServer {
    async fn get_liabilities(&self, request: Request<GetLiabilitiesRequest>) -> Reply<GetLiabilitiesResponse> {
        self.verifier.visitor(request.metadata())?;
        let newest = get_liabilities(&self.db).await?;
        Ok(Response::new(GetLiabilitiesResponse { liabilities: Some(newest.into()) }))
    }

    async fn get_liability_proof(
        &self,
        request: Request<GetLiabilityProofRequest>,
    ) -> Reply<GetLiabilityProofResponse> {
        let member = self.reader(request.metadata()).await?;
        let (newest, leaves) = get_liability_proof(&self.db, member.user_id).await?;
        let leaves = leaves.into_iter().map(LiabilityLeaf::from).collect();
        Ok(Response::new(GetLiabilityProofResponse { at: Some(clock::to_proto(newest.at)), leaves }))
    }

    async fn publish_liabilities(
        &self,
        request: Request<PublishLiabilitiesRequest>,
    ) -> Reply<PublishLiabilitiesResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.staff(&metadata, Permission::PublishLiabilities).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = PublishLiabilities { call };
        let published = publish_liabilities(&self.db, &command).await?;
        Ok(answer(published.map(|one| PublishLiabilitiesResponse { liabilities: Some(one.into()) })))
    }
}

impl From<Liabilities> for message::Liabilities {
    fn from(one: Liabilities) -> Self {
        Self {
            at: Some(clock::to_proto(one.at)),
            root: one.root.to_vec(),
            total_cents: one.total.get(),
            leaves: one.leaves,
        }
    }
}

impl From<Leaf> for LiabilityLeaf {
    fn from(leaf: Leaf) -> Self {
        let path = leaf.path.into_iter().map(|one| LiabilitySibling {
            is_left: one.is_left,
            digest: one.digest.to_vec(),
            sum_cents: one.sum.get(),
        });
        Self { salt: leaf.salt.to_vec(), amount_cents: leaf.amount.get(), path: path.collect() }
    }
}
