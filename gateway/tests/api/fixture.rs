//! A gateway over a fake wallet, a fake trade and a fake directory, with real keys, sessions and files.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chassis::clock::Timestamp;
use chassis::error::{Kind, Refusal, refusal_to_status};
use chassis::grpc::REPLAYED;
use chassis::keys::SecretKey;
use chassis::testing::Realm;
use clap::{Args, Command, FromArgMatches};
use gateway::app::{App, AppState};
use gateway::cache::plans::PlanCache;
use gateway::cache::profiles::ProfileCache;
use gateway::clients::Clients;
use gateway::config::Config;
use gateway::documents::Documents;
use gateway::exports::Exports;
use gateway::files::Files;
use gateway::live::Live;
use gateway::media::Media;
use gateway::middleware::admission::Admission;
use gateway::middleware::body::Spool;
use gateway::middleware::rate::Rates;
use gateway::proofs::Proofs;
use gateway::router::router;
use http_body_util::{BodyExt, Full};
use object_store::memory::InMemory;
use prost::Message;
use proto::auth::v1::directory_service_server::{DirectoryService, DirectoryServiceServer};
use proto::auth::v1::{self as auth};
use proto::common::v1::{ChainEvidence, ChainPayment, ErrorReason, EvidenceCheck};
use proto::trade::v1::trade_service_server::{TradeService, TradeServiceServer};
use proto::trade::v1::{self as trade};
use proto::wallet::v1::wallet_service_server::{WalletService, WalletServiceServer};
use proto::wallet::v1::{self as wallet};
use serde_json::Value;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::{Request as Call, Response as Answer, Status};
use tower::ServiceExt;
use uuid::Uuid;

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

/// Serves any gRPC method by its path (`/solvane.wallet.v1.StaffService/GetQueue`), and one that every service has also by the name
/// of the service (`trade/solvane.common.v1.AuditService/ListAuditRows`): keeps what was asked, and answers what
/// was prepared, an empty message else. A message that came before is answered as a replay.
#[derive(Clone, Default)]
pub struct Recorder {
    asked: Arc<Mutex<Vec<(String, Bytes)>>>,
    answers: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    refusals: Arc<Mutex<HashMap<String, Refusal>>>,
}

impl Recorder {
    pub fn answer(&self, path: &str, message: &impl Message) {
        self.answers.lock().unwrap().insert(path.to_owned(), message.encode_to_vec());
    }

    pub fn refuse(&self, path: &str, refusal: Refusal) {
        self.refusals.lock().unwrap().insert(path.to_owned(), refusal);
    }

    pub fn asked<M: Message + Default>(&self, path: &str) -> Vec<M> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|(of, _)| of == path || without_service(of) == path)
            .map(|(_, bytes)| M::decode(bytes.clone()).unwrap())
            .collect()
    }

    fn behind(self, routes: Router) -> Router {
        routes.fallback(move |request: Request<Body>| {
            let recorder = self.clone();
            async move {
                let path = path_of(request.uri());
                let frame = request.into_body().collect().await.unwrap().to_bytes();
                recorder.serve(path, frame.slice(FRAME_HEAD..))
            }
        })
    }

    fn serve(&self, path: String, message: Bytes) -> axum::response::Response {
        let call = (path, message);
        let mut asked = self.asked.lock().unwrap();
        let replayed = asked.contains(&call);
        let answers = self.answers.lock().unwrap();
        let answer =
            answers.get(&call.0).or_else(|| answers.get(without_service(&call.0))).cloned().unwrap_or_default();
        if let Some(refusal) = self.refusals.lock().unwrap().get(without_service(&call.0)) {
            return refusal_to_status(refusal).into_http();
        }
        asked.push(call);
        let mut frame = vec![0];
        frame.extend(u32::try_from(answer.len()).unwrap().to_be_bytes());
        frame.extend(answer);
        let done = HeaderMap::from_iter([("grpc-status".parse().unwrap(), "0".parse().unwrap())]);
        let body = Full::new(Bytes::from(frame)).with_trailers(async move { Some(Ok(done)) });
        let mut response = axum::response::Response::new(Body::new(body));
        response.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
        if replayed {
            response.headers_mut().insert(REPLAYED, "first".parse().unwrap());
        }
        response
    }
}

