//! A running wallet with members and staff, a fake payment-method service with two methods, and a fake auth that mails
//! codes.

use chassis::id::MemberId;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use chassis::db::{Buckets, Reads};
use chassis::destination::ConfirmedDestination;
use chassis::error::{Kind, Refusal, from_status, refusal_to_status};
use chassis::grpc;
use chassis::identity::Role;
use chassis::keys::SigningKey;
use chassis::money::Cents;
use chassis::testing::{Realm, buckets, with_token};
use proto::auth::v1::confirmation_service_server::{ConfirmationService, ConfirmationServiceServer};
use proto::auth::v1::{
    CheckDestinationCodeRequest, CheckDestinationCodeResponse, IssueDestinationCodeRequest,
    IssueDestinationCodeResponse, NoteDestinationRequest, NoteDestinationResponse,
};
use proto::common::v1::{ChainPayment, ErrorReason, Idempotency};
use proto::payment_method::v1::evidence_service_server::EvidenceServiceServer;
use proto::payment_method::v1::method_lookup_service_server::{MethodLookupService, MethodLookupServiceServer};
use proto::payment_method::v1::payout_service_server::PayoutServiceServer;
use proto::payment_method::v1::quote_service_server::QuoteServiceServer;
use proto::payment_method::v1::resolve_withdrawal_methods_response::Resolution;
use proto::payment_method::v1::{
    GetArrivedRequest, GetArrivedResponse, PaymentMethod, ResolveDepositMethodRequest, ResolveDepositMethodResponse,
    ResolveWithdrawalMethodRequest, ResolveWithdrawalMethodResponse, ResolveWithdrawalMethodsRequest,
    ResolveWithdrawalMethodsResponse, TakeBackMethodsRequest, TakeBackMethodsResponse,
};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::{Duration, OffsetDateTime};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
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

