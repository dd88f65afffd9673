//! Signed roots: each minute, a digest of the service's audit log, and for the wallet also of its postings, is written
//! to a write-once store outside the database. Data that is later truncated, backdated or rewritten, with any database
//! role, no longer extends the newest root. A failed export stops nothing: the metric `roots_exported_at` falls behind,
//! which raises an alert.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::audit;
use crate::clock;
use crate::db::{Db, PgConnection};
use crate::hex::to_hex;
use crate::keys::SigningKey;

/// The audience of signed roots.
pub const AUDIENCE: &str = "roots";
/// How often a root is written.
const EVERY: Duration = Duration::from_secs(60);
/// A younger root of another process of the service is enough.
const RECENT_SECONDS: i64 = 45;
/// A root proves something for as long as it is kept.
const LIFE_SECONDS: i64 = 100 * 365 * 24 * 3_600;

/// What the books of a service came to at a moment: the claims of a JWT that the service signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Name of the service that signed it.
    pub iss: String,
    /// Name of the service it is about: the same.
    pub sub: String,
    /// Always [`AUDIENCE`].
    pub aud: String,
    /// When it was signed, by the database's clock, in seconds.
    pub iat: i64,
    /// A century after `iat`: a root proves something for as long as it is kept.
    pub exp: i64,
    /// From 1, without a gap.
    pub number: u64,
    /// SHA-256 of the signed root before, in hexadecimal; empty for the first.
    pub previous: String,
    /// Id of the newest row of the audit log; rows are numbered from 1, so it is their count too.
    pub audit_rows: i64,
    /// That row's hash in the chain, in hexadecimal.
    pub audit_hash: String,
    /// The wallet's journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalHead>,
    /// Those of the further buckets of members, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journals: Vec<JournalHead>,
    /// The wallet's newest proof of liabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liabilities: Option<PublishedRoot>,
}

/// What a publication of liabilities came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct PublishedRoot {
    /// Id of the publication.
    pub id: i64,
    /// Digest of the root of its tree, in hexadecimal.
    pub root: String,
    /// What members were owed.
    pub total_cents: i64,
}

/// How far a journal goes and what it comes to: postings in the order of (transaction, id), those without one first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    /// Transaction of the last posting; `0` for none.
    pub xid: String,
    /// Id of the last posting.
    pub id: i64,
    /// Postings so far.
    pub postings: i64,
    /// SHA-256 over the digest before, in hexadecimal, and the hash of the posting, for one posting after the other.
    pub digest: String,
}

/// A root as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What it says; to be believed once the signature is verified.
    pub root: Root,
    /// The signed JWT as exported.
    pub text: String,
}

/// What roots cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// The audit log.
    AuditLog,
    /// The audit log, the journal of postings, and the proof of liabilities.
    Journal,
}

/// Writes the roots of one service.
pub struct Exporter {
    /// Name of the service, and of its folder in the store.
    pub service: &'static str,
    /// Database whose rows are covered.
    pub db: Db,
    /// Where roots go.
    pub store: Arc<dyn ObjectStore>,
    /// The service's key.
    pub key: SigningKey,
    /// What its roots cover.
    pub covers: Covers,
}

/// The signed roots of a service in a folder's order, the newest day only or all.
///
/// # Errors
/// If the store cannot be read or holds something else.
pub async fn read(store: &dyn ObjectStore, service: &str, newest_day: bool) -> anyhow::Result<Vec<Signed>> {
    let folder = Path::from(service);
    let mut days = store.list_with_delimiter(Some(&folder)).await?.common_prefixes;
    days.sort_unstable();
    if newest_day {
        days.drain(..days.len().saturating_sub(1));
    }
    let mut roots = Vec::new();
    for day in days {
        let mut files: Vec<_> = store.list(Some(&day)).map_ok(|file| file.location).try_collect().await?;
        files.sort_unstable();
        if newest_day {
            files.drain(..files.len().saturating_sub(1));
        }
        for file in files {
            let bytes = store.get(&file).await?.bytes().await?;
            roots.push(Signed::parse(&bytes).with_context(|| format!("{file} is no root"))?);
        }
    }
    Ok(roots)
}

