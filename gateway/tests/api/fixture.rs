//! A gateway over a fake wallet, a fake trade and a fake directory, with real keys, sessions and files.

mod fake_directory;
mod fake_trade;
mod fake_wallet;
mod recorder;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chassis::clock::Timestamp;
use chassis::error::{Kind, Refusal, refusal_to_status};
use chassis::keys::SecretKey;
use chassis::testing::Realm;
use clap::{Args, Command, FromArgMatches};
use gateway::app::{App, AppState};
use gateway::config::Config;
use gateway::exports::Exports;
use gateway::middleware::admission::Admission;
use gateway::middleware::body::Spool;
use gateway::middleware::rate::Rates;
use gateway::papers::documents::Documents;
use gateway::peers::cache::plans::PlanCache;
use gateway::peers::cache::profiles::ProfileCache;
use gateway::peers::clients::Clients;
use gateway::peers::live::Live;
use gateway::proofs::Proofs;
use gateway::router::router;
use gateway::storage::files::Files;
use gateway::storage::media::Media;
use http_body_util::BodyExt;
use object_store::memory::InMemory;
use proto::auth::v1::directory_service_server::DirectoryServiceServer;
use proto::common::v1::ErrorReason;
use proto::trade::v1::trade_service_server::TradeServiceServer;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::wallet_service_server::WalletServiceServer;
use serde_json::Value;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::{Response as Answer, Status};
use tower::ServiceExt;

use crate::fixture::fake_directory::FakeDirectory;
use crate::fixture::recorder::url_of;

pub use self::fake_trade::FakeTrade;
pub use self::fake_wallet::FakeWallet;
pub use self::recorder::Recorder;

/// One gateway with its fakes.
pub struct Fixture {
    pub realm: Realm,
    pub router: Router,
    pub wallet: FakeWallet,
    pub trade: FakeTrade,
    pub plans: Arc<PlanCache>,
    /// The same object store as the gateway's.
    pub files: Arc<Files>,
    pub store: Arc<InMemory>,
    pub clients: Clients,
    pub config: Config,
    /// Everything that no fake serves.
    pub recorder: Recorder,
}

/// What a gateway answered.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

impl Fixture {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(settings: &[&str]) -> Self {
        let realm = Realm::of_gateway();
        let (wallet, trade) = (FakeWallet::default(), FakeTrade::default());
        let recorder = Recorder::default();
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let routes = Routes::new(WalletServiceServer::new(wallet.clone()))
            .add_service(TradeServiceServer::new(trade.clone()))
            .add_service(DirectoryServiceServer::new(FakeDirectory));
        let routes = Routes::from(recorder.clone().behind(routes.into_axum_router()));
        tokio::spawn(chassis::grpc::serve(
            listener,
            routes,
            chassis::grpc::CONNECTION_AGE,
            None,
            tokio_util::sync::CancellationToken::new(),
        ));
        let config = config(&realm, port, settings);
        let key = SecretKey::read(&realm.folder().join("link.key")).unwrap();
        let store = Arc::new(InMemory::new());
        let files = Arc::new(Files::new(Arc::clone(&store) as _, key).unwrap());
        let clients = Clients::new(&config).unwrap();
        let plans = Arc::new(PlanCache::new(clients.trade.clone(), realm.credential("gateway")));
        let app = App::new(AppState {
            plans: Arc::clone(&plans),
            profiles: ProfileCache::new(clients.directory.clone(), realm.credential("gateway")),
            clients: clients.clone(),
            credential: realm.credential("gateway"),
            verifier: realm.verifier(),
            files: Arc::clone(&files),
            media: Media::new(Arc::clone(&store) as _, SecretKey::read(&realm.folder().join("link.key")).unwrap()),
            proofs: Proofs::new(SecretKey::read(&realm.folder().join("link.key")).unwrap()),
            rates: Rates::new(config.rate_limit, config.session_rate_limit),
            spool: Spool::new(config.spool_dir.clone()),
            admission: Admission::new(config.rate_limit > 0),
            live: Live::new(tokio_util::sync::CancellationToken::new()),
            exports: Exports::default(),
            documents: Documents::default(),
            config: config.clone(),
        });
        Self { realm, router: router(app).unwrap(), wallet, trade, plans, files, store, clients, config, recorder }
    }

    pub async fn send(&self, request: Request<Body>) -> Reply {
        let mut request = request;
        let peer: SocketAddr = "203.0.113.7:4711".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Reply { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    /// A body to its end, or that it broke off.
    pub async fn body_of(&self, path: &str, token: &str) -> Result<Bytes, axum::Error> {
        let mut request =
            Request::get(path).header("authorization", format!("Bearer {token}")).body(Body::empty()).unwrap();
        let peer: SocketAddr = "203.0.113.7:4711".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = self.router.clone().oneshot(request).await.unwrap();
        response.into_body().collect().await.map(http_body_util::Collected::to_bytes)
    }

    pub async fn call(&self, method: Method, path: &str, token: Option<&str>, body: &str) -> Reply {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.send(request.body(Body::from(body.to_owned())).unwrap()).await
    }
}

fn config(realm: &Realm, port: u16, settings: &[&str]) -> Config {
    let keys = realm.folder().display();
    let mut arguments = vec![
        "gateway".to_owned(),
        format!("--service-key-file={keys}/gateway.key"),
        format!("--trusted-keys-file={keys}/trusted.json"),
        format!("--link-key-file={keys}/link.key"),
        "--files-url=memory:///".to_owned(),
        "--rate-limit=0".to_owned(),
        "--session-rate-limit=0".to_owned(),
    ];
    for (number, service) in chassis::keys::SERVICES.iter().enumerate().filter(|(_, name)| **name != "gateway") {
        arguments.push(format!("--{service}-url={}", url_of(number, port)));
    }
    // What comes last counts.
    arguments.retain(|one| !settings.iter().any(|other| one.split('=').next() == other.split('=').next()));
    arguments.extend(settings.iter().map(|&setting| setting.to_owned()));
    let matches = Config::augment_args(Command::new("gateway")).get_matches_from(arguments);
    Config::from_arg_matches(&matches).unwrap()
}

/// A PNG of one pixel as a data URL.
pub const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A moment in a service's answer.
pub fn moment() -> Timestamp {
    Timestamp { seconds: 1_770_000_000, nanos: 5_000_000 }
}

/// A transaction with the fields that wallet always sets.
pub fn pending_deposit() -> wallet::Transaction {
    wallet::Transaction {
        kind: wallet::TransactionKind::Deposit.into(),
        status: wallet::TransactionStatus::Pending.into(),
        direction: wallet::Direction::Credit.into(),
        created_at: Some(moment()),
        ..Default::default()
    }
}

/// Whether the gateway signed a call for a session.
fn is_for_session(metadata: &tonic::metadata::MetadataMap) -> bool {
    let claims = chassis::identity::bearer(metadata).and_then(|token| token.split('.').nth(1));
    let claims = claims.and_then(|claims| URL_SAFE_NO_PAD.decode(claims).ok()).unwrap_or_default();
    serde_json::from_slice::<Value>(&claims).is_ok_and(|claims| claims.get("sid").is_some())
}

fn unused<T>() -> Result<Answer<T>, Status> {
    Err(Status::unimplemented("not part of these tests"))
}

fn refused<T>(kind: Kind, reason: ErrorReason, message: &str) -> Result<Answer<T>, Status> {
    Err(refusal_to_status(&Refusal::new(kind, reason, message)))
}
