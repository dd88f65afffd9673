//! The proof of liabilities: public data, a member's part, and publication by staff.

use chassis::clock;
use chassis::grpc::{Reply, answer};
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use proto::wallet::v1 as message;
use proto::wallet::v1::liabilities_service_server::LiabilitiesService;
use proto::wallet::v1::{
    GetLiabilitiesRequest, GetLiabilitiesResponse, GetLiabilityProofRequest, GetLiabilityProofResponse,
    GetSolvencyRequest, GetSolvencyResponse, LiabilityLeaf, LiabilitySibling, PublishLiabilitiesRequest,
    PublishLiabilitiesResponse,
};
use tonic::{Request, Response};

use crate::app::treasury::get_liabilities::{get_liabilities, get_liability_proof, get_solvency};
use crate::app::treasury::publish_liabilities::{PublishLiabilities, publish_liabilities};
use crate::domain::holding::SharedAddress;
use crate::domain::liabilities::{HeldAsset, HeldDocument, HeldForMembers, Leaf, Liabilities, PastPublication};
use crate::grpc::GrpcServer;

#[tonic::async_trait]
impl LiabilitiesService for GrpcServer {
    async fn get_liabilities(&self, request: Request<GetLiabilitiesRequest>) -> Reply<GetLiabilitiesResponse> {
        self.verifier.visitor(request.metadata())?;
        let newest = get_liabilities(&self.db).await?;
        Ok(Response::new(GetLiabilitiesResponse { liabilities: Some(newest.into()) }))
    }

    async fn get_solvency(&self, request: Request<GetSolvencyRequest>) -> Reply<GetSolvencyResponse> {
        self.verifier.visitor(request.metadata())?;
        let found = get_solvency(&self.db).await?;
        Ok(Response::new(GetSolvencyResponse {
            liabilities: Some(found.newest.into()),
            held: found.held.map(Into::into),
            publications: found.publications.into_iter().map(Into::into).collect(),
        }))
    }

    async fn get_liability_proof(
        &self,
        request: Request<GetLiabilityProofRequest>,
    ) -> Reply<GetLiabilityProofResponse> {
        let member = self.reader(request.metadata()).await?;
        let (newest, leaves) = get_liability_proof(&self.db, member.member_id()).await?;
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
        let published = publish_liabilities(&self.db, &command, async || self.held().await).await?;
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
            gains_cents: one.gains.get(),
        }
    }
}

impl From<HeldForMembers> for message::HeldForMembers {
    fn from(held: HeldForMembers) -> Self {
        let asset = |one: HeldAsset| message::HeldAsset {
            chain: one.chain,
            asset: one.asset,
            decimals: one.decimals.into(),
            units: one.units.unwrap_or_default(),
            rate_micros: one.rate_micros,
            rate_at: one.rate_at.map(clock::to_proto),
            value_cents: one.value_cents,
        };
        let address = |one: SharedAddress| message::HeldAddress {
            currency: one.currency,
            network: one.network,
            address: one.address,
            memo: one.memo,
            version: one.version,
            signature: one.signature,
            proof: one.proof.map(|proof| message::HeldAddressProof {
                message: proof.message,
                signature: proof.signature,
                day: proof.day,
            }),
        };
        let document = |one: HeldDocument| message::HeldDocument {
            name: one.name,
            plan: one.plan.unwrap_or_default(),
            proof: one.proof,
            issuer: one.issuer,
            proven_at: Some(clock::to_proto(one.proven_at)),
            value_cents: one.value_cents.get(),
        };
        Self {
            total_cents: held.total_cents.get(),
            assets_cents: held.assets_cents.get(),
            stated_cents: held.stated_cents.get(),
            is_observed: held.is_observed,
            chains: held.chains.into_iter().map(asset).collect(),
            addresses: held.addresses.into_iter().map(address).collect(),
            documents: held.documents.into_iter().map(document).collect(),
        }
    }
}

impl From<PastPublication> for message::PastPublication {
    fn from(one: PastPublication) -> Self {
        Self {
            at: Some(clock::to_proto(one.at)),
            root: one.root.to_vec(),
            total_cents: one.total.get(),
            gains_cents: one.gains.get(),
            held_cents: one.held.map(Cents::get),
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
