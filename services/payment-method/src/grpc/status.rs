//! What everybody may know.

use chassis::clock;
use chassis::grpc::Reply;
use proto::payment_method::v1::status_service_server::StatusService;
use proto::payment_method::v1::{ListChainsRequest, ListChainsResponse, ObservedChain};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::list_chains::list_chains;
use crate::clients::chain::Chain;

#[tonic::async_trait]
impl StatusService for GrpcServer {
    async fn list_chains(&self, request: Request<ListChainsRequest>) -> Reply<ListChainsResponse> {
        self.verifier.visitor(request.metadata())?;
        let observed = list_chains(&self.db, self.chains.iter().map(Chain::name)).await?;
        let chains = observed.into_iter().map(|one| ObservedChain {
            chain: one.chain.to_owned(),
            observed_at: one.observed_at.map(clock::to_proto),
            fresh: one.is_fresh,
        });
        Ok(Response::new(ListChainsResponse { chains: chains.collect() }))
    }
}