use crate::batches::FakePayouts;
use crate::evidence::FakeEvidence;
use crate::fake_quotes::FakeQuotes;

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
        let (methods_away, methods_slow) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken_back = Arc::default();
        let lookup = Lookup {
            away: Arc::clone(&methods_away),
            slow: Arc::clone(&methods_slow),
            taken_back: Arc::clone(&taken_back),
            verifier: realm.verifier(),
        };
        let issued = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::default();
        let key = SigningKey::read(&realm.folder().join("decision.key")).unwrap();
        let auth = Auth { issued: Arc::clone(&issued), noted: Arc::clone(&noted), verifier: realm.verifier(), key };
        let evidence = FakeEvidence::new(realm.verifier());
        let fake_quotes = FakeQuotes::new(realm.verifier());
        let batches = FakePayouts::new(realm.verifier());
        let others = Routes::new(MethodLookupServiceServer::new(lookup))
            .add_service(QuoteServiceServer::new(fake_quotes.clone()))
            .add_service(EvidenceServiceServer::new(evidence.clone()))
            .add_service(PayoutServiceServer::new(batches.clone()))
            .add_service(ConfirmationServiceServer::new(auth));
        tokio::spawn(grpc::serve(listener, others, grpc::CONNECTION_AGE, None, stop.clone()));
        let codes = Codes::new(
            grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
            realm.credential("wallet"),
        );
        let methods = Methods::new(
            grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
            realm.credential("wallet"),
        );
        let quotes = Quotes::new(
            grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
            realm.credential("wallet"),
        );
        let chains = Chains::new(
            grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
            realm.credential("wallet"),
        );
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
            methods_away,
            methods_slow,
            taken_back,
            codes: issued,
            noted,
            quotes: fake_quotes,
            evidence,
            batches,
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

    /// A member whose balance is this, by a confirmed deposit and, for the rest below its minimum, a correction.
    pub async fn member_with(&self, cents: i64) -> Member {
        let member = self.member();
        let made = self.deposit(&member, deposit(10_000)).await.unwrap();
        self.approve_with(&made, cents, &self.new_txid()).await.unwrap();
        member
    }

    pub fn new_txid(&self) -> String {
        format!("{:064x}", self.txids.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub async fn deposit(&self, member: &Member, request: RequestDepositRequest) -> Result<Transaction, Status> {
        let answer = self.grpc.request_deposit(with_token(request, &member.token)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn deposit_confirmed(&self, member: &Member, cents: i64) {
        let made = self.deposit(member, deposit(cents)).await.unwrap();
        self.approve_with(&made, cents, &self.new_txid()).await.unwrap();
    }

    /// To a destination that the member confirmed before.
    pub async fn withdraw(&self, member: &Member, request: RequestWithdrawalRequest) -> Result<Transaction, Status> {
        let saved = (request.method == PERSONAL && request.address.is_empty()).then_some(SAVED_ADDRESS);
        self.know(member, saved.unwrap_or(&request.address), &request.memo).await;
        self.withdraw_anywhere(member, request).await
    }

    /// Makes a destination known.
    pub async fn know(&self, member: &Member, address: &str, memo: &str) {
        let (address, memo, at) = (address.trim(), memo.trim(), OffsetDateTime::now_utc() - Duration::days(2));
        let db = &self.grpc.of_member(member.id).await.unwrap().db;
        let key: Vec<u8> = sqlx::query_scalar("SELECT destination_key('USDT', 'TRC20', $1, $2)")
            .bind(address)
            .bind(memo)
            .fetch_one(&self.pool)
            .await
            .unwrap();
        let assertion = self.realm.confirm(&ConfirmedDestination::new(member.id, &key, "code", at));
        sqlx::query(
            "INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
             VALUES ($1, 'USDT', 'TRC20', $2, $3, 'code', $4, $5) ON CONFLICT DO NOTHING",
        )
        .bind(member.id)
        .bind(address)
        .bind(memo)
        .bind(at)
        .bind(assertion)
        .execute(&mut *db.conn().await.unwrap())
        .await
        .unwrap();
    }

    /// Whether or not the destination is known.
    pub async fn withdraw_anywhere(
        &self,
        member: &Member,
        request: RequestWithdrawalRequest,
    ) -> Result<Transaction, Status> {
        let answer = self.grpc.request_withdrawal(with_token(request, &member.token)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn buy_course(&self, member: &Member) -> Result<Transaction, Status> {
        let request = PurchaseCourseRequest { idempotency: None };
        let answer = self.grpc.purchase_course(with_token(request, &member.token)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn pay_fee(&self, member: &Member, withdrawal: &Transaction) -> Result<Transaction, Status> {
        let request = PayWithdrawalFeeRequest {
            withdrawal_id: withdrawal.id.clone(),
            amount_cents: withdrawal.fee_cents.unwrap(),
            method: PLATFORM.to_owned(),
            receipt: receipt(9),
            ..Default::default()
        };
        let answer = self.grpc.pay_withdrawal_fee(with_token(request, &member.token)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    /// The reviewer approves a payment as claimed, with a fresh hash, or a withdrawal.
    pub async fn approve(&self, one: &Transaction) -> Result<Transaction, Status> {
        let is_withdrawal = one.title == "Withdrawal";
        let txid = if is_withdrawal { String::new() } else { self.new_txid() };
        let received = if one.title == "Deposit" { one.amount_cents } else { 0 };
        self.approve_with(one, received, &txid).await
    }

    /// As the reviewer, and another one where it takes two.
    pub async fn approve_with(&self, one: &Transaction, received: i64, txid: &str) -> Result<Transaction, Status> {
        let first = self.approve_as(&self.reviewer, one, received, (txid, None)).await?;
        if first.first_approval.is_none() {
            return Ok(first);
        }
        self.approve_as(&self.realm.staff(Role::Reviewer).1, &first, received, (txid, None)).await
    }

    pub async fn approve_as(
        &self,
        reviewer: &str,
        one: &Transaction,
        received: i64,
        (txid, vout): (&str, Option<u32>),
    ) -> Result<Transaction, Status> {
        let request = ApproveTransactionRequest {
            id: one.id.clone(),
            revision: one.revision,
            received_amount_cents: Some(received).filter(|cents| *cents != 0),
            txid: txid.to_owned(),
            vout,
            note: "seen at an explorer".to_owned(),
            ..Default::default()
        };
        let answer = self.grpc.approve_transaction(with_token(request, reviewer)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn reject(&self, one: &Transaction, reason: &str) -> Result<Transaction, Status> {
        let by = if one.approved { &self.treasurer } else { &self.reviewer };
        self.reject_as(by, one, reason).await
    }

    pub async fn reject_as(&self, by: &str, one: &Transaction, reason: &str) -> Result<Transaction, Status> {
        let request = RejectTransactionRequest {
            id: one.id.clone(),
            revision: one.revision,
            reason_code: reason.to_owned(),
            note: "internal".to_owned(),
            ..Default::default()
        };
        let answer = self.grpc.reject_transaction(with_token(request, by)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn pay(&self, one: &Transaction) -> Result<Transaction, Status> {
        self.pay_with(one, &self.new_txid()).await
    }

    /// As the treasurer, who starts a large payout before.
    pub async fn pay_with(&self, one: &Transaction, txid: &str) -> Result<Transaction, Status> {
        let leased = match one.amount_cents {
            ..100_000 => one.clone(),
            _ => self.lease_as(&self.treasurer, one).await?,
        };
        self.pay_as(&self.treasurer, &leased, (txid, None)).await
    }

    pub async fn lease_as(&self, treasurer: &str, one: &Transaction) -> Result<Transaction, Status> {
        let request = LeasePayoutRequest { id: one.id.clone(), revision: one.revision, ..Default::default() };
        let answer = self.grpc.lease_payout(with_token(request, treasurer)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn pay_as(
        &self,
        treasurer: &str,
        one: &Transaction,
        (txid, vout): (&str, Option<u32>),
    ) -> Result<Transaction, Status> {
        let request = MarkWithdrawalPaidRequest {
            id: one.id.clone(),
            revision: one.revision,
            txid: txid.to_owned(),
            vout,
            ..Default::default()
        };
        let answer = self.grpc.mark_withdrawal_paid(with_token(request, treasurer)).await?;
        Ok(answer.into_inner().transaction.unwrap())
    }

    pub async fn wallet(&self, member: &Member) -> Wallet {
        let answer = self.grpc.get_wallet(with_token(GetWalletRequest {}, &member.token)).await.unwrap();
        answer.into_inner().wallet.unwrap()
    }

    pub async fn history(&self, member: &Member) -> Vec<Transaction> {
        let request = with_token(ListTransactionsRequest::default(), &member.token);
        self.grpc.list_transactions(request).await.unwrap().into_inner().transactions
    }

    pub async fn transaction(&self, member: &Member, id: &str) -> Result<Transaction, Status> {
        let request = with_token(GetTransactionRequest { id: id.to_owned() }, &member.token);
        Ok(self.grpc.get_transaction(request).await?.into_inner().transaction.unwrap())
    }

    pub async fn review(&self, id: &str) -> GetReviewResponse {
        let request = with_token(GetReviewRequest { id: id.to_owned(), ..Default::default() }, &self.reviewer);
        self.grpc.get_review(request).await.unwrap().into_inner()
    }

    /// Lets any account lose to any other by [`PostingKind::Transfer`], and a balance to the corrections by
    /// [`PostingKind::Reversal`], without a cause.
    pub async fn allow_transfers(&self) {
        for server in self.grpc.servers() {
            sqlx::query(
                "INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits)
                 SELECT 'transfer', 'unchecked', NULL, '', kinds, kinds
                 FROM (SELECT array_agg(DISTINCT kind) || '{available,held,bonus,invested,plan_cash}' AS kinds FROM accounts) AS x
                 UNION ALL SELECT 'reversal', 'unchecked', NULL, '', '{available,owed}', '{adjustments}'",
            )
            .execute(&mut *server.db.conn().await.unwrap())
            .await
            .unwrap();
        }
    }

    /// The keys of all events so far, oldest first.
    pub async fn events(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT key FROM outbox ORDER BY id").fetch_all(&self.pool).await.unwrap()
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.pool).await.unwrap()
    }

    /// The same over all buckets.
    pub async fn count_all(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.all).await.unwrap()
    }

    /// The balance of an account of the house, over all buckets.
    pub async fn house(&self, kind: &str) -> i64 {
        sqlx::query_scalar("SELECT sum(balance_cents)::bigint FROM accounts WHERE user_id IS NULL AND kind = $1")
            .bind(kind)
            .fetch_one(&self.all)
            .await
            .unwrap()
    }

    /// Every invariant of the ledger: [L1] [L2] [L3] [L4] [L6], and the chain of [L5].
    pub async fn assert_books(&self) {
        for (what, sql) in BROKEN {
            assert_eq!(self.count_all(sql).await, 0, "{what}");
        }
    }

    /// The books are balanced, and a check of the ledger finds no fault.
    pub async fn assert_verified(&self) {
        self.assert_books().await;
        assert!(self.check().await);
        let faults: Vec<String> =
            sqlx::query_scalar("SELECT detail FROM ledger_faults").fetch_all(&self.all).await.unwrap();
        assert_eq!(faults, Vec::<String>::new());
    }
}

/// Rows that break an invariant, counted.
const BROKEN: [(&str, &str); 9] = [
    ("[L1] unbalanced postings", "SELECT count(*) FROM (SELECT FROM entries GROUP BY posting_id HAVING sum(amount_cents) <> 0) AS x"),
    ("[L2] the sum of all entries", "SELECT coalesce(sum(amount_cents), 0)::bigint FROM entries"),
    (
        "[L3] drifted accounts",
        "SELECT count(*) FROM accounts LEFT JOIN (SELECT account_id, sum(amount_cents) AS cents, count(*) AS entries
            FROM entries GROUP BY account_id) AS computed ON account_id = id
         WHERE balance_cents <> coalesce(cents, 0) OR entry_count <> coalesce(entries, 0)",
    ),
    (
        "[L4] negative accounts of members",
        "SELECT count(*) FROM accounts WHERE user_id IS NOT NULL AND kind <> 'owed' AND balance_cents < 0",
    ),
    ("[D-B9] what is owed, above zero", "SELECT count(*) FROM accounts WHERE kind = 'owed' AND balance_cents > 0"),
    (
        "[D-B9] members who owe something and have a free balance",
        "SELECT count(*) FROM accounts AS owed JOIN accounts AS free USING (user_id)
         WHERE owed.kind = 'owed' AND owed.balance_cents <> 0 AND free.kind = 'available' AND free.balance_cents <> 0",
    ),
    (
        "[D-B10] what is on hold and no hold",
        "SELECT count(*) FROM accounts WHERE kind = 'on_hold' AND balance_cents <> (
            SELECT coalesce(sum(amount_cents), 0) FROM holds WHERE holds.user_id = accounts.user_id AND status = 'placed')",
    ),
    (
        "[L5] broken links of the chains",
        "SELECT count(*) FROM (SELECT entries.hash, entry_hash(coalesce(lag(hash) OVER chain, ''), account_id, posting_id,
                amount_cents, balance_after_cents, posting_header(postings.kind, cause_type,
                business_id, user_id, transaction_id, created_at, reverses)) AS expected,
            balance_after_cents - amount_cents - coalesce(lag(balance_after_cents) OVER chain, 0) AS gap
         FROM entries JOIN postings ON postings.id = posting_id WINDOW chain AS (PARTITION BY account_id ORDER BY posting_id)) AS x WHERE hash <> expected OR gap <> 0",
    ),
    (
        "[L6] holds that are no open withdrawal",
        "SELECT count(*) FROM accounts WHERE kind = 'held' AND balance_cents <> (SELECT coalesce(sum(amount_cents), 0)
            FROM transactions WHERE transactions.user_id = accounts.user_id AND transactions.kind = 'withdrawal' AND status = 'pending')",
    ),
];

/// The service payment-method, as far as the wallet asks it.
struct Lookup {
    away: Arc<AtomicBool>,
    slow: Arc<AtomicBool>,
    taken_back: Arc<Mutex<Vec<TakeBackMethodsRequest>>>,
    verifier: chassis::identity::Verifier,
}

impl Lookup {
    fn check<T>(&self, request: &Request<T>) -> Result<(), Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|no| refusal_to_status(&no))?;
        if self.away.load(Ordering::Relaxed) {
            return Err(refusal_to_status(&Refusal::unavailable()));
        }
        Ok(())
    }
}

fn no_method() -> Status {
    let refusal = Refusal::new(Kind::Invalid, ErrorReason::MethodUnavailable, "This payment method is not available");
    refusal_to_status(&refusal)
}

#[tonic::async_trait]
impl MethodLookupService for Lookup {
    async fn resolve_deposit_method(
        &self,
        request: Request<ResolveDepositMethodRequest>,
    ) -> Result<Response<ResolveDepositMethodResponse>, Status> {
        self.check(&request)?;
        if self.slow.load(Ordering::Relaxed) {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        let message = request.into_inner();
        if ![PLATFORM, "USDT"].contains(&message.method.as_str()) {
            return Err(no_method());
        }
        let version = if message.version == 2 { 2 } else { 3 };
        let payment_method = PaymentMethod {
            id: PLATFORM.to_owned(),
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address: if version == 3 { PLATFORM_ADDRESS } else { EARLIER_ADDRESS }.to_owned(),
            memo: "memo".to_owned(),
            version,
            ..Default::default()
        };
        Ok(Response::new(ResolveDepositMethodResponse { payment_method: Some(payment_method) }))
    }

    /// At index 0 of every hash of ones arrived $195.00, at index 1 something without a value.
    async fn get_arrived(&self, request: Request<GetArrivedRequest>) -> Result<Response<GetArrivedResponse>, Status> {
        self.check(&request)?;
        let GetArrivedRequest { chain, txid, index, .. } = request.into_inner();
        if txid != "1".repeat(64) {
            return Err(refusal_to_status(&Refusal::new(Kind::NotFound, ErrorReason::NotFound, "We can't find that.")));
        }
        let payment = ChainPayment {
            chain,
            txid,
            index,
            asset: "USDT".to_owned(),
            units: "195000000".to_owned(),
            decimals: 6,
            address: PLATFORM_ADDRESS.to_owned(),
            state: "final".to_owned(),
            value_cents: (index == 0).then_some(19_500),
            ..Default::default()
        };
        let payment_method = PaymentMethod {
            id: PLATFORM.to_owned(),
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address: PLATFORM_ADDRESS.to_owned(),
            version: 3,
            ..Default::default()
        };
        Ok(Response::new(GetArrivedResponse { payment: Some(payment), payment_method: Some(payment_method) }))
    }

    async fn resolve_withdrawal_method(
        &self,
        request: Request<ResolveWithdrawalMethodRequest>,
    ) -> Result<Response<ResolveWithdrawalMethodResponse>, Status> {
        self.check(&request)?;
        let asked = request.into_inner();
        let address = match asked.method.as_str() {
            PERSONAL if asked.address.is_empty() => SAVED_ADDRESS.to_owned(),
            PERSONAL | PLATFORM | "USDT" if asked.address == PLATFORM_ADDRESS => {
                return Err(refusal_to_status(&Refusal::field("address", "This is one of our own addresses")));
            }
            PERSONAL | PLATFORM | "USDT" => asked.address,
            _ => return Err(no_method()),
        };
        Ok(Response::new(ResolveWithdrawalMethodResponse {
            method_id: asked.method,
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address,
            memo: asked.memo,
        }))
    }

    async fn take_back_methods(
        &self,
        request: Request<TakeBackMethodsRequest>,
    ) -> Result<Response<TakeBackMethodsResponse>, Status> {
        self.check(&request)?;
        self.taken_back.lock().unwrap().push(request.into_inner());
        Ok(Response::new(TakeBackMethodsResponse {}))
    }

    /// Has each resolved on its own.
    async fn resolve_withdrawal_methods(
        &self,
        request: Request<ResolveWithdrawalMethodsRequest>,
    ) -> Result<Response<ResolveWithdrawalMethodsResponse>, Status> {
        let resolutions = vec![Resolution::default(); request.into_inner().withdrawals.len()];
        Ok(Response::new(ResolveWithdrawalMethodsResponse { resolutions }))
    }
}

/// Mails one code for everything, and never twice for one destination.
struct Auth {
    issued: Arc<Mutex<Vec<IssueDestinationCodeRequest>>>,
    noted: Arc<Mutex<Vec<String>>>,
    verifier: chassis::identity::Verifier,
    key: SigningKey,
}

impl Auth {
    fn sign(&self, (user_id, destination): (&str, &[u8]), cause: &str) -> String {
        let confirmed =
            ConfirmedDestination::new(user_id.parse().unwrap(), destination, cause, OffsetDateTime::now_utc());
        confirmed.sign(&self.key).unwrap()
    }
}

#[tonic::async_trait]
impl ConfirmationService for Auth {
    async fn issue_destination_code(
        &self,
        request: Request<IssueDestinationCodeRequest>,
    ) -> Result<Response<IssueDestinationCodeResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        assert_eq!(asked.destination.len(), 32);
        let mut issued = self.issued.lock().unwrap();
        if issued.contains(&asked) {
            let refusal = Refusal::new(Kind::RateLimited, ErrorReason::TooManyRequests, "Please wait a minute.");
            return Err(refusal_to_status(&refusal));
        }
        issued.push(asked);
        Ok(Response::new(IssueDestinationCodeResponse {}))
    }

    async fn note_destination(
        &self,
        request: Request<NoteDestinationRequest>,
    ) -> Result<Response<NoteDestinationResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let assertion = self.sign((&asked.user_id, &asked.destination), "factor");
        self.noted.lock().unwrap().push(asked.user_id);
        Ok(Response::new(NoteDestinationResponse { assertion }))
    }

    async fn check_destination_code(
        &self,
        request: Request<CheckDestinationCodeRequest>,
    ) -> Result<Response<CheckDestinationCodeResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let is_issued =
            |one: &IssueDestinationCodeRequest| one.user_id == asked.user_id && one.destination == asked.destination;
        if asked.code == CODE && self.issued.lock().unwrap().iter().any(is_issued) {
            let assertion = self.sign((&asked.user_id, &asked.destination), "code");
            return Ok(Response::new(CheckDestinationCodeResponse { assertion }));
        }
        let mut refusal = Refusal::field("code", "This code is wrong or has expired");
        refusal.code = "INVALID_CODE".to_owned();
        Err(refusal_to_status(&refusal))
    }
}
