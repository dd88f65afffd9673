//! For the gateway: which stored receipts and documents are in use.

use chassis::grpc::Reply;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{ListOwnedFilesRequest, ListOwnedFilesResponse};
use tonic::{Request, Response};

use crate::app::deposit::list_owned_receipts::list_owned_receipts;
use crate::grpc::GrpcServer;

#[tonic::async_trait]
impl FileOwnerService for GrpcServer {
    async fn list_owned_files(&self, request: Request<ListOwnedFilesRequest>) -> Reply<ListOwnedFilesResponse> {
        self.verifier.service(request.metadata(), &["gateway"])?;
        let keys = list_owned_receipts(&self.db, &request.get_ref().keys, self.limits.receipt_days).await?;
        Ok(Response::new(ListOwnedFilesResponse { keys }))
    }
}
