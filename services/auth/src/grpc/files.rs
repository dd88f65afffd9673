//! FileOwnerService: which photos accounts reference.

use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{ListOwnedFilesRequest, ListOwnedFilesResponse};
use tonic::{Request, Response, Status};

use super::{Door, refused, status};
use crate::app::list_owned_files::list_owned_files;

#[tonic::async_trait]
impl FileOwnerService for Door {
    async fn list_owned_files(
        &self,
        request: Request<ListOwnedFilesRequest>,
    ) -> Result<Response<ListOwnedFilesResponse>, Status> {
        self.verifier.service(request.metadata(), &["gateway"]).map_err(refused)?;
        let keys = list_owned_files(&self.app, &request.get_ref().keys).await.map_err(status)?;
        Ok(Response::new(ListOwnedFilesResponse { keys }))
    }
}
