//! For the gateway: what this service keeps about the calling member (D-A12).

use chassis::member_data::Cursor;
use chassis::permission::MemberAct;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use tonic::{Request, Response, Status};

use super::Doors;
use crate::app::list_member_data::list_member_data;
use crate::error::Error;
use crate::store::member_data::TABLES;

#[tonic::async_trait]
impl MemberDataService for Doors {
    async fn list_member_data(
        &self,
        request: Request<ListMemberDataRequest>,
    ) -> Result<Response<ListMemberDataResponse>, Status> {
        Ok(Response::new(self.member_data(request).await?))
    }
}

impl Doors {
    async fn member_data(&self, request: Request<ListMemberDataRequest>) -> Result<ListMemberDataResponse, Error> {
        let session = self.verifier.owner(request.metadata(), MemberAct::Export).await?;
        let cursor = Cursor::parse(TABLES, &request.get_ref().cursor)?;
        list_member_data(&self.db, session.user_id, &cursor).await
    }
}
