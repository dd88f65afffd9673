//! A world for one test: database, wallet, members and staff.

use chassis::config::Tls;
use chassis::db::Db;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{self, REPLAYED};
use chassis::identity::Role;
use chassis::testing::{self, Realm, with_token};
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::Idempotency;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::trade_service_server::TradeService;
use proto::trade::v1::{
    ClaimTradeRequest, CloseTradeRequest, CreateTradeRequest, ListTradesRequest, ProposePlanRequest,
    ProposePlanValueRequest, Trade,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Response, Status};
use trade::MIGRATOR;
use trade::app::resume_trades::resume_trades;
use trade::clients::Wallet;
use trade::grpc::GrpcServer;
use uuid::Uuid;

use crate::wallet::FakeWallet;

pub struct World {
    pub db: Db,
    pub pool: PgPool,
    pub realm: Realm,
    pub wallet: FakeWallet,
    pub grpc: GrpcServer,
    pub managers: [String; 2],
}

#[derive(Clone)]
pub struct Member {
    pub id: Uuid,
    pub token: String,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        let db = testing::database(pool.clone(), &MIGRATOR).await;
        let realm = Realm::new();
        let wallet = FakeWallet::start(realm.verifier()).await;
        let client = Wallet::new(
            grpc::channel(testing::SERVICE, &wallet.url, &Tls::default()).unwrap(),
            realm.credential("trade"),
        );
        let grpc = GrpcServer { db: db.clone(), verifier: realm.verifier(), wallet: client };
        let managers = [realm.staff(Role::Manager).1, realm.staff(Role::Manager).1];
        Self { db, pool, realm, wallet, grpc, managers }
    }

    pub fn member(&self, cents: i64) -> Member {
        let (id, token) = self.realm.member();
        self.wallet.books().balances.insert(id.to_string(), cents);
        Member { id: id.get(), token }
    }

    pub fn balance(&self, member: &Member) -> i64 {
        self.wallet.books().balances[&member.id.to_string()]
    }

    /// A plan of $100 to $5,000 over 30 days, by two managers.
    pub async fn plan(&self) -> Uuid {
        self.propose_and_confirm_plan(plan_draft()).await
    }

    pub async fn propose_and_confirm_plan(&self, draft: ProposePlanRequest) -> Uuid {
        let proposed = self.grpc.propose_plan(with_token(draft, &self.managers[0])).await.unwrap();
        let id = proposed.into_inner().proposal.unwrap().id;
        self.confirm(&id, 1).await.unwrap().parse().unwrap()
    }

    /// Confirms as one of the managers; the subject's id.
    pub async fn confirm(&self, proposal_id: &str, manager: usize) -> Result<String, Status> {
        let message = ConfirmProposalRequest {
            proposal_id: proposal_id.to_owned(),
            client_address: "::1".to_owned(),
            ..Default::default()
        };
        let answer = self.grpc.proposals().confirm_proposal(with_token(message, &self.managers[manager])).await?;
        Ok(answer.into_inner().proposal.unwrap().subject_id)
    }

    /// Publishes a value from a moment on, or from now.
    pub async fn publish(&self, plan_id: Uuid, value_micros: i64, at: Option<OffsetDateTime>) {
        let draft = value_draft(plan_id, value_micros, at);
        let proposed = self.grpc.propose_plan_value(with_token(draft, &self.managers[0])).await.unwrap();
        self.confirm(&proposed.into_inner().proposal.unwrap().id, 1).await.unwrap();
    }

    /// A plan with the value 1.
    pub async fn valued_plan(&self) -> Uuid {
        let plan_id = self.plan().await;
        self.publish(plan_id, 1_000_000, None).await;
        plan_id
    }

    pub async fn create(
        &self,
        member: &Member,
        plan_id: Uuid,
        amount_cents: i64,
        key: Option<&str>,
    ) -> Result<Answered, Status> {
        let message = CreateTradeRequest {
            plan_id: plan_id.to_string(),
            amount_cents,
            idempotency: key.map(|key| idempotency("POST /v1/trades/create", key, &amount_cents.to_string())),
        };
        let answer = self.grpc.create_trade(with_token(message, &member.token)).await?;
        Ok(answered(answer, |message| message.trade))
    }

    pub async fn claim(&self, member: &Member, trade_id: &str, key: Option<&str>) -> Result<Answered, Status> {
        let idempotency = key.map(|key| idempotency("PUT /v1/trades/claim/{id}", key, trade_id));
        let message = ClaimTradeRequest { trade_id: trade_id.to_owned(), idempotency };
        let answer = self.grpc.claim_trade(with_token(message, &member.token)).await?;
        Ok(answered(answer, |message| message.trade))
    }

    pub async fn close(&self, member: &Member, trade_id: &str, key: Option<&str>) -> Result<Answered, Status> {
        let idempotency = key.map(|key| idempotency("DELETE /v1/trades/close/{id}", key, trade_id));
        let message = CloseTradeRequest { trade_id: trade_id.to_owned(), idempotency };
        let answer = self.grpc.close_trade(with_token(message, &member.token)).await?;
        Ok(answered(answer, |message| message.trade))
    }

    pub async fn trades(&self, member: &Member, include_ended: bool) -> Vec<Trade> {
        let request = with_token(ListTradesRequest { include_ended }, &member.token);
        self.grpc.list_trades(request).await.unwrap().into_inner().trades
    }

    /// Lets the time of every saga come, and the sweeper look.
    pub async fn sweep(&self) {
        sqlx::query("UPDATE trades SET resume_at = clock_timestamp() WHERE resume_at IS NOT NULL")
            .execute(&self.pool)
            .await
            .unwrap();
        resume_trades(&self.db, &self.grpc.wallet).await.unwrap();
    }

    /// Keys of the events written, in order.
    pub async fn events(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT key FROM outbox WHERE key <> 'trade.v1.plan_changed' ORDER BY id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// The state of every trade.
    pub async fn statuses(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT status FROM trades ORDER BY created_at").fetch_all(&self.pool).await.unwrap()
    }
}

