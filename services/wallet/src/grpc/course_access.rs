//! CourseAccessService, for the service course.

use chassis::grpc::Reply;
use chassis::validate;
use proto::wallet::v1::course_access_service_server::CourseAccessService;
use proto::wallet::v1::{GetMemberCourseAccessRequest, GetMemberCourseAccessResponse};
use tonic::{Request, Response};

use crate::app::account::get_wallet::get_wallet;
use crate::grpc::GrpcServer;

/// The only service that may call.
const ALLOWED: [&str; 1] = ["course"];

#[tonic::async_trait]
impl CourseAccessService for GrpcServer {
    async fn get_member_course_access(
        &self,
        request: Request<GetMemberCourseAccessRequest>,
    ) -> Reply<GetMemberCourseAccessResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let user_id = validate::id("userId", &request.into_inner().user_id)?;
        let wallet = get_wallet(&self.db, user_id).await?;
        let (purchased, pending) = (wallet.has_purchased_course, wallet.is_course_payment_pending);
        Ok(Response::new(GetMemberCourseAccessResponse { purchased, pending }))
    }
}