/// Services have one port, and each an address of its own.
fn url_of(number: usize, port: u16) -> String {
    format!("http://127.0.0.{}:{port}", number + 1)
}

fn without_service(path: &str) -> &str {
    path.find('/').map_or(path, |begin| &path[begin..])
}

fn path_of(uri: &Uri) -> String {
    if !uri.path().starts_with("/solvane.common.") {
        return uri.path().to_owned();
    }
    let number: usize = uri.host().and_then(|host| host.rsplit('.').next()).unwrap().parse().unwrap();
    format!("{}{}", chassis::keys::SERVICES[number - 1], uri.path())
}

/// Bytes before a message: whether it is compressed, and its length.
const FRAME_HEAD: usize = 5;

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

/// Remembers what it was asked and answers deposits by key like the real one.
#[derive(Clone, Default)]
pub struct FakeWallet {
    pub deposits: Arc<Mutex<Vec<wallet::RequestDepositRequest>>>,
    pub quotes: Arc<Mutex<Vec<wallet::RequestQuoteRequest>>>,
    /// The available balance, of which a withdrawal is accepted, and no other.
    pub balance: Arc<Mutex<i64>>,
    pub withdrawals: Arc<Mutex<Vec<wallet::RequestWithdrawalRequest>>>,
    /// What codes were asked for.
    pub codes: Arc<Mutex<Vec<wallet::send_destination_code_request::Subject>>>,
    /// Whether it cannot tell which destinations are known.
    pub away: Arc<AtomicBool>,
}

fn unused<T>() -> Result<Answer<T>, Status> {
    Err(Status::unimplemented("not part of these tests"))
}

fn refused<T>(kind: Kind, reason: ErrorReason, message: &str) -> Result<Answer<T>, Status> {
    Err(refusal_to_status(&Refusal::new(kind, reason, message)))
}

#[tonic::async_trait]
impl WalletService for FakeWallet {
    /// Anyone with a token gets the rest.
    async fn get_terms(
        &self,
        request: Call<wallet::GetTermsRequest>,
    ) -> Result<Answer<wallet::GetTermsResponse>, Status> {
        let rest =
            wallet::WithdrawalRest { left_cents: 2_050, available_at: Some(Timestamp { seconds: 86_400, nanos: 0 }) };
        Ok(Answer::new(wallet::GetTermsResponse {
            deposit_min_cents: 10_000,
            deposit_max_cents: 10_000_000,
            pending_deposits_max: 5,
            withdrawal_min_cents: 5_000,
            withdrawal_max_cents: 5_000_000,
            fee_basis_points: 250,
            course_price_cents: 8_700,
            withdrawal_allowances: vec![wallet::Allowance { period_hours: 24, amount_cents: 10_000_000 }],
            rest: is_for_session(request.metadata()).then_some(rest),
            two_people_from_cents: 100_000,
        }))
    }

    /// A cent for each second since 1970.
    async fn get_balances(
        &self,
        request: Call<wallet::GetBalancesRequest>,
    ) -> Result<Answer<wallet::GetBalancesResponse>, Status> {
        let at = request.into_inner().at;
        let amount_cents = at.as_ref().map_or(-1, |at| at.seconds);
        let balances = vec![wallet::AccountBalance { account: "available".to_owned(), amount_cents }];
        Ok(Answer::new(wallet::GetBalancesResponse { at, balances }))
    }

    async fn list_daily_balances(
        &self,
        _: Call<wallet::ListDailyBalancesRequest>,
    ) -> Result<Answer<wallet::ListDailyBalancesResponse>, Status> {
        Ok(Answer::new(wallet::ListDailyBalancesResponse::default()))
    }

