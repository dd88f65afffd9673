//! For auth: the end of a member's wallet.

use chassis::db::retrying;
use chassis::grpc::Reply;
use chassis::validate;
use proto::wallet::v1::closing_service_server::ClosingService;
use proto::wallet::v1::{CheckClosingRequest, CheckClosingResponse, CloseWalletRequest, CloseWalletResponse};
use tonic::{Request, Response};

use crate::app::account::close_wallet::{check_closing, close_wallet};
use crate::grpc::GrpcServer;

#[tonic::async_trait]
impl ClosingService for GrpcServer {
    async fn close_wallet(&self, request: Request<CloseWalletRequest>) -> Reply<CloseWalletResponse> {
        self.verifier.service(request.metadata(), &["auth"])?;
        let user_id = validate::id("userId", &request.get_ref().user_id)?;
        let gives_up_bonus = request.get_ref().give_up_bonus;
        retrying(|| close_wallet(&self.db, user_id, gives_up_bonus)).await?;
        Ok(Response::new(CloseWalletResponse {}))
    }

    async fn check_closing(&self, request: Request<CheckClosingRequest>) -> Reply<CheckClosingResponse> {
        self.verifier.service(request.metadata(), &["auth"])?;
        let user_id = validate::id("userId", &request.get_ref().user_id)?;
        check_closing(&self.db, user_id, request.get_ref().give_up_bonus).await?;
        Ok(Response::new(CheckClosingResponse {}))
    }
}
