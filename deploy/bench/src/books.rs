//! The wallet's ledger: a keyed transfer with its posting, two chained entries, two balances, the stored response and
//! an event.

use std::ops::Range;
use std::sync::Arc;

use anyhow::{Result, ensure};
use audit::checks::checks;
use chassis::db::{Buckets, Db};
use chassis::id::MemberId;
use chassis::idempotency::Claim;
use chassis::money::Cents;
use proto::common::v1::Idempotency;
use stack::Service;
use uuid::Uuid;
use wallet::app::trade::fund_trade::{FundTrade, fund_trade};
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::bucket::assigned;
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::events::published;
use wallet::posting::ledger::Ledger;
use wallet::posting::{Movement, Posting, post};
use wallet::{BUCKETED, SCHEMA};

use crate::cpu::Server;
use crate::databases;
use crate::measure::{Sample, drive};

/// Members that move money.
const MEMBERS: usize = 10_000;
/// Connections to the database; each of several buckets has at least four.
const CONNECTIONS: u32 = 8;
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
    buckets: Arc<Vec<Bucket>>,
}

struct Bucket {
    db: Db,
    ledger: Ledger,
    members: Vec<MemberId>,
}

impl Books {
    /// Makes its database on the server, with the members in this many buckets.
    pub async fn new(server_url: &str, name: &str, count: u16) -> Result<Self> {
        let url = databases::create(server_url, name).await?;
        let pool = chassis::db::administer(&url).await?;
        chassis::db::add_buckets(&pool, SCHEMA, buckets(count)).await?;
        chassis::db::open_buckets(&pool, buckets(count)).await?;
        let mut members: Vec<Vec<MemberId>> = vec![Vec::new(); count.into()];
        for member in (0..MEMBERS).map(|_| Uuid::new_v4().into()) {
            members[usize::from(assigned(member, count))].push(member);
        }
        for (db, members) in Db::connect_buckets(&url, CONNECTIONS, buckets(count))?.into_iter().zip(members) {
            fill(&db, &members).await?;
        }
        Self::open(&url, count, 0..count).await
    }

    /// Opens some of the buckets of a database that has this many.
    pub async fn open(url: &str, count: u16, some: Range<u16>) -> Result<Self> {
        let mut opened = Vec::new();
        for db in Db::connect_buckets(url, CONNECTIONS, buckets(count))? {
            let bucket = db.home().bucket;
            if some.contains(&bucket) {
                let ids: Vec<Uuid> = sqlx::query_scalar("SELECT user_id FROM member_buckets WHERE bucket = $1")
                    .bind(i32::from(bucket))
                    .fetch_all(&mut *db.conn().await?)
                    .await?;
                let members = ids.into_iter().map(MemberId::from).collect();
                let (ledger, writer) = Ledger::new(db.clone());
                tokio::spawn(writer);
                opened.push(Bucket { db, ledger, members });
            }
        }
        Ok(Self { buckets: Arc::new(opened) })
    }

    /// Runs the operation for the given time.
    pub async fn work(&self, server: &Server, at_once: usize, seconds: u64, work: Work) -> Result<Sample> {
        let books = self.clone();
        let before = self.postings().await?;
        let sample = drive(server, at_once, seconds, move || {
            let books = books.clone();
            async move { books.buckets[rand::random_range(0..books.buckets.len())].one(work).await }
        })
        .await?;
        let posted = self.postings().await? - before;
        ensure!(posted == sample.done as i64, "{} were acknowledged, {posted} are posted", sample.done);
        Ok(sample)
    }

    /// Posts until the ledger has this many entries.
    pub async fn grow(&self, entries: i64) -> Result<()> {
        while 2 * self.postings().await? < entries {
            for bucket in &*self.buckets {
                for _ in 0..20 {
                    bucket.post_many(1_000).await?;
                }
            }
        }
        for bucket in &*self.buckets {
            let mut conn = databases::patient(&bucket.db).await?;
            for sql in ["VACUUM ANALYZE", "CHECKPOINT"] {
                sqlx::raw_sql(sql).execute(&mut *conn).await?;
            }
        }
        Ok(())
    }

    async fn postings(&self) -> Result<i64> {
        let mut sum = 0;
        for bucket in &*self.buckets {
            let mut conn = bucket.db.conn().await?;
            sum += sqlx::query_scalar::<_, i64>("SELECT count(*) FROM postings").fetch_one(&mut *conn).await?;
        }
        Ok(sum)
    }

    /// The violated invariants of the ledger; must be empty.
    pub async fn check(&self) -> Result<()> {
        for bucket in &*self.buckets {
            let mut conn = databases::patient(&bucket.db).await?;
            for check in checks().filter(|check| check.database == Service::Wallet && PROMISES.contains(&check.ids)) {
                let broken: Vec<String> = sqlx::query_scalar(check.offending).fetch_all(&mut *conn).await?;
                ensure!(broken.is_empty(), "{} ({}) does not hold: {:?}", check.promise, check.ids, broken.first());
            }
        }
        Ok(())
    }
}

const fn buckets(count: u16) -> Buckets {
    Buckets { name: BUCKETED.name, count }
}

/// Gives members money.
async fn fill(db: &Db, members: &[MemberId]) -> Result<()> {
    sqlx::raw_sql(TRANSFERS).execute(&mut *db.conn().await?).await?;
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
    Ok(())
}

impl Bucket {
    /// Two different members.
    fn pair(&self) -> (MemberId, MemberId) {
        let count = self.members.len();
        let (at, step) = (rand::random_range(0..count), rand::random_range(1..count));
        (self.members[at], self.members[(at + step) % count])
    }

    async fn post_many(&self, count: usize) -> Result<()> {
        let mut postings = Vec::with_capacity(count);
        for _ in 0..count {
            let (from, to) = self.pair();
            let accounts = (AccountRef::available(from), AccountRef::available(to));
            let cause = Cause::Unchecked(Uuid::new_v4());
            postings.push(Posting::transfer(PostingKind::Transfer, cause, from, accounts, Cents::new(1))?);
        }
        let mut tx = self.db.begin().await?;
        post(&mut tx, &postings).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn one(&self, work: Work) -> Result<()> {
        let ((user_id, other), id) = (self.pair(), Uuid::new_v4());
        if work == Work::Fund {
            let plan_title = "Growth".to_owned();
            fund_trade(&self.ledger, &FundTrade { trade_id: id.into(), user_id, amount: Cents::new(1), plan_title })
                .await?;
            return Ok(());
        }
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
}