    /// $500.00 at 97,312.45 dollars for a bitcoin.
    async fn request_quote(
        &self,
        request: Call<wallet::RequestQuoteRequest>,
    ) -> Result<Answer<wallet::RequestQuoteResponse>, Status> {
        let asked = request.into_inner();
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        let quote = proto::common::v1::Quote {
            id: "0195".to_owned(),
            direction: asked.direction,
            amount_cents: asked.amount_cents,
            priced_cents: asked.amount_cents,
            method_id: asked.method.clone(),
            method_version: 2,
            currency: "BTC".to_owned(),
            network: "Bitcoin".to_owned(),
            address: "bc1q".to_owned(),
            chain: "bitcoin".to_owned(),
            decimals: 8,
            units: "513809".to_owned(),
            rate_micros: 97_312_450_000,
            spread_bps: 50,
            sources: vec![proto::common::v1::RateSource {
                name: "kraken".to_owned(),
                bid_micros: 97_312_450_000,
                ask_micros: 97_313_000_000,
                at: at(0),
            }],
            at: at(0),
            expires_at: at(900),
            ..Default::default()
        };
        self.quotes.lock().unwrap().push(asked);
        Ok(Answer::new(wallet::RequestQuoteResponse { quote: Some(quote) }))
    }

    async fn get_times(&self, _: Call<wallet::GetTimesRequest>) -> Result<Answer<wallet::GetTimesResponse>, Status> {
        unused()
    }

    async fn get_wallet(&self, _: Call<wallet::GetWalletRequest>) -> Result<Answer<wallet::GetWalletResponse>, Status> {
        let available_cents = *self.balance.lock().unwrap();
        let wallet = wallet::Wallet { available_cents, ..wallet::Wallet::default() };
        Ok(Answer::new(wallet::GetWalletResponse { wallet: Some(wallet) }))
    }

    async fn request_deposit(
        &self,
        request: Call<wallet::RequestDepositRequest>,
    ) -> Result<Answer<wallet::RequestDepositResponse>, Status> {
        assert!(request.metadata().get("authorization").is_some(), "the member's token is passed on");
        let message = request.into_inner();
        let mut deposits = self.deposits.lock().unwrap();
        let transaction = wallet::Transaction {
            id: Uuid::new_v4().to_string(),
            title: "Deposit".to_owned(),
            amount_cents: message.amount_cents,
            ..pending_deposit()
        };
        let known = message
            .idempotency
            .as_ref()
            .is_some_and(|key| deposits.iter().any(|one| one.idempotency.as_ref() == Some(key)));
        deposits.push(message);
        let mut answer = Answer::new(wallet::RequestDepositResponse { transaction: Some(transaction) });
        if known {
            answer.metadata_mut().insert("idempotency-replayed", "first".parse().unwrap());
        }
        Ok(answer)
    }

    async fn deposit_arrived(
        &self,
        _: Call<wallet::DepositArrivedRequest>,
    ) -> Result<Answer<wallet::DepositArrivedResponse>, Status> {
        unused()
    }

    async fn request_withdrawal(
        &self,
        request: Call<wallet::RequestWithdrawalRequest>,
    ) -> Result<Answer<wallet::RequestWithdrawalResponse>, Status> {
        let message = request.into_inner();
        let balance = std::mem::take(&mut *self.balance.lock().unwrap());
        if balance > 0 && message.amount_cents == balance {
            self.withdrawals.lock().unwrap().push(message);
            let transaction = wallet::Transaction { needs_confirmation: true, ..pending_deposit() };
            return Ok(Answer::new(wallet::RequestWithdrawalResponse { transaction: Some(transaction) }));
        }
        match message.amount_cents {
            1 => Err(Status::unavailable("connection refused (os error 111)")),
            2 => panic!("a bug"),
            3 => Err(Status::deadline_exceeded("timeout")),
            4 => {
                let mut refusal = Refusal::field("amount", "This is more than your withdrawal limit leaves.");
                refusal.code = "LIMIT_REACHED".to_owned();
                let facts = [("left", 20.5.into()), ("availableAt", "2026-01-31T12:00:00Z".into())];
                refusal.facts = Some(Box::new(facts.map(|(name, fact)| (name.to_owned(), fact)).into()));
                Err(refusal_to_status(&refusal))
            }
            _ => refused(Kind::Conflict, ErrorReason::WithdrawalPending, "Withdrawal pending already"),
        }
    }

    async fn pay_withdrawal_fee(
        &self,
        _: Call<wallet::PayWithdrawalFeeRequest>,
    ) -> Result<Answer<wallet::PayWithdrawalFeeResponse>, Status> {
        unused()
    }

