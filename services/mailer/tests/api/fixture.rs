//! A mailer over a database of its own, an SMTP sink, and an auth that says what a test wants.

use chassis::id::UserId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chassis::bus::Event;
use chassis::db::Db;
use chassis::error::{Kind, Refusal, refusal_to_status};
use chassis::identity::Verifier;
use chassis::testing::{Realm, database};
use chassis::{clock, grpc};
use futures::future::join_all;
use mailer::app::accept_event::AcceptEvent;
use mailer::app::send_mails::{CONCURRENCY, SendMails};
use mailer::clients::Directory;
use mailer::events::consumed::Consumer;
use mailer::events::published::LiveNotices;
use mailer::grpc::GrpcServer;
use mailer::message::Sender;
use mailer::render::Renderer;
use mailer::smtp::Transport;
use proto::auth::v1::directory_service_server::{DirectoryService, DirectoryServiceServer};
use proto::auth::v1::{
    GetMailSecretRequest, GetMailSecretResponse, GetPayoutStateRequest, GetPayoutStateResponse, GetSessionRequest,
    GetSessionResponse, GetSessionsRequest, GetSessionsResponse, GetUsersRequest, GetUsersResponse,
    ListErasedMembersRequest, ListErasedMembersResponse, ListPermittedStaffRequest, ListPermittedStaffResponse,
    ListStaffContactsRequest, ListStaffContactsResponse, User,
};
use proto::common::v1::ErrorReason;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::smtp_sink::Sink;

pub const SITE: &str = "https://solvane.test";
/// The address of support.
pub const SUPPORT: &str = "help@solvane.test";
pub const ADDRESS: &str = "ada@example.com";

#[derive(Default)]
pub struct Accounts {
    pub users: HashMap<UserId, (String, String)>,
    pub staff: Vec<UserId>,
    pub roles: HashMap<UserId, String>,
    pub secrets: HashMap<String, String>,
    pub away: bool,
}

#[derive(Clone)]
struct Auth {
    accounts: Arc<Mutex<Accounts>>,
    verifier: Verifier,
}

impl Auth {
    /// Every call takes the mailer's own credential.
    fn enter<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let caller = self.verifier.service(request.metadata(), &["mailer"]);
        caller.map_err(|refusal| refusal_to_status(&refusal))?;
        match self.accounts.lock().unwrap().away {
            true => Err(refusal_to_status(&Refusal::unavailable())),
            false => Ok(()),
        }
    }

    fn user(&self, id: UserId) -> Option<User> {
        let accounts = self.accounts.lock().unwrap();
        let (name, email) = accounts.users.get(&id)?.clone();
        let role = accounts.roles.get(&id).cloned().unwrap_or_default();
        Some(User { id: id.to_string(), name, email, role, ..User::default() })
    }
}

#[tonic::async_trait]
impl DirectoryService for Auth {
    async fn get_session(&self, _: Request<GetSessionRequest>) -> Result<Response<GetSessionResponse>, Status> {
        Err(Status::permission_denied("the mailer asks for no session"))
    }

    async fn get_sessions(&self, _: Request<GetSessionsRequest>) -> Result<Response<GetSessionsResponse>, Status> {
        Err(Status::permission_denied("the mailer asks for no session"))
    }

    async fn get_users(&self, request: Request<GetUsersRequest>) -> Result<Response<GetUsersResponse>, Status> {
        self.enter(&request)?;
        let ids = request.into_inner().user_ids;
        let users = ids.iter().filter_map(|id| self.user(id.parse().ok()?)).collect();
        Ok(Response::new(GetUsersResponse { users }))
    }

    async fn list_staff_contacts(
        &self,
        request: Request<ListStaffContactsRequest>,
    ) -> Result<Response<ListStaffContactsResponse>, Status> {
        self.enter(&request)?;
        let ids = self.accounts.lock().unwrap().staff.clone();
        Ok(Response::new(ListStaffContactsResponse { staff: ids.into_iter().filter_map(|id| self.user(id)).collect() }))
    }

    async fn list_permitted_staff(
        &self,
        _: Request<ListPermittedStaffRequest>,
    ) -> Result<Response<ListPermittedStaffResponse>, Status> {
        Err(Status::unimplemented("not used by mails"))
    }

    async fn list_erased_members(
        &self,
        _: Request<ListErasedMembersRequest>,
    ) -> Result<Response<ListErasedMembersResponse>, Status> {
        Err(Status::permission_denied("the mailer keeps mails for 90 days"))
    }

    async fn get_payout_state(
        &self,
        _: Request<GetPayoutStateRequest>,
    ) -> Result<Response<GetPayoutStateResponse>, Status> {
        Err(Status::permission_denied("the mailer asks for no payouts"))
    }

    async fn get_mail_secret(
        &self,
        request: Request<GetMailSecretRequest>,
    ) -> Result<Response<GetMailSecretResponse>, Status> {
        self.enter(&request)?;
        let reference = request.into_inner().reference;
        let link = (reference == "destination-code").then(|| "Not-Me-Token_5".to_owned());
        let secret = self.accounts.lock().unwrap().secrets.get(&reference).cloned();
        let gone = Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Gone.");
        let secret = secret.ok_or_else(|| refusal_to_status(&gone))?;
        Ok(Response::new(GetMailSecretResponse {
            email: ADDRESS.to_owned(),
            name: "Ada Lovelace".to_owned(),
            secret,
            expires_at: Some(clock::to_proto(OffsetDateTime::now_utc() + Duration::minutes(10))),
            link_token: link.clone().unwrap_or_default(),
            link_expires_at: link.map(|_| clock::to_proto(OffsetDateTime::now_utc() + Duration::hours(72))),
        }))
    }
}

