//! For the gateway: what auth keeps about the calling member (D-A12).

use chassis::grpc::Reply;
use chassis::member_data::{Cursor, Tables};
use chassis::permission::MemberAct;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::account::list_member_data::list_member_data;
use crate::store::member_data::MemberTables;

#[tonic::async_trait]
impl MemberDataService for GrpcServer {
    async fn list_member_data(&self, request: Request<ListMemberDataRequest>) -> Reply<ListMemberDataResponse> {
        let session = self.verifier.owner(request.metadata(), MemberAct::Export).await?;
        let cursor = Cursor::parse(MemberTables::NAMES, &request.get_ref().cursor)?;
        Ok(Response::new(list_member_data(&self.app, &session, &cursor).await?))
    }
}