    async fn take_back_deposit(
        &self,
        _: Call<wallet::TakeBackDepositRequest>,
    ) -> Result<Answer<wallet::TakeBackDepositResponse>, Status> {
        refused(Kind::Conflict, ErrorReason::PaymentSeen, "A payment for this request has been seen")
    }

    async fn set_destination(
        &self,
        _: Call<wallet::SetDestinationRequest>,
    ) -> Result<Answer<wallet::SetDestinationResponse>, Status> {
        unused()
    }

    async fn send_destination_code(
        &self,
        request: Call<wallet::SendDestinationCodeRequest>,
    ) -> Result<Answer<wallet::SendDestinationCodeResponse>, Status> {
        assert!(request.metadata().get("authorization").is_some(), "the member's token is passed on");
        let subject = request.into_inner().subject.unwrap();
        self.codes.lock().unwrap().push(subject.clone());
        match subject {
            wallet::send_destination_code_request::Subject::TransactionId(id)
            | wallet::send_destination_code_request::Subject::MethodId(id)
                if id == "just-sent" =>
            {
                let mut refusal = Refusal::new(Kind::RateLimited, ErrorReason::TooManyRequests, "Please wait.");
                refusal.retry_after = Some(std::time::Duration::from_secs(42));
                Err(refusal_to_status(&refusal))
            }
            subject => {
                let known = wallet::send_destination_code_request::Subject::TransactionId("known".to_owned());
                Ok(Answer::new(wallet::SendDestinationCodeResponse { needs_confirmation: subject != known }))
            }
        }
    }

    async fn confirm_destination(
        &self,
        request: Call<wallet::ConfirmDestinationRequest>,
    ) -> Result<Answer<wallet::ConfirmDestinationResponse>, Status> {
        if request.into_inner().code == "123456" {
            return Ok(Answer::new(wallet::ConfirmDestinationResponse {}));
        }
        let mut refusal = Refusal::field("code", "This code is wrong or has expired");
        refusal.code = "INVALID_CODE".to_owned();
        Err(refusal_to_status(&refusal))
    }

    /// Every address that begins with `TKNOWN`.
    async fn find_known_destinations(
        &self,
        request: Call<wallet::FindKnownDestinationsRequest>,
    ) -> Result<Answer<wallet::FindKnownDestinationsResponse>, Status> {
        if self.away.load(Ordering::Relaxed) {
            return Err(Status::unavailable("connection refused (os error 111)"));
        }
        let known = request.into_inner().destinations.iter().map(|to| to.address.starts_with("TKNOWN")).collect();
        Ok(Answer::new(wallet::FindKnownDestinationsResponse { known }))
    }

    async fn purchase_course(
        &self,
        _: Call<wallet::PurchaseCourseRequest>,
    ) -> Result<Answer<wallet::PurchaseCourseResponse>, Status> {
        refused(Kind::Conflict, ErrorReason::CourseAlreadyPurchased, "You own the course already")
    }

    async fn list_transactions(
        &self,
        request: Call<wallet::ListTransactionsRequest>,
    ) -> Result<Answer<wallet::ListTransactionsResponse>, Status> {
        let row = wallet::Transaction {
            id: "1a2b3c4d-0000-4000-8000-000000000000".to_owned(),
            user_id: Uuid::nil().to_string(),
            title: "Deposit".to_owned(),
            amount_cents: 12_345,
            receipt_key: "receipts/0.png".to_owned(),
            receipt_content_type: "image/png".to_owned(),
            ..pending_deposit()
        };
        let size = request.into_inner().page.unwrap_or_default().size.max(1);
        let transactions = vec![row; usize::try_from(size).unwrap()];
        Ok(Answer::new(wallet::ListTransactionsResponse { transactions, next_cursor: String::new() }))
    }

    async fn get_payments(
        &self,
        _: Call<wallet::GetPaymentsRequest>,
    ) -> Result<Answer<wallet::GetPaymentsResponse>, Status> {
        // A bitcoin payment with one of two confirmations.
        let payment = ChainPayment { confirmations: 1, confirmations_needed: 2, ..Default::default() };
        let check = EvidenceCheck { name: "payment_found".to_owned(), ..Default::default() };
        let evidence = ChainEvidence { payments: vec![payment], checks: vec![check], ..Default::default() };
        let note = "1 of 2 confirmations".to_owned();
        let state = wallet::StepState::Current.into();
        let step = wallet::Step { key: "confirmed".to_owned(), state, note, ..Default::default() };
        Ok(Answer::new(wallet::GetPaymentsResponse { evidence: Some(evidence), steps: vec![step] }))
    }

