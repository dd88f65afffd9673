//! What everybody may know.

use chassis::clock;
use chassis::error::Fault;
use chassis::grpc::Reply;
use proto::wallet::v1::status_service_server::StatusService;
use proto::wallet::v1::{GetWithdrawalStateRequest, GetWithdrawalStateResponse};
use tonic::{Request, Response};

use crate::app::withdrawal::get_withdrawal_state::get_withdrawal_state;
use crate::error::Error;
use crate::grpc::GrpcServer;

#[tonic::async_trait]
impl StatusService for GrpcServer {
    async fn get_withdrawal_state(
        &self,
        request: Request<GetWithdrawalStateRequest>,
    ) -> Reply<GetWithdrawalStateResponse> {
        self.verifier.visitor(request.metadata())?;
        Ok(Response::new(match get_withdrawal_state(&self.db).await? {
            None => GetWithdrawalStateResponse::default(),
            Some(pause) => GetWithdrawalStateResponse {
                paused: Error::WithdrawalsStopped.sentence(),
                paused_at: pause.since.map(clock::to_proto),
            },
        }))
    }
}