pub struct World {
    pub db: Db,
    pub accounts: Arc<Mutex<Accounts>>,
    pub sink: Sink,
    pub consumer: Arc<Consumer>,
    pub send: Arc<SendMails>,
    pub user_id: UserId,
    pub directory: Directory,
    pub realm: Realm,
    /// Of whom live views hear that they have a new notice.
    pub added: mpsc::Receiver<UserId>,
}

/// A row of `mails`, as far as tests look.
#[derive(Debug, sqlx::FromRow)]
pub struct Row {
    pub id: Uuid,
    pub template: String,
    pub user_id: UserId,
    pub address: Option<String>,
    pub status: String,
    pub tries: i32,
    pub last_error: Option<String>,
    pub seconds_left: i64,
}

impl World {
    pub async fn start(pool: PgPool) -> Self {
        let db = database(pool, &mailer::MIGRATOR).await;
        let (realm, accounts) = (Realm::new(), Arc::new(Mutex::new(Accounts::default())));
        let user_id = UserId::new(Uuid::new_v4());
        accounts.lock().unwrap().users.insert(user_id, ("Ada Lovelace".to_owned(), ADDRESS.to_owned()));
        let auth = Auth { accounts: Arc::clone(&accounts), verifier: realm.verifier() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let routes = Routes::new(DirectoryServiceServer::new(auth));
        tokio::spawn(grpc::serve(listener, routes, grpc::CONNECTION_AGE, None, CancellationToken::new()));
        let directory = Directory::new(
            grpc::channel(chassis::testing::SERVICE, &url, &chassis::config::Tls::default()).unwrap(),
            realm.credential("mailer"),
        );
        let sink = Sink::start().await;
        let queued = Arc::new(Notify::new());
        let accept = AcceptEvent { db: db.clone(), directory: directory.clone(), queued: Arc::clone(&queued) };
        let (live, added) = LiveNotices::new();
        let consumer = Arc::new(Consumer { accept: Arc::new(accept), live });
        let send = sender(&db, &directory, Transport::relay(&sink.url(), 4).unwrap(), queued);
        Self { db, accounts, sink, consumer, send, user_id, directory, realm, added }
    }

    pub fn grpc(&self) -> GrpcServer {
        let consumer = Arc::clone(&self.consumer);
        GrpcServer { db: self.db.clone(), verifier: self.realm.verifier(), consumer, push: None }
    }

    /// Another mailer over the same database.
    pub fn mailer(&self, transport: Transport) -> Arc<SendMails> {
        sender(&self.db, &self.directory, transport, Arc::new(Notify::new()))
    }

    /// Sends until nothing is due.
    pub async fn send_due(&self) {
        send_due(&self.send).await;
    }

    /// Ends every pause and every lease.
    pub async fn wait_over(&self) {
        self.execute("UPDATE mails SET next_try_at = clock_timestamp() WHERE status = 'queued'").await;
    }

    pub async fn execute(&self, sql: &'static str) {
        sqlx::query(sql).execute(&mut *self.db.conn().await.unwrap()).await.unwrap();
    }

    pub async fn rows(&self) -> Vec<Row> {
        sqlx::query_as(
            "SELECT id, template, user_id, address, status, tries, last_error,
                extract(epoch FROM next_try_at - clock_timestamp())::bigint AS seconds_left
             FROM mails ORDER BY id",
        )
        .fetch_all(&mut *self.db.conn().await.unwrap())
        .await
        .unwrap()
    }

    pub async fn row(&self) -> Row {
        let mut rows = self.rows().await;
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0)
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&mut *self.db.conn().await.unwrap()).await.unwrap()
    }
}

fn sender(db: &Db, directory: &Directory, transport: Transport, queued: Arc<Notify>) -> Arc<SendMails> {
    Arc::new(SendMails {
        db: db.clone(),
        directory: directory.clone(),
        renderer: Renderer::new(SITE, "Solvane", SUPPORT).unwrap(),
        sender: Sender::parse("Solvane <no-reply@solvane.test>").unwrap(),
        transport,
        queued,
    })
}

/// Sends until nothing is due; returns how many mails were tried.
pub async fn send_due(send: &SendMails) -> usize {
    let mut tried = 0;
    loop {
        let leased = send.lease(CONCURRENCY).await.unwrap();
        if leased.is_empty() {
            return tried;
        }
        tried += leased.len();
        join_all(leased.into_iter().map(|leased| send.deliver(leased))).await;
    }
}

pub fn event(key: &str, message: &impl prost::Message) -> Event {
    let at = time::macros::datetime!(2026-11-05 14:05 UTC);
    Event {
        id: Uuid::now_v7(),
        key: key.to_owned(),
        aggregate_id: Uuid::new_v4(),
        payload: message.encode_to_vec(),
        at,
    }
}
