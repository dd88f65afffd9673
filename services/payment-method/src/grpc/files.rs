//! For the gateway: which stored images are in use.

use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{ListOwnedFilesRequest, ListOwnedFilesResponse};
use tonic::{Request, Response, Status};

use super::{Doors, status};
use crate::app::list_owned_files::list_owned_files;
use crate::error::Error;

#[tonic::async_trait]
impl FileOwnerService for Doors {
    async fn list_owned_files(
        &self,
        request: Request<ListOwnedFilesRequest>,
    ) -> Result<Response<ListOwnedFilesResponse>, Status> {
        let asked = async {
            self.verifier.service(request.metadata(), &["gateway"])?;
            list_owned_files(&self.db, &request.get_ref().keys).await
        };
        let keys = asked.await.map_err(|error: Error| status(error))?;
        Ok(Response::new(ListOwnedFilesResponse { keys }))
    }
}