/// A posting of the journal.
#[derive(Debug, Clone, FromRow)]
pub struct JournalPosting {
    /// Id of the transaction that wrote it; `0` for those from before the column.
    pub xid: String,
    /// Ascends within a transaction.
    pub id: i64,
    /// SHA-256 over its header and its entries.
    pub hash: Vec<u8>,
}

/// Postings with their hashes, of the rows of `taken` and the entries that a condition selects.
macro_rules! postings {
    ($with:literal, $entries:literal, $order:literal) => {
        concat!(
            $with,
            " SELECT coalesce(taken.xid, '0')::text AS xid, taken.id, sha256(int8send(taken.id)
                || convert_to(taken.kind, 'UTF8') || uuid_send(taken.business_id) || uuid_send(taken.user_id)
                || coalesce(uuid_send(taken.transaction_id), '') || timestamptz_send(taken.created_at)
                || coalesce(moved.entries, '')) AS hash
            FROM taken LEFT JOIN (
                SELECT posting_id, string_agg(int8send(account_id) || int8send(amount_cents)
                    || int8send(balance_after_cents) || hash, '' ORDER BY account_id) AS entries
                FROM entries ",
            $entries,
            " GROUP BY posting_id) AS moved ON moved.posting_id = taken.id ",
            $order
        )
    };
}

/// Of the time before postings had a transaction.
const OLDER: &str = postings!(
    "WITH taken AS MATERIALIZED (SELECT xid, id, kind, business_id, user_id, transaction_id, created_at FROM postings
        WHERE xid IS NULL AND id > $1 ORDER BY id LIMIT $2)",
    "WHERE posting_id BETWEEN (SELECT min(id) FROM taken) AND (SELECT max(id) FROM taken)",
    "ORDER BY taken.id"
);
/// The complete ones after a transaction and id.
const NEXT: &str = postings!(
    "WITH taken AS MATERIALIZED (SELECT xid, id, kind, business_id, user_id, transaction_id, created_at FROM postings
        WHERE (xid, id) > ($1::xid8, $2) AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, id LIMIT $3)",
    "WHERE posting_id BETWEEN (SELECT min(id) FROM taken) AND (SELECT max(id) FROM taken)",
    "ORDER BY taken.xid, taken.id"
);
/// Every posting in the order of the journal, for who verifies it.
pub const JOURNAL: &str = postings!(
    "WITH taken AS (SELECT xid, id, kind, business_id, user_id, transaction_id, created_at FROM postings)",
    "",
    "ORDER BY coalesce(taken.xid, '0'), taken.id"
);
/// Every proof of liabilities that was published, the newest first.
pub const PUBLISHED: &str = "SELECT id, encode(root, 'hex') AS root, total_cents FROM liability_publications
    WHERE published_at IS NOT NULL ORDER BY at DESC";
/// The newest of them.
const PUBLISHED_LAST: &str = "SELECT id, encode(root, 'hex') AS root, total_cents FROM liability_publications
    WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1";

/// Postings a statement.
const TAKEN: i64 = 5_000;

// === impl Signed ===

impl Signed {
    fn parse(bytes: &[u8]) -> anyhow::Result<Self> {
        let text = std::str::from_utf8(bytes)?.trim().to_owned();
        let root = jsonwebtoken::dangerous::insecure_decode::<Root>(&text)?.claims;
        Ok(Self { root, text })
    }

    /// SHA-256 of the signed text, by which the next root names it.
    #[must_use]
    pub fn hash(&self) -> String {
        to_hex(&Sha256::digest(&self.text))
    }
}

// === impl JournalHead ===

impl JournalHead {
    /// Of an empty journal.
    #[must_use]
    pub fn empty() -> Self {
        Self { xid: "0".to_owned(), id: 0, postings: 0, digest: String::new() }
    }

    /// Takes the next posting into it.
    pub fn take(&mut self, posting: JournalPosting) {
        let digest = Sha256::new().chain_update(&self.digest).chain_update(&posting.hash).finalize();
        *self = Self { xid: posting.xid, id: posting.id, postings: self.postings + 1, digest: to_hex(&digest) };
    }

