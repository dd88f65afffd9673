//! The wallet's ledger: a keyed transfer with its posting, two chained entries, two balances, the stored response and
//! an event.

use chassis::id::MemberId;
use std::sync::Arc;

use anyhow::{Result, ensure};
use audit::checks::checks;
use chassis::db::Db;
use chassis::idempotency::Claim;
use chassis::money::Cents;
use proto::common::v1::Idempotency;
use stack::Service;
use uuid::Uuid;
use wallet::SCHEMA;
use wallet::app::trade::fund_trade::{FundTrade, fund_trade};
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::events::published;
use wallet::posting::ledger::Ledger;
use wallet::posting::{Movement, Posting, post};

use crate::cpu::Server;
use crate::databases;
use crate::measure::{Sample, drive};

/// Members that move money.
const MEMBERS: usize = 10_000;
/// Only the invariants of the ledger; the others are about transactions and requests, which a bare transfer does not
/// have.
const PROMISES: [&str; 6] = ["L1", "L2", "L3", "L4", "L5", "L7"];

/// Permits transfers between any accounts without a cause, because those of the peers have none.
pub const TRANSFERS: &str = "INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits)
    SELECT 'transfer', 'unchecked', NULL, '', kinds, kinds
    FROM (SELECT array_agg(DISTINCT kind) || '{available,held,bonus,invested}' AS kinds FROM accounts) AS x";

/// The measured operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A transfer between two members.
    Spread,
    /// A transfer to a platform account.
    Hot,
    /// The use case of a new trade: also a transaction and a funding, but no key.
    Fund,
}

/// A wallet's database with members who have money.
#[derive(Clone)]
pub struct Books {
    db: Db,
    ledger: Ledger,
    members: Arc<Vec<MemberId>>,
}

impl Books {
    /// Makes its database on the server.
    pub async fn new(server_url: &str, name: &str) -> Result<Self> {
        let url = databases::create(server_url, name).await?;
        chassis::db::migrate_url(&url, SCHEMA).await?;
        let db = Db::connect_lazy(&url, 8)?;
        sqlx::raw_sql(TRANSFERS).execute(&mut *db.conn().await?).await?;
        let members: Vec<MemberId> = (0..MEMBERS).map(|_| Uuid::new_v4().into()).collect();
        for some in members.chunks(500) {
            let deposits: Vec<_> = some
                .iter()
                .map(|member| {
                    let (from, to) = (AccountRef::House(HouseAccount::Settlement), AccountRef::available(*member));
                    let cause = Cause::Unchecked(Uuid::new_v4());
                    Posting::transfer(PostingKind::Transfer, cause, *member, (from, to), Cents::new(100_000_000))
                })
                .collect::<Result<_, _>>()?;
            let mut tx = db.begin().await?;
            post(&mut tx, &deposits).await?;
            tx.commit().await?;
        }
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut *db.conn().await?).await?;
        let (ledger, writer) = Ledger::new(db.clone());
        tokio::spawn(writer);
        Ok(Self { db, ledger, members: Arc::new(members) })
    }

    /// Runs the operation for the given time.
    pub async fn work(&self, server: &Server, at_once: usize, seconds: u64, work: Work) -> Result<Sample> {
        let books = self.clone();
        let before = self.count("SELECT count(*) FROM postings").await?;
        let sample = drive(server, at_once, seconds, move || {
            let books = books.clone();
            async move { books.one(work).await }
        })
        .await?;
        let posted = self.count("SELECT count(*) FROM postings").await? - before;
        ensure!(posted == sample.done as i64, "{} were acknowledged, {posted} are posted", sample.done);
        Ok(sample)
    }

    /// Posts until the ledger has this many entries.
    pub async fn grow(&self, entries: i64) -> Result<()> {
        while self.count("SELECT 2 * count(*) FROM postings").await? < entries {
            for _ in 0..20 {
                let mut postings = Vec::with_capacity(1_000);
                for _ in 0..1_000 {
                    let (from, to) = (rand::random_range(0..MEMBERS), rand::random_range(1..MEMBERS));
                    let (from, to) = (self.members[from], self.members[(from + to) % MEMBERS]);
                    let accounts = (AccountRef::available(from), AccountRef::available(to));
                    let id = Uuid::new_v4();
                    let cause = Cause::Unchecked(id);
                    postings.push(Posting::transfer(PostingKind::Transfer, cause, from, accounts, Cents::new(1))?);
                }
                let mut tx = self.db.begin().await?;
                post(&mut tx, &postings).await?;
                tx.commit().await?;
            }
        }
        let mut conn = databases::patient(&self.db).await?;
        for sql in ["VACUUM ANALYZE", "CHECKPOINT"] {
            sqlx::raw_sql(sql).execute(&mut *conn).await?;
        }
        Ok(())
    }

    async fn one(&self, work: Work) -> Result<()> {
        let at = rand::random_range(0..MEMBERS);
        let (user_id, id) = (self.members[at], Uuid::new_v4());
        if work == Work::Fund {
            let plan_title = "Growth".to_owned();
            fund_trade(&self.ledger, &FundTrade { trade_id: id.into(), user_id, amount: Cents::new(1), plan_title }).await?;
            return Ok(());
        }
        let other = self.members[(at + rand::random_range(1..MEMBERS)) % MEMBERS];
        let house = AccountRef::House(HouseAccount::CourseRevenue);
        let to = if work == Work::Hot { house } else { AccountRef::available(other) };
        let key = Idempotency { key: id.to_string(), route: "POST /v1/transfer".to_owned(), fingerprint: vec![7; 32] };
        let claim = Claim::of(user_id, Some(&key), "bench")?;
        let movement = Movement {
            user_id,
            postings: vec![Posting::transfer(
                PostingKind::Transfer,
                Cause::Unchecked(id),
                user_id,
                (AccountRef::available(user_id), to),
                Cents::new(1),
            )?],
            events: vec![published::trade_funded(id.into(), user_id)],
            ..Movement::default()
        };
        self.ledger.post(movement, claim, ()).await?;
        Ok(())
    }

    async fn count(&self, sql: &'static str) -> Result<i64> {
        Ok(sqlx::query_scalar(sql).fetch_one(&mut *self.db.conn().await?).await?)
    }

    /// The violated invariants of the ledger; must be empty.
    pub async fn check(&self) -> Result<()> {
        let mut conn = databases::patient(&self.db).await?;
        for check in checks().filter(|check| check.database == Service::Wallet && PROMISES.contains(&check.ids)) {
            let broken: Vec<String> = sqlx::query_scalar(check.offending).fetch_all(&mut *conn).await?;
            ensure!(broken.is_empty(), "{} ({}) does not hold: {:?}", check.promise, check.ids, broken.first());
        }
        Ok(())
    }
}
