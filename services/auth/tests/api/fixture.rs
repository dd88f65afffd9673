//! A service on a database of its own, with keys of its own.

use std::sync::Arc;
use std::time::Duration;

use auth::SCHEMA;
use auth::app::mail::answer_mail_requests::answer_next;
use auth::app::staff::add_staff::{NewStaff, add_staff};
use auth::app::{App, SIGN_INS, SecondFactor};
use auth::clients::Wallet;
use auth::grpc::GrpcServer;
use auth::hasher::Hasher;
use auth::passkeys::RelyingParty;
use auth::secrets::Secrets;
use auth::tokens::Tokens;
use chassis::config::Tls;
use chassis::db::Db;
use chassis::error::{Refusal, from_status};
use chassis::grpc;
use chassis::identity::Role;
use chassis::keys::{SealingKey, SecretKey, SigningKey, TrustedKeys};
use chassis::testing::{self, Realm};
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{
    Client, LoginRequest, LoginResponse, RegisterRequest, RegisterResponse, ResendCodeRequest, SessionEnded, User,
    VerifyEmailRequest,
};
use sqlx::PgPool;
use tokio::sync::{Notify, Semaphore};
use tonic::{Response, Status};
use uuid::Uuid;

use crate::wallet::FakeWallet;

/// Where the web app is.
pub const ORIGIN: &str = "https://solvane.test";
/// A password that nobody minds.
pub const PASSWORD: &str = "correct horse battery";
/// Where members usually are.
pub const HOME: &str = "203.0.113.7";
pub const ABROAD: &str = "198.51.100.9";
pub const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

