//! For the gateway: which stored receipts are in use.

use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{ListOwnedFilesRequest, ListOwnedFilesResponse};
use tonic::{Request, Response, Status};

use crate::app::list_owned_receipts::list_owned_receipts;
use crate::grpc::Doors;

#[tonic::async_trait]
impl FileOwnerService for Doors {
    async fn list_owned_files(
        &self,
        request: Request<ListOwnedFilesRequest>,
    ) -> Result<Response<ListOwnedFilesResponse>, Status> {
        self.verifier.service(request.metadata(), &["gateway"])?;
        let keys = list_owned_receipts(&self.db, &request.get_ref().keys, self.limits.receipt_days).await?;
        Ok(Response::new(ListOwnedFilesResponse { keys }))
    }
}
