//! A mailer with a push service, and a member with devices.

use std::collections::BTreeSet;
use std::sync::Arc;

use chassis::bus::{Event, Handler};
use chassis::id::{SessionId, UserId};
use chassis::identity::Session;
use chassis::testing::{session, with_token};
use mailer::app::send_pushes::{CONCURRENCY, SendPushes};
use mailer::domain::push::PushServices;
use mailer::grpc::GrpcServer;
use mailer::push::Push;
use mailer::push::keys::PushKeys;
use proto::mailer::v1::notice_service_server::NoticeService;
use proto::mailer::v1::{
    GetPushRequest, GetPushResponse, NoticeGroup, NoticePreferences, SetNoticePreferencesRequest, SubscribePushRequest,
};
use proto::wallet::v1 as wallet;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{SUPPORT, World, event};
use crate::push_service::{Browser, HOST, PushService, Received};

pub const TRANSACTION: &str = "1a2b3c4d-0000-4000-8000-000000000001";

/// A mailer, a push service, and a member.
pub struct Stage {
    pub world: World,
    pub service: PushService,
    pub send: SendPushes,
    pub grpc: GrpcServer,
    pub user_id: UserId,
}

/// One login of the member.
pub struct Login {
    pub session_id: SessionId,
    pub token: String,
}

impl Stage {
    pub async fn start(pool: PgPool) -> Self {
        let (world, service) = (World::start(pool).await, PushService::start().await);
        let push = Arc::new(push(&world, &service));
        let send = SendPushes { db: world.db.clone(), push: Arc::clone(&push) };
        let grpc = GrpcServer { push: Some(push), ..world.grpc() };
        Self { world, service, send, grpc, user_id: Uuid::new_v4().into() }
    }

    pub fn log_in_as(&self, user_id: UserId) -> Login {
        let session = Session { user_id, ..session(None) };
        Login { session_id: session.id, token: self.world.realm.sign_in(session) }
    }

    pub fn log_in(&self) -> Login {
        self.log_in_as(self.user_id)
    }

    pub async fn subscribe(&self, login: &Login, names: SubscribePushRequest) -> Result<(), Status> {
        self.grpc.subscribe_push(with_token(names, &login.token)).await.map(drop)
    }

    /// A login with a browser that gets the member's notices.
    pub async fn device(&self, path: &str) -> (Login, Browser) {
        let (login, browser) = (self.log_in(), Browser::new(path));
        self.subscribe(&login, browser.names()).await.unwrap();
        (login, browser)
    }

    pub async fn get(&self, login: &Login) -> GetPushResponse {
        self.grpc.get_push(with_token(GetPushRequest {}, &login.token)).await.unwrap().into_inner()
    }

    pub async fn turn_off(&self, login: &Login, group: NoticeGroup) -> Result<(), Status> {
        let preferences = Some(NoticePreferences { push_off: vec![group.into()], ..Default::default() });
        let request = SetNoticePreferencesRequest { preferences };
        self.grpc.set_notice_preferences(with_token(request, &login.token)).await.map(drop)
    }

    pub fn transaction(&self, key: &str) -> Event {
        let transaction = wallet::TransactionFacts {
            transaction_id: TRANSACTION.to_owned(),
            user_id: self.user_id.to_string(),
            r#type: "deposit".to_owned(),
            amount_cents: 25_000,
            reason: "The receipt of Ada is blurred".to_owned(),
            ..Default::default()
        };
        event(&format!("wallet.v1.{key}"), &wallet::DepositConfirmed { transaction: Some(transaction) })
    }

    pub async fn happens(&self, event: &Event) {
        self.world.consumer.handle(event).await.unwrap();
    }

    /// Sends what is due; returns what arrived.
    pub async fn sent(&self) -> Vec<Received> {
        loop {
            let leased = self.send.lease(CONCURRENCY).await.unwrap();
            if leased.is_empty() {
                return self.service.received();
            }
            for due in leased {
                self.send.deliver(due).await;
            }
        }
    }

    /// A deposit is confirmed; returns where that was sent.
    pub async fn paths(&self) -> BTreeSet<String> {
        self.happens(&self.transaction("deposit_confirmed")).await;
        self.sent().await.into_iter().map(|message| message.path).collect()
    }

    pub async fn wait_over(&self) {
        self.world.execute("UPDATE pushes SET next_try_at = clock_timestamp()").await;
    }

    pub async fn subscriptions(&self) -> i64 {
        self.world.count("SELECT count(*) FROM push_subscriptions").await
    }

    pub async fn queued(&self) -> i64 {
        self.world.count("SELECT count(*) FROM pushes").await
    }
}

pub fn push(world: &World, service: &PushService) -> Push {
    Push {
        keys: PushKeys::read(&world.realm.folder().join("push.key")).unwrap(),
        services: PushServices::parse(&[HOST.to_owned()]).unwrap(),
        http: service.client(),
        subject: format!("mailto:{SUPPORT}"),
    }
}
