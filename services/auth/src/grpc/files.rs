//! FileOwnerService: which photos accounts reference.

use chassis::grpc::Reply;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{ListOwnedFilesRequest, ListOwnedFilesResponse};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::account::list_owned_files::list_owned_files;

#[tonic::async_trait]
impl FileOwnerService for GrpcServer {
    async fn list_owned_files(&self, request: Request<ListOwnedFilesRequest>) -> Reply<ListOwnedFilesResponse> {
        self.verifier.service(request.metadata(), &["gateway"])?;
        let keys = list_owned_files(&self.app, &request.get_ref().keys).await?;
        Ok(Response::new(ListOwnedFilesResponse { keys }))
    }
}
