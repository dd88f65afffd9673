//! A running wallet with members and staff, a fake payment-method service with two methods, and a fake auth that mails
//! codes.

mod books;
mod fake_auth;
mod fake_evidence;
mod fake_methods;
mod fake_payouts;
mod fake_quotes;
mod members;
mod staff;

use chassis::id::MemberId;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use chassis::db::{Buckets, Reads};
use chassis::error::{Refusal, from_status};
use chassis::grpc::{self, Channel};
use chassis::identity::Role;
use chassis::keys::SigningKey;
use chassis::money::Cents;
use chassis::testing::{Realm, buckets};
use proto::auth::v1::IssueDestinationCodeRequest;
use proto::auth::v1::confirmation_service_server::ConfirmationServiceServer;
use proto::common::v1::Idempotency;
use proto::payment_method::v1::TakeBackMethodsRequest;
use proto::payment_method::v1::evidence_service_server::EvidenceServiceServer;
use proto::payment_method::v1::method_lookup_service_server::MethodLookupServiceServer;
use proto::payment_method::v1::payout_service_server::PayoutServiceServer;
use proto::payment_method::v1::quote_service_server::QuoteServiceServer;
use proto::wallet::v1::*;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::service::Routes;
use wallet::app::account::get_times::LastTimes;
use wallet::app::ledger::check_ledger::check_ledger;
use wallet::app::review::get_figures::LastFigures;
use wallet::app::transaction::get_transaction::Lines;
use wallet::app::treasury::check_solvency::Tolerance;
use wallet::app::withdrawal::request_withdrawal::{Gate, Outlooks};
use wallet::clients::{Chains, Codes, Methods, Quotes};
use wallet::domain::bucket::assigned;
use wallet::domain::limits::Limits;
use wallet::events::consumed::Events;
use wallet::grpc::GrpcServer;
use wallet::grpc::router::Router;
use wallet::grpc::verdict_cache::Verdicts;
use wallet::posting::ledger::Ledger;
use wallet::{BUCKETED, SCHEMA};

use self::fake_auth::FakeAuth;
use self::fake_evidence::FakeEvidence;
use self::fake_methods::FakeMethods;
use self::fake_payouts::FakePayouts;
use self::fake_quotes::FakeQuotes;

pub use self::fake_evidence::ANY_TXID;

/// The id of the platform's only method.
pub const PLATFORM: &str = "11111111-1111-4111-8111-111111111111";
/// The id of a member's own method.
pub const PERSONAL: &str = "22222222-2222-4222-8222-222222222222";
/// Where that method of the member goes.
pub const SAVED_ADDRESS: &str = "TSAVEDxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
/// The code that is mailed for every destination.
pub const CODE: &str = "246810";
/// Where the platform's method received, in its version 2.
pub const EARLIER_ADDRESS: &str = "TEARLIERxxxxxxxxxxxxxxxxxxxxxxxxxx";
/// Where the platform's method receives.
pub const PLATFORM_ADDRESS: &str = "TPLATFORMxxxxxxxxxxxxxxxxxxxxxxxxx";

#[derive(Debug, Clone)]
pub struct Member {
    pub id: MemberId,
    pub token: String,
}

