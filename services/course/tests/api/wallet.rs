//! A wallet for tests, which knows who has bought the course.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use chassis::grpc;
use chassis::identity::Verifier;
use proto::wallet::v1::course_access_service_server::{CourseAccessService, CourseAccessServiceServer};
use proto::wallet::v1::{GetMemberCourseAccessRequest, GetMemberCourseAccessResponse};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

#[derive(Clone)]
pub struct FakeWallet {
    pub url: String,
    sold: Arc<Mutex<HashSet<String>>>,
    is_away: Arc<AtomicBool>,
    _stop: Arc<DropGuard>,
}

impl FakeWallet {
    pub async fn start(verifier: Verifier) -> Self {
        let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, sold, is_away) = (CancellationToken::new(), Arc::default(), Arc::default());
        let grpc = GrpcServer { sold: Arc::clone(&sold), is_away: Arc::clone(&is_away), verifier };
        let routes = Routes::new(CourseAccessServiceServer::new(grpc));
        tokio::spawn(grpc::serve(listener, routes, grpc::CONNECTION_AGE, None, stop.clone()));
        Self { url, sold, is_away, _stop: Arc::new(stop.drop_guard()) }
    }

    pub fn sell(&self, user_id: Uuid) {
        self.sold.lock().unwrap().insert(user_id.to_string());
    }

    pub fn refund(&self, user_id: Uuid) {
        self.sold.lock().unwrap().remove(&user_id.to_string());
    }

    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }
}

struct GrpcServer {
    sold: Arc<Mutex<HashSet<String>>>,
    is_away: Arc<AtomicBool>,
    verifier: Verifier,
}

#[tonic::async_trait]
impl CourseAccessService for GrpcServer {
    async fn get_member_course_access(
        &self,
        request: Request<GetMemberCourseAccessRequest>,
    ) -> Result<Response<GetMemberCourseAccessResponse>, Status> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(Status::unavailable("away"));
        }
        self.verifier.service(request.metadata(), &["course"])?;
        let purchased = self.sold.lock().unwrap().contains(&request.into_inner().user_id);
        Ok(Response::new(GetMemberCourseAccessResponse { purchased, pending: false }))
    }
}
