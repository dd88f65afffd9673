//! A wallet for tests: closes, says what is open, or is away, as set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use chassis::error::{Facts, Kind, Refusal, refusal_to_status};
use chassis::grpc;
use proto::common::v1::ErrorReason;
use proto::wallet::v1::closing_service_server::{ClosingService, ClosingServiceServer};
use proto::wallet::v1::{CheckClosingRequest, CheckClosingResponse, CloseWalletRequest, CloseWalletResponse};
use serde_json::json;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

#[derive(Clone, Debug, Default)]
pub enum State {
    /// Nothing is open.
    #[default]
    Empty,
    /// This is.
    InUse(Vec<&'static str>),
    Away,
}

#[derive(Clone)]
pub struct FakeWallet {
    pub url: String,
    pub state: Arc<Mutex<State>>,
    bonus: Arc<AtomicBool>,
    _stop: Arc<DropGuard>,
}

impl FakeWallet {
    pub async fn start() -> Self {
        let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (state, stop) = (Arc::new(Mutex::new(State::Empty)), CancellationToken::new());
        let bonus = Arc::new(AtomicBool::new(false));
        let server = GrpcServer { state: Arc::clone(&state), bonus: Arc::clone(&bonus) };
        let routes = Routes::new(ClosingServiceServer::new(server));
        let wallet = Self { url, state, bonus, _stop: Arc::new(stop.clone().drop_guard()) };
        tokio::spawn(grpc::serve(listener, routes, grpc::CONNECTION_AGE, None, stop));
        wallet
    }

    pub fn is(&self, state: State) {
        *self.state.lock().unwrap() = state;
    }

    /// Whether the last wallet was closed with its bonus given up.
    pub fn gave_up_bonus(&self) -> bool {
        self.bonus.load(Ordering::SeqCst)
    }
}

struct GrpcServer {
    state: Arc<Mutex<State>>,
    bonus: Arc<AtomicBool>,
}

impl GrpcServer {
    fn answer(&self) -> Result<(), Status> {
        match self.state.lock().unwrap().clone() {
            State::Empty => Ok(()),
            State::InUse(matters) => {
                let mut refusal = Refusal::new(Kind::Conflict, ErrorReason::AccountInUse, "in use");
                refusal.facts = Some(Box::new(Facts::from([("matters".to_owned(), json!(matters))])));
                Err(refusal_to_status(&refusal))
            }
            State::Away => Err(Status::unavailable("away")),
        }
    }
}

#[tonic::async_trait]
impl ClosingService for GrpcServer {
    async fn close_wallet(
        &self,
        request: Request<CloseWalletRequest>,
    ) -> Result<Response<CloseWalletResponse>, Status> {
        self.bonus.store(request.get_ref().give_up_bonus, Ordering::SeqCst);
        self.answer().map(|()| Response::new(CloseWalletResponse {}))
    }

    async fn check_closing(&self, _: Request<CheckClosingRequest>) -> Result<Response<CheckClosingResponse>, Status> {
        self.answer().map(|()| Response::new(CheckClosingResponse {}))
    }
}