pub struct World {
    pub realm: Realm,
    pub app: Arc<App>,
    pub grpc: GrpcServer,
    pub pool: PgPool,
    pub wallet: FakeWallet,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        Self::with(pool, SecondFactor::Waived).await
    }

    pub async fn with(pool: PgPool, second_factor: SecondFactor) -> Self {
        Self::with_wait(pool, second_factor, Duration::ZERO).await
    }

    pub async fn with_wait(pool: PgPool, second_factor: SecondFactor, new_staff_wait: Duration) -> Self {
        let realm = Realm::new();
        let file = |name: &str| realm.folder().join(name);
        let trusted = Arc::new(TrustedKeys::read(&file("trusted.json")).unwrap());
        let wallet = FakeWallet::start().await;
        let channel = grpc::channel("wallet", &wallet.url, &Tls::default()).unwrap();
        let app = Arc::new(App {
            wallet: Wallet::new(channel, realm.credential("auth")),
            db: testing::database(pool.clone(), SCHEMA).await,
            hasher: Hasher::new().unwrap(),
            sign_ins: Semaphore::new(SIGN_INS),
            secrets: Secrets::new(SecretKey::read(&file("code.key")).unwrap()),
            totp_key: SealingKey::read(&file("totp.key")).unwrap(),
            relying_party: RelyingParty::at(ORIGIN).unwrap(),
            tokens: Tokens::new(SigningKey::read(&file("token.key")).unwrap(), trusted),
            decision_key: SigningKey::read(&file("decision.key")).unwrap(),
            second_factor,
            new_staff_wait,
            cooling_off: Duration::from_hours(24),
            closing_delay: Duration::from_hours(24),
            retention_days: 1_826,
            mail_requested: Notify::new(),
        });
        let grpc = GrpcServer::new(Arc::clone(&app), realm.signatures());
        Self { realm, app, grpc, pool, wallet }
    }

    pub fn db(&self) -> &Db {
        &self.app.db
    }

    pub async fn register(&self, email: &str) -> RegisterResponse {
        let registered = self.grpc.register(self.realm.visitor(registration(email))).await.unwrap().into_inner();
        RegisterResponse { token: self.realm.shown_to(testing::SERVICE, &registered.token), ..registered }
    }

    /// A registered member with a confirmed address: the account and the token.
    pub async fn member(&self, email: &str) -> (User, String) {
        let registered = self.register(email).await;
        let code = self.code(email).await;
        self.verify_with(email, &code, "", &registered.token).await.unwrap();
        (registered.user.unwrap(), registered.token)
    }

    pub async fn verify(&self, email: &str, code: &str) -> Result<(), Refusal> {
        self.verify_with(email, code, "", "").await
    }

    /// With a handle, and with a token; each may be empty.
    pub async fn verify_with(&self, email: &str, code: &str, verification: &str, token: &str) -> Result<(), Refusal> {
        let request = VerifyEmailRequest {
            email: email.to_owned(),
            code: code.to_owned(),
            verification: verification.to_owned(),
            client: Some(client(HOME)),
        };
        let request = if token.is_empty() { self.realm.visitor(request) } else { testing::with_token(request, token) };
        self.grpc.verify_email(request).await.map(|_| ()).map_err(|status| from_status(&status))
    }

    /// Asks for a new code with this handle, which may be empty; returns the handle answered.
    pub async fn resend(&self, email: &str, verification: &str) -> String {
        self.resend_from(email, verification, HOME).await
    }

    pub async fn resend_from(&self, email: &str, verification: &str, address: &str) -> String {
        let request = ResendCodeRequest {
            email: email.to_owned(),
            verification: verification.to_owned(),
            client: Some(client(address)),
        };
        let answer = self.grpc.resend_code(self.realm.visitor(request)).await.unwrap().into_inner();
        self.answer_mail_requests().await;
        answer.verification
    }

    /// The id of the newest code to an address.
    pub async fn code_id(&self, email: &str) -> Uuid {
        sqlx::query_scalar(
            "SELECT id FROM codes WHERE email = $1 ORDER BY superseded_at IS NULL DESC, created_at DESC LIMIT 1",
        )
        .bind(email)
        .fetch_one(&self.pool)
        .await
        .unwrap()
    }

    /// The newest code to an address, as the mailer would say it.
    pub async fn code(&self, email: &str) -> String {
        self.app.secrets.code(self.code_id(email).await.into())
    }

    /// The codes of an account's address that can be used, oldest first.
    pub async fn live_codes(&self, email: &str) -> Vec<String> {
        let live = "SELECT id FROM codes WHERE email = $1 AND superseded_at IS NULL AND consumed_at IS NULL
                    AND expires_at > clock_timestamp() ORDER BY created_at";
        let ids: Vec<Uuid> = sqlx::query_scalar(live).bind(email).fetch_all(&self.pool).await.unwrap();
        ids.into_iter().map(|id| self.app.secrets.code(id.into())).collect()
    }

    /// Lets the codes that were sent be this many seconds older.
    pub async fn age_codes(&self, seconds: i32) {
        let age = "UPDATE codes SET created_at = created_at - $1 * interval '1 second'";
        sqlx::query(age).bind(seconds).execute(&self.pool).await.unwrap();
    }

    /// The newest link of an account.
    pub async fn link(&self, user_id: &str) -> String {
        let id: Uuid = sqlx::query_scalar(
            "SELECT id FROM reset_tokens WHERE user_id = $1::uuid ORDER BY superseded_at IS NULL DESC, created_at DESC LIMIT 1",
        )
        .bind(user_id)
        .fetch_one(&self.pool)
        .await
        .unwrap();
        self.app.secrets.token(id)
    }

    pub async fn login(&self, email: &str, password: &str, address: &str) -> Result<LoginResponse, Refusal> {
        self.login_with(email, password, "", address).await
    }

    pub async fn login_with(
        &self,
        email: &str,
        password: &str,
        totp: &str,
        address: &str,
    ) -> Result<LoginResponse, Refusal> {
        let request = LoginRequest {
            email: email.to_owned(),
            password: password.to_owned(),
            totp: totp.to_owned(),
            client: Some(client(address)),
        };
        let signed_in =
            self.grpc.login(self.realm.visitor(request)).await.map_err(|status| from_status(&status))?.into_inner();
        Ok(LoginResponse { token: self.realm.shown_to(testing::SERVICE, &signed_in.token), ..signed_in })
    }

    /// Staff logged in: the account's id and the token.
    pub async fn staff(&self, role: Role) -> (Uuid, String) {
        self.staff_named(role.as_str(), role).await
    }

    /// Another of a role.
    pub async fn staff_named(&self, name: &str, role: Role) -> (Uuid, String) {
        let email = format!("{name}@solvane.test");
        let new = NewStaff { name: "Sam Staff", email: &email, role, password: PASSWORD };
        add_staff(self.db(), &self.app.hasher, &new).await.unwrap();
        let signed_in = self.login(&email, PASSWORD, HOME).await.unwrap();
        (signed_in.user.unwrap().id.parse().unwrap(), signed_in.token)
    }

    /// Answers every request for a mail.
    pub async fn answer_mail_requests(&self) {
        while answer_next(&self.app).await.unwrap() {}
    }

    /// The keys of the events so far.
    pub async fn events(&self) -> Vec<String> {
        let keys: Vec<String> =
            sqlx::query_scalar("SELECT key FROM outbox ORDER BY id").fetch_all(&self.pool).await.unwrap();
        keys.into_iter().map(|key| key.trim_start_matches("auth.v1.").to_owned()).collect()
    }

    /// The newest event of ended sessions.
    pub async fn ended(&self) -> SessionEnded {
        let sql = "SELECT payload FROM outbox WHERE key = 'auth.v1.session_ended' ORDER BY id DESC LIMIT 1";
        let payload: Vec<u8> = sqlx::query_scalar(sql).fetch_one(&self.pool).await.unwrap();
        SessionEnded::decode(payload.as_slice()).unwrap()
    }

    /// Forgets the events so far.
    pub async fn forget_events(&self) {
        self.run("DELETE FROM outbox").await;
    }

    pub async fn count(&self, what: &'static str) -> i64 {
        sqlx::query_scalar(what).fetch_one(&self.pool).await.unwrap()
    }

    /// Lengthens the delays that began, so that none is over before a slow machine gets to look; returns how many did.
    pub async fn hold_delays(&self) -> u64 {
        self.run(
            "UPDATE login_throttles SET open_at = open_at + interval '1 minute'
             WHERE failures > 0 AND open_at > last_try_at + interval '500 milliseconds'",
        )
        .await
    }

    /// Runs one statement; returns the number of rows it changed.
    pub async fn run(&self, statement: &'static str) -> u64 {
        sqlx::query(statement).execute(&self.pool).await.unwrap().rows_affected()
    }
}

pub fn client(address: &str) -> Client {
    Client { address: address.to_owned(), user_agent: FIREFOX.to_owned(), device_key: String::new() }
}

pub fn registration(email: &str) -> RegisterRequest {
    RegisterRequest {
        name: "Ada Lovelace".to_owned(),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
        phone: "+44 20 7946 0000".to_owned(),
        country: "United Kingdom".to_owned(),
        client: Some(client(HOME)),
        idempotency: None,
    }
}

/// The code of a refusal.
pub fn refusal<T: std::fmt::Debug>(result: Result<Response<T>, Status>) -> Refusal {
    from_status(&result.unwrap_err())
}

/// What a refusal says of a field.
pub fn said<'a>(refusal: &'a Refusal, field: &str) -> Option<&'a str> {
    refusal.fields.iter().find(|(name, _)| name == field).map(|(_, sentence)| sentence.as_str())
}