    /// Takes every complete posting after it into it, a few at a time.
    async fn extend(mut self, conn: &mut PgConnection) -> Result<Self, sqlx::Error> {
        while self.xid == "0" {
            // unchecked: the postings are tables of the wallet alone, whose schema this crate is not checked against
            let older: Vec<JournalPosting> =
                sqlx::query_as(OLDER).bind(self.id).bind(TAKEN).fetch_all(&mut *conn).await?;
            let is_last = older.len() < TAKEN as usize;
            older.into_iter().for_each(|posting| self.take(posting));
            if is_last {
                break;
            }
        }
        let mut after = if self.xid == "0" { ("0".to_owned(), 0) } else { (self.xid.clone(), self.id) };
        loop {
            // unchecked: as above
            let next: Vec<JournalPosting> =
                sqlx::query_as(NEXT).bind(&after.0).bind(after.1).bind(TAKEN).fetch_all(&mut *conn).await?;
            if next.is_empty() {
                return Ok(self);
            }
            next.into_iter().for_each(|posting| self.take(posting));
            after = (self.xid.clone(), self.id);
        }
    }
}

// === impl Exporter ===

impl Exporter {
    /// Exports every minute until shutdown.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            match self.export().await {
                Ok(at) => metrics::gauge!("roots_exported_at").set(u32::try_from(at).unwrap_or(u32::MAX)),
                Err(error) => tracing::warn!(error = %format!("{error:#}"), "could not export the signed root"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// Writes the next root, unless another process has just written one. Returns when the newest was written.
    ///
    /// # Errors
    /// The database's and the store's.
    pub async fn export(&self) -> anyhow::Result<i64> {
        let last = read(&*self.store, self.service, true).await?.pop();
        let mut conn = self.db.conn().await?;
        let now = clock::now(&mut conn).await?;
        if let Some(last) = last.as_ref().filter(|last| now.unix_timestamp() - last.root.iat < RECENT_SECONDS) {
            return Ok(last.root.iat);
        }
        let root = self.next(&mut conn, last.as_ref(), now).await?;
        drop(conn);
        let day = now.date().max(last.map_or(now.date(), |last| last.root.day()));
        let path = Path::from(format!("{}/{day}/{:010}.jwt", self.service, root.number));
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&path, self.key.sign(&root)?.into(), options).await {
            // Another process was faster.
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(root.iat),
            Err(error) => Err(error.into()),
        }
    }

    async fn next(&self, conn: &mut PgConnection, last: Option<&Signed>, now: OffsetDateTime) -> anyhow::Result<Root> {
        let (audit_rows, hash) = audit::newest(conn).await?.unwrap_or_default();
        let mut journals = Vec::new();
        if self.covers == Covers::Journal {
            for bucket in 0..conn.buckets() {
                let before = last.and_then(|last| last.root.journal_of(bucket)).cloned();
                conn.enter(bucket).await?;
                journals.push(before.unwrap_or_else(JournalHead::empty).extend(conn).await?);
            }
            conn.enter(conn.home()).await?;
        }
        let mut journals = journals.into_iter();
        let liabilities = match self.covers {
            // unchecked: a table of the wallet alone, as the postings
            Covers::Journal => sqlx::query_as(PUBLISHED_LAST).fetch_optional(&mut *conn).await?,
            Covers::AuditLog => None,
        };
        Ok(Root {
            iss: self.service.to_owned(),
            sub: self.service.to_owned(),
            aud: AUDIENCE.to_owned(),
            iat: now.unix_timestamp(),
            exp: now.unix_timestamp() + LIFE_SECONDS,
            number: last.map_or(1, |last| last.root.number + 1),
            previous: last.map(Signed::hash).unwrap_or_default(),
            audit_rows,
            audit_hash: to_hex(&hash),
            journal: journals.next(),
            journals: journals.collect(),
            liabilities,
        })
    }
}

impl Root {
    /// The journal of a bucket.
    #[must_use]
    pub fn journal_of(&self, bucket: u16) -> Option<&JournalHead> {
        bucket.checked_sub(1).map_or(self.journal.as_ref(), |place| self.journals.get(usize::from(place)))
    }

    fn day(&self) -> time::Date {
        OffsetDateTime::from_unix_timestamp(self.iat).unwrap_or(OffsetDateTime::UNIX_EPOCH).date()
    }
}