pub struct World {
    /// That of all buckets; what is named directly is the first one's.
    pub grpc: Router,
    pub realm: Realm,
    /// The database, where the members are.
    pub pool: PgPool,
    /// All buckets as one.
    all: PgPool,
    members_in: Option<u16>,
    pub reviewer: String,
    pub treasurer: String,
    pub methods_away: Arc<AtomicBool>,
    /// Whether a method takes a second to be found.
    pub methods_slow: Arc<AtomicBool>,
    /// The periods whose saved methods were taken back.
    pub taken_back: Arc<Mutex<Vec<TakeBackMethodsRequest>>>,
    /// What codes were issued for, by member and destination.
    pub codes: Arc<Mutex<Vec<IssueDestinationCodeRequest>>>,
    /// Whose destinations a second factor confirmed.
    pub noted: Arc<Mutex<Vec<String>>>,
    /// The quotes that payment-method makes.
    pub quotes: FakeQuotes,
    /// What the chain shows.
    pub evidence: FakeEvidence,
    /// The batches that payment-method prepares and sends.
    pub batches: FakePayouts,
    txids: AtomicU32,
    stop: CancellationToken,
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub fn refusal<T>(result: Result<T, Status>) -> Refusal {
    match result {
        Ok(_) => panic!("was not refused"),
        Err(status) => from_status(&status),
    }
}

pub fn code<T>(result: Result<T, Status>) -> String {
    refusal(result).code
}

pub fn key(text: &str) -> Option<Idempotency> {
    Some(Idempotency { key: text.to_owned(), route: "POST /v1/test".to_owned(), fingerprint: vec![1] })
}

/// A transaction hash with a name.
pub fn hash(name: &str) -> String {
    let digits: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{digits:0>64}")
}

pub fn receipt(byte: u8) -> Option<Receipt> {
    Some(Receipt { key: format!("receipts/{byte}"), content_type: "image/png".to_owned(), digest: vec![byte; 32] })
}

pub fn deposit(cents: i64) -> RequestDepositRequest {
    RequestDepositRequest {
        amount_cents: cents,
        method: PLATFORM.to_owned(),
        receipt: receipt(1),
        r#type: "deposit".to_owned(),
        ..Default::default()
    }
}

pub fn course_payment() -> RequestDepositRequest {
    RequestDepositRequest { r#type: "course".to_owned(), ..deposit(8_700) }
}

pub fn withdrawal(cents: i64) -> RequestWithdrawalRequest {
    RequestWithdrawalRequest {
        amount_cents: cents,
        method: PLATFORM.to_owned(),
        address: "TDESTINATIONxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        ..Default::default()
    }
}

/// Finds the tables of a bucket, or those of all as one. It has connections of its own: those of the pools of all tests together
/// are few.
fn search_in(pool: &PgPool, path: &str) -> PgPool {
    let options = (*pool.connect_options()).clone().options([("search_path", path)]);
    PgPoolOptions::new().max_connections(4).connect_lazy_with(options)
}

/// The services that wallet calls: what a world shows of them, and the way to them.
struct Others {
    methods_away: Arc<AtomicBool>,
    methods_slow: Arc<AtomicBool>,
    taken_back: Arc<Mutex<Vec<TakeBackMethodsRequest>>>,
    codes: Arc<Mutex<Vec<IssueDestinationCodeRequest>>>,
    noted: Arc<Mutex<Vec<String>>>,
    quotes: FakeQuotes,
    evidence: FakeEvidence,
    batches: FakePayouts,
    channel: Channel,
}

impl Others {
    /// Serves them until it is stopped.
    async fn serve(realm: &Realm, stop: CancellationToken) -> Self {
        let methods = FakeMethods {
            away: Arc::default(),
            slow: Arc::default(),
            taken_back: Arc::default(),
            verifier: realm.verifier(),
        };
        let auth = FakeAuth {
            issued: Arc::default(),
            noted: Arc::default(),
            verifier: realm.verifier(),
            key: SigningKey::read(&realm.folder().join("decision.key")).unwrap(),
        };
        let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let others = Self {
            methods_away: Arc::clone(&methods.away),
            methods_slow: Arc::clone(&methods.slow),
            taken_back: Arc::clone(&methods.taken_back),
            codes: Arc::clone(&auth.issued),
            noted: Arc::clone(&auth.noted),
            quotes: FakeQuotes::new(realm.verifier()),
            evidence: FakeEvidence::new(realm.verifier()),
            batches: FakePayouts::new(realm.verifier()),
            channel: grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
        };
        let routes = Routes::new(MethodLookupServiceServer::new(methods))
            .add_service(QuoteServiceServer::new(others.quotes.clone()))
            .add_service(EvidenceServiceServer::new(others.evidence.clone()))
            .add_service(PayoutServiceServer::new(others.batches.clone()))
            .add_service(ConfirmationServiceServer::new(auth));
        tokio::spawn(grpc::serve(listener, routes, grpc::CONNECTION_AGE, None, stop));
        others
    }
}

impl World {
    /// In as many buckets as the environment says: what holds in the first bucket holds in another. With several, the members are
    /// in the last one, where the test's pool finds it.
    pub async fn new(pool: PgPool) -> Self {
        let count = std::env::var("WALLET_BUCKETS").ok().map_or(1, |count| count.parse().expect("a number of buckets"));
        let mut world = Self::in_buckets(pool.clone(), count).await;
        if count > 1 {
            let home = world.home().db.home();
            world.pool = search_in(&pool, &home.buckets.search_path(home.bucket));
            pool.set_connect_options((*world.pool.connect_options()).clone());
            world.members_in = Some(home.bucket);
        }
        world
    }

    /// In several buckets, with members in all of them.
    pub async fn in_buckets(pool: PgPool, count: u16) -> Self {
        let all = Buckets { name: BUCKETED.name, count };
        let pool = if count == 1 { pool } else { search_in(&pool, "wallet_all, public") };
        let realm = Realm::new();
        let first = if count == 1 { pool.clone() } else { search_in(&pool, "public") };
        let dbs = buckets(first, SCHEMA, all).await;
        let stop = CancellationToken::new();
        let others = Others::serve(&realm, stop.clone()).await;
        let credential = || realm.credential("wallet");
        let codes = Codes::new(others.channel.clone(), credential());
        let methods = Methods::new(others.channel.clone(), credential());
        let quotes = Quotes::new(others.channel.clone(), credential());
        let chains = Chains::new(others.channel, credential());
        // The chain proves nothing unless a test says so: one reviewer approves what they want up to the limit of a deposit.
        let (unproven_member_day_from, unproven_reviewer_day_from) = (Cents::new(1 << 40), Cents::new(1 << 40));
        let limits = Limits { unproven_member_day_from, unproven_reviewer_day_from, ..Limits::default() };
        let tolerance = Tolerance { missing: Cents::ZERO, pause: Cents::new(1_000_000) };
        let (verifier, times, verdicts) = (realm.verifier(), LastTimes::default(), Verdicts::default());
        let figures = LastFigures::default();
        let mut servers = Vec::new();
        for db in dbs {
            // Withdrawals are closed until the ledger was checked once.
            assert!(check_ledger(&db).await.unwrap());
            let (ledger, writer) = Ledger::new(db.clone());
            tokio::spawn(writer);
            servers.push(GrpcServer {
                reads: Reads::new(db.clone(), None, 1).unwrap(),
                gate: Gate::new(db.clone()),
                outlooks: Outlooks::new(db.clone()),
                lines: Lines::new(db.clone()),
                db,
                ledger,
                verifier: verifier.clone(),
                methods: methods.clone(),
                quotes: quotes.clone(),
                chains: chains.clone(),
                codes: codes.clone(),
                limits,
                tolerance,
                times: times.clone(),
                verdicts: verdicts.clone(),
                figures: figures.clone(),
            });
        }
        let grpc = Router::new(servers.remove(0), servers);
        let (reviewer, treasurer) = (realm.staff(Role::Reviewer).1, realm.staff(Role::Treasurer).1);
        Self {
            grpc,
            realm,
            all: pool.clone(),
            pool,
            members_in: None,
            reviewer,
            treasurer,
            methods_away: others.methods_away,
            methods_slow: others.methods_slow,
            taken_back: others.taken_back,
            codes: others.codes,
            noted: others.noted,
            quotes: others.quotes,
            evidence: others.evidence,
            batches: others.batches,
            txids: AtomicU32::new(0),
            stop,
        }
    }

    /// What consumes the events of others.
    pub fn consumer(&self) -> Events {
        let (db, chains, methods) = (self.grpc.db.clone(), self.grpc.chains.clone(), self.grpc.methods.clone());
        Events { db, chains, methods }
    }

    pub fn member(&self) -> Member {
        loop {
            let (id, token) = self.realm.member();
            if self.members_in.is_none_or(|bucket| assigned(id, bucket + 1) == bucket) {
                return Member { id, token };
            }
        }
    }

    /// The server of the last bucket, in which the members are.
    pub fn home(&self) -> &GrpcServer {
        self.grpc.servers().last().expect("a bucket")
    }

    pub fn limit(&mut self, change: impl Fn(&mut Limits)) {
        self.grpc.servers_mut().for_each(|server| change(&mut server.limits));
    }

    /// Checks the ledgers of all buckets. Returns whether withdrawals are open.
    pub async fn check(&self) -> bool {
        let mut open = false;
        for server in self.grpc.servers() {
            open = check_ledger(&server.db).await.unwrap();
        }
        open
    }

    pub fn new_txid(&self) -> String {
        format!("{:064x}", self.txids.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