    async fn get_transaction(
        &self,
        _: Call<wallet::GetTransactionRequest>,
    ) -> Result<Answer<wallet::GetTransactionResponse>, Status> {
        refused(Kind::NotFound, ErrorReason::NotFound, "Transaction not found")
    }

    async fn get_year_report(
        &self,
        request: Call<wallet::GetYearReportRequest>,
    ) -> Result<Answer<wallet::GetYearReportResponse>, Status> {
        let year = request.into_inner().year;
        let sum = wallet::YearSum { title: "Deposit".to_owned(), in_cents: 1_234, count: 1, ..Default::default() };
        Ok(Answer::new(wallet::GetYearReportResponse {
            until: Some(Timestamp { seconds: i64::from(year), nanos: 0 }),
            closing_balance_cents: 1_234,
            sums: vec![sum],
            ..Default::default()
        }))
    }

    /// Three pages of a line each; the last one of a year's end is never found.
    async fn get_statement(
        &self,
        request: Call<wallet::GetStatementRequest>,
    ) -> Result<Answer<wallet::GetStatementResponse>, Status> {
        let message = request.into_inner();
        let page = message.page.expect("the gateway asks page by page").cursor;
        let number: i64 = if page.is_empty() { 0 } else { page.parse().unwrap() };
        if number == 2 && message.from.is_some_and(|from| from.seconds < 0) {
            return refused(Kind::Unavailable, ErrorReason::Unavailable, "away");
        }
        let line = wallet::StatementLine {
            title: format!("Line {number}"),
            amount_cents: 100,
            balance_cents: 100 * number,
            ..Default::default()
        };
        Ok(Answer::new(wallet::GetStatementResponse {
            opening_balance_cents: -100,
            closing_balance_cents: 200,
            lines: vec![line],
            next_cursor: if number < 2 { (number + 1).to_string() } else { String::new() },
        }))
    }
}

struct FakeDirectory;

#[tonic::async_trait]
impl DirectoryService for FakeDirectory {
    async fn get_session(&self, _: Call<auth::GetSessionRequest>) -> Result<Answer<auth::GetSessionResponse>, Status> {
        unused()
    }

    async fn get_sessions(
        &self,
        _: Call<auth::GetSessionsRequest>,
    ) -> Result<Answer<auth::GetSessionsResponse>, Status> {
        unused()
    }

    async fn get_users(&self, request: Call<auth::GetUsersRequest>) -> Result<Answer<auth::GetUsersResponse>, Status> {
        let users = request.into_inner().user_ids.into_iter().map(|id| auth::User {
            id,
            name: "Ada Lovelace".to_owned(),
            email: "ada@example.org".to_owned(),
            ..Default::default()
        });
        Ok(Answer::new(auth::GetUsersResponse { users: users.collect() }))
    }

    async fn list_staff_contacts(
        &self,
        _: Call<auth::ListStaffContactsRequest>,
    ) -> Result<Answer<auth::ListStaffContactsResponse>, Status> {
        unused()
    }

    async fn list_permitted_staff(
        &self,
        _: Call<auth::ListPermittedStaffRequest>,
    ) -> Result<Answer<auth::ListPermittedStaffResponse>, Status> {
        unused()
    }

    async fn list_erased_members(
        &self,
        _: Call<auth::ListErasedMembersRequest>,
    ) -> Result<Answer<auth::ListErasedMembersResponse>, Status> {
        unused()
    }

    async fn get_payout_state(
        &self,
        _: Call<auth::GetPayoutStateRequest>,
    ) -> Result<Answer<auth::GetPayoutStateResponse>, Status> {
        unused()
    }

    async fn get_mail_secret(
        &self,
        _: Call<auth::GetMailSecretRequest>,
    ) -> Result<Answer<auth::GetMailSecretResponse>, Status> {
        unused()
    }
}

