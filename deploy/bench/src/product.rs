//! The whole product from its release binaries, with members who have a session and money.

use chassis::id::MemberId;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use audit::checks::{EVERYWHERE, checks};
use chassis::db::{Db, Tx};
use chassis::identity::{Confirmation, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims};
use chassis::keys::SigningKey;
use chassis::money::Cents;
use play::client::Client;
use play::seed;
use play::testing;
use serde_json::json;
use sqlx::types::time::OffsetDateTime;
use stack::servers::DatabaseServer;
use stack::{Service, Settings, Stack};
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::posting::{Posting, post};

use crate::cpu::Server;
use crate::databases;

/// What every member has.
const BALANCE: Cents = Cents::new(1_000_000);
/// What the operator holds, in dollars: enough for a million members, and as much as one movement may name.
const HELD_DOLLARS: u64 = 9_999_999_999;
/// The invariants that can be checked with this many rows.
const PROMISES: [&str; 9] = ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L9", "L12"];
/// Invariants that the audit checks row by row (L11, Q2, L9), in one query.
const TOLD: (&str, &str) = (
    "every withdrawal has its hold, its event and its answer, once",
    "SELECT format('withdrawal %s', id) FROM transactions
     FULL JOIN (SELECT business_id AS id, count(*) AS holds FROM postings WHERE kind = 'withdrawal_hold' GROUP BY 1)
        AS held USING (id)
     FULL JOIN (SELECT aggregate_id AS id, count(*) AS events FROM outbox WHERE key = 'wallet.v1.withdrawal_requested' GROUP BY 1)
        AS told USING (id)
     FULL JOIN (SELECT (outcome #>> '{ok,id}')::uuid AS id, count(*) AS answers FROM idempotency_keys GROUP BY 1)
        AS kept USING (id)
     WHERE (kind = 'withdrawal' OR kind IS NULL) AND (holds, events, answers) IS DISTINCT FROM (1, 1, 1)",
);
/// Has the format of a hash, but matches no password.
const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A running product.
pub struct Product {
    pub stack: Stack,
    /// The platform method of the withdrawals.
    pub method: String,
    /// The wallet's database, as the wallet.
    pub wallet: Db,
    auth: Db,
    key: SigningKey,
    gateway_key: SigningKey,
    port: u16,
}

/// A logged-in member.
pub struct Member {
    pub id: Uuid,
    /// The session's token.
    pub token: String,
    /// What the gateway signs for the wallet on the member's behalf, for as long as the token lives.
    pub asserted: String,
}

impl Product {
    /// Starts it on an existing PostgreSQL, with a private RabbitMQ.
    pub async fn start(folder: &Path, server_url: &str) -> Result<Self> {
        let settings = Settings { databases: DatabaseServer::At(server_url.to_owned()), ..testing::settings(folder)? };
        let port = settings.port;
        let stack = Stack::start(settings).await?;
        seed::people_and_methods(&stack).await?;
        // Without it, withdrawals are paused as soon as the solvency is looked at.
        let (one, other) = seed::pair(&Client::new(stack.url()).patient(), "treasurer").await?;
        seed::pay_in((&one, &other), HELD_DOLLARS).await?;
        let key = SigningKey::read(&stack.folder().join("keys/token.key"))?;
        let gateway_key = SigningKey::read(&stack.folder().join("keys/gateway.key"))?;
        let wallet = Db::connect_lazy(&stack.databases().url(Service::Wallet)?, 4)?;
        let auth = Db::connect_lazy(&stack.databases().url(Service::Auth)?, 1)?;
        let mut product = Self { stack, method: String::new(), wallet, auth, key, gateway_key, port };
        product.method = product.evm_method().await?;
        Ok(product)
    }

    /// Where the gateway listens.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// CPU of a service.
    pub fn server(&self, service: Service) -> Result<Server> {
        Ok(Server::with(self.stack.process(service)?.id()))
    }

    async fn evm_method(&self) -> Result<String> {
        let member = self.members(1).await?.pop().context("a member")?;
        let client = Client::new(self.stack.url()).with_token(&member.token);
        let methods = client.get("/payment-methods").await?.success()?;
        let mut methods = methods["paymentMethods"].as_array().context("methods")?.iter();
        let found = methods.find(|method| method["network"] == "ERC20").context("a seeded method")?;
        Ok(found["id"].as_str().context("a method has an id")?.to_owned())
    }

    /// Creates members, each with a recently used session and money from an adjustment, so that the ledger stays
    /// consistent.
    pub async fn members(&self, count: usize) -> Result<Vec<Member>> {
        self.members_with(count, None).await
    }

    /// The same, with sessions that are bound to a key.
    pub async fn members_with(&self, count: usize, key: Option<Confirmation>) -> Result<Vec<Member>> {
        let ids: Vec<Uuid> = (0..count).map(|_| Uuid::new_v4()).collect();
        let sessions: Vec<Uuid> = (0..count).map(|_| Uuid::new_v4()).collect();
        for (ids, sessions) in ids.chunks(1_000).zip(sessions.chunks(1_000)) {
            self.sign_in(ids, sessions).await?;
            self.give_money(ids).await?;
        }
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let members = ids.into_iter().zip(sessions).map(|(id, sid)| {
            let claims = MemberClaims {
                iss: MEMBER_ISSUER.to_owned(),
                aud: MEMBER_AUDIENCE.to_owned(),
                sub: id.into(),
                sid: sid.into(),
                exp: now + 1_800,
                iat: now,
                jti: Uuid::new_v4(),
                cnf: key.clone(),
            };
            let asserted =
                json!({ "iss": "gateway", "aud": "wallet", "sub": id, "sid": sid, "exp": claims.exp, "iat": now });
            Ok(Member { id, token: self.key.sign(&claims)?, asserted: self.gateway_key.sign(&asserted)? })
        });
        members.collect()
    }

    async fn sign_in(&self, ids: &[Uuid], sessions: &[Uuid]) -> Result<()> {
        let mut tx = self.auth.begin().await?;
        tx.allow(databases::PATIENCE);
        sqlx::query(
            "INSERT INTO users (id, name, email, phone, country, password_hash, created_at, verified_at)
             SELECT id, 'Mia Member', id || '@example.test', '+1 555 0100', 'Germany', $2, clock_timestamp(), clock_timestamp()
             FROM unnest($1::uuid[]) AS id",
        )
        .bind(ids)
        .bind(NO_PASSWORD)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
             SELECT id, user_id, now(), now(), now() + interval '30 minutes', now() + interval '7 days', 'Bench', '127.0.0.1'
             FROM unnest($1::uuid[], $2::uuid[]) AS new (id, user_id)",
        )
        .bind(sessions)
        .bind(ids)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Marks an address of the method as confirmed for each member.
    pub async fn confirm(&self, members: &[Member], address: &str) -> Result<()> {
        for some in members.chunks(10_000) {
            let ids: Vec<Uuid> = some.iter().map(|member| member.id).collect();
            sqlx::query(
                "INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
                 SELECT member, 'USDT', 'ERC20', $2, '', 'code', now(), '' FROM unnest($1::uuid[]) AS member",
            )
            .bind(&ids)
            .bind(address)
            .execute(&mut *self.wallet.conn().await?)
            .await?;
        }
        Ok(())
    }

    /// Sets this password hash for all members.
    pub async fn set_password(&self, members: &[Member], hash: &str) -> Result<()> {
        let ids: Vec<Uuid> = members.iter().map(|member| member.id).collect();
        let sql = "UPDATE users SET password_hash = $2 WHERE id = ANY ($1)";
        sqlx::query(sql).bind(&ids).bind(hash).execute(&mut *self.auth.conn().await?).await?;
        Ok(())
    }

    /// Clears the counters of failed logins.
    pub async fn forget_tries(&self) -> Result<()> {
        sqlx::query("DELETE FROM login_throttles").execute(&mut *self.auth.conn().await?).await?;
        Ok(())
    }

    /// Posts one confirmed correction per member, as two treasurers would.
    async fn give_money(&self, ids: &[Uuid]) -> Result<()> {
        let proposals: Vec<Uuid> = ids.iter().map(|_| Uuid::now_v7()).collect();
        let lines: Vec<Uuid> = ids.iter().map(|_| Uuid::new_v4()).collect();
        // The service's role cannot decide anything without an audit row.
        let owner = self.owner(Service::Wallet)?;
        let mut tx = owner.begin().await?;
        tx.allow(databases::PATIENCE);
        for sql in [
            "INSERT INTO proposals (id, kind, subject_id, change, proposed_by)
             SELECT proposal, 'adjustment_credit', member, jsonb_build_object('kind', 'adjustment_credit', 'amount_cents', $4,
                'note', 'A present of the bench'), $5
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS new (proposal, member, line)",
            "UPDATE proposals SET status = 'confirmed', decided_by = gen_random_uuid(), decided_at = now()
             WHERE id = ANY ($1) AND $2::uuid[] IS NOT NULL AND $3::uuid[] IS NOT NULL AND $4::bigint > 0 AND proposed_by = $5",
            "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, created_at)
             SELECT line, member, 'adjustment', 'A present of the bench', 'success', 'credit', $4, now(), now()
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS new (proposal, member, line) WHERE $5::uuid IS NOT NULL",
        ] {
            sqlx::query(sql)
                .bind(&proposals)
                .bind(ids)
                .bind(&lines)
                .bind(BALANCE.get())
                .bind(Uuid::nil())
                .execute(&mut *tx)
                .await?;
        }
        // In the same transaction: the check of the ledger names a decision without its posting, and stops withdrawals.
        let given: Vec<_> = ids.iter().zip(proposals).zip(lines).collect();
        for some in given.chunks(500) {
            let from = AccountRef::House(HouseAccount::Adjustments);
            let credit = |((id, proposal), line): &((&Uuid, Uuid), Uuid)| -> Result<Posting> {
                let member = MemberId::new(**id);
                let (kind, way) = (PostingKind::AdjustmentCredit, (from, AccountRef::available(member)));
                let cause = Cause::Proposal((*proposal).into());
                Ok(Posting::transfer(kind, cause, member, way, BALANCE)?.shown_as((*line).into()))
            };
            let postings: Vec<Posting> = some.iter().map(credit).collect::<Result<_>>()?;
            post(&mut tx, &postings).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Vacuums the seeded tables, so that no measurement pays for it.
    pub async fn settle(&self) -> Result<()> {
        for service in [Service::Auth, Service::Wallet] {
            let db = self.owner(service)?;
            sqlx::raw_sql("VACUUM ANALYZE").execute(&mut *databases::patient(&db).await?).await?;
        }
        Ok(())
    }

    /// The database of a service, as its owner.
    fn owner(&self, service: Service) -> Result<Db> {
        Ok(Db::connect_lazy(&self.stack.databases().owner_url(service)?, 1)?)
    }

    /// Keeps the wallet from checking its ledger until the transaction ends.
    pub async fn pause_the_check(&self) -> Result<Tx> {
        let owner = self.owner(Service::Wallet)?;
        let mut tx = owner.begin().await?;
        let lock = "SET LOCAL idle_in_transaction_session_timeout = 0; SELECT FROM ledger_checks FOR UPDATE";
        sqlx::raw_sql(lock).execute(&mut *tx).await?;
        Ok(tx)
    }

    /// A number out of the wallet's database.
    pub async fn count(&self, sql: &'static str) -> Result<i64> {
        Ok(sqlx::query_scalar(sql).fetch_one(&mut *self.wallet.conn().await?).await?)
    }

    /// The violated invariants of the ledger and of withdrawals; must be empty.
    pub async fn check(&self) -> Result<()> {
        let owner = self.owner(Service::Wallet)?;
        let mut conn = databases::patient(&owner).await?;
        let checks = checks().chain(EVERYWHERE).filter(|check| check.database == Service::Wallet);
        let checks = checks.filter(|check| PROMISES.contains(&check.ids)).map(|check| (check.promise, check.offending));
        for (promise, offending) in checks.chain([TOLD]) {
            let broken: Vec<String> = sqlx::query_scalar(offending).fetch_all(&mut *conn).await?;
            ensure!(broken.is_empty(), "{promise}: not so for {:?}", broken.first());
        }
        Ok(())
    }
}

/// Shared by the connections of a load.
pub type Members = Arc<Vec<Member>>;