/// A trade as answered, and the id of the first request if it was answered before.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub trade: Trade,
    pub replayed: bool,
}

fn answered<T>(response: Response<T>, trade: impl FnOnce(T) -> Option<Trade>) -> Answered {
    let replayed = response.metadata().contains_key(REPLAYED);
    Answered { trade: trade(response.into_inner()).unwrap(), replayed }
}

pub fn idempotency(route: &str, key: &str, body: &str) -> Idempotency {
    Idempotency { key: key.to_owned(), route: route.to_owned(), fingerprint: body.as_bytes().to_vec() }
}

pub fn plan_draft() -> ProposePlanRequest {
    ProposePlanRequest {
        plan_id: String::new(),
        title: "Starter".to_owned(),
        subtitle: "A first step".to_owned(),
        min_cents: 10_000,
        max_cents: 500_000,
        roi_basis_points: 1_250,
        duration_days: 30,
        active: true,
        client_address: "::1".to_owned(),
        idempotency: None,
        disclosure: None,
    }
}

pub fn value_draft(plan_id: Uuid, value_micros: i64, at: Option<OffsetDateTime>) -> ProposePlanValueRequest {
    ProposePlanValueRequest {
        plan_id: plan_id.to_string(),
        value_micros,
        at: at.map(chassis::clock::to_proto),
        source: "Exchange close".to_owned(),
        client_address: "::1".to_owned(),
        idempotency: None,
    }
}

/// What was said to a call that must be refused.
#[track_caller]
pub fn refused<T>(result: Result<T, Status>) -> Refusal {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(status) => from_status(&status),
    }
}

/// Whether the refusal was given before.
#[track_caller]
pub fn refused_before<T>(result: &Result<T, Status>) -> bool {
    result.as_ref().err().expect("refused").metadata().contains_key(REPLAYED)
}

/// The answer of a key once no earlier call with it is at work any more: the rollback of a call that only looked may
/// still be on its way to the database.
pub async fn settled<F: Future<Output = Result<Answered, Status>>>(call: impl Fn() -> F) -> Answered {
    for _ in 0..500 {
        match call().await {
            Err(status) if from_status(&status).code == "IDEMPOTENCY_KEY_IN_FLIGHT" => {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            other => return other.unwrap(),
        }
    }
    panic!("still in flight");
}