/// A trade service that offers one plan, whose title says how often it was asked.
#[derive(Clone, Default)]
pub struct FakeTrade {
    pub looks: Arc<AtomicUsize>,
    /// Looks end only while this is free.
    pub gate: Arc<tokio::sync::Mutex<()>>,
}

#[tonic::async_trait]
impl TradeService for FakeTrade {
    async fn list_plans(&self, _: Call<trade::ListPlansRequest>) -> Result<Answer<trade::ListPlansResponse>, Status> {
        let look = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        drop(self.gate.lock().await);
        let plan = trade::Plan { title: format!("Look {look}"), ..Default::default() };
        Ok(Answer::new(trade::ListPlansResponse { plans: vec![plan] }))
    }

    /// Only a plan called `none` is unknown.
    async fn get_plan(&self, request: Call<trade::GetPlanRequest>) -> Result<Answer<trade::GetPlanResponse>, Status> {
        let look = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        let id = request.into_inner().plan_id;
        if id == "none" {
            return refused(Kind::NotFound, ErrorReason::NotFound, "Plan not found");
        }
        let plan = trade::Plan {
            id,
            title: format!("Look {look}"),
            disclosure: Some(trade::Disclosure {
                manager: "Harbour".to_owned(),
                cost_basis_points: 45,
                risk_class: 2,
                min_holding_days: 7,
                exit_fee_basis_points: 50,
                ..Default::default()
            }),
            ..Default::default()
        };
        let facts = trade::PlanFacts {
            first_value_micros: 1_000_000,
            first_value_at: Some(moment()),
            over_30_days: Some(trade::Extremes { worst_basis_points: -125, best_basis_points: 310 }),
            over_90_days: None,
            ended_trades: 12,
            ended_at_loss: 3,
        };
        Ok(Answer::new(trade::GetPlanResponse { plan: Some(plan), facts: Some(facts) }))
    }

    async fn get_risk_answer(
        &self,
        _: Call<trade::GetRiskAnswerRequest>,
    ) -> Result<Answer<trade::GetRiskAnswerResponse>, Status> {
        Ok(Answer::new(trade::GetRiskAnswerResponse { version: 1, answered_at: None }))
    }

    async fn answer_risk(
        &self,
        request: Call<trade::AnswerRiskRequest>,
    ) -> Result<Answer<trade::AnswerRiskResponse>, Status> {
        assert_eq!(request.into_inner().version, 1);
        Ok(Answer::new(trade::AnswerRiskResponse { answered_at: Some(moment()) }))
    }

    async fn list_plan_values(
        &self,
        _: Call<trade::ListPlanValuesRequest>,
    ) -> Result<Answer<trade::ListPlanValuesResponse>, Status> {
        unused()
    }

    async fn batch_list_plan_values(
        &self,
        request: Call<trade::BatchListPlanValuesRequest>,
    ) -> Result<Answer<trade::BatchListPlanValuesResponse>, Status> {
        let request = request.into_inner();
        let values = vec![trade::PlanValue { value_micros: 1_050_000, at: Some(moment()), ..Default::default() }; 2];
        let values = values.into_iter().take(request.points.unsigned_abs() as usize).collect::<Vec<_>>();
        let plans = request.plan_ids.into_iter().map(|plan_id| trade::ValuesOfPlan { plan_id, values: values.clone() });
        Ok(Answer::new(trade::BatchListPlanValuesResponse { plans: plans.collect() }))
    }

    async fn create_trade(
        &self,
        _: Call<trade::CreateTradeRequest>,
    ) -> Result<Answer<trade::CreateTradeResponse>, Status> {
        unused()
    }

    async fn claim_trade(
        &self,
        _: Call<trade::ClaimTradeRequest>,
    ) -> Result<Answer<trade::ClaimTradeResponse>, Status> {
        unused()
    }

    async fn close_trade(
        &self,
        _: Call<trade::CloseTradeRequest>,
    ) -> Result<Answer<trade::CloseTradeResponse>, Status> {
        unused()
    }

    async fn list_trades(
        &self,
        _: Call<trade::ListTradesRequest>,
    ) -> Result<Answer<trade::ListTradesResponse>, Status> {
        unused()
    }
}
