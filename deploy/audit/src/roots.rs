//! Whether the databases extend what was written down about them outside.

use std::iter;
use std::path::Path;

use anyhow::Result;
use chassis::config::object_store;
use chassis::hex::to_hex;
use chassis::keys::{TrustedKeys, Use};
use chassis::roots::{self, AUDIENCE, JOURNAL, JournalHead, JournalPosting, PUBLISHED, PublishedRoot, Root, Signed};
use futures::TryStreamExt;
use sqlx::PgConnection;

use super::snapshots::{Snapshots, search};
use super::verdict::Verdict;
use stack::Service;
use stack::servers::databases::further_buckets;

/// One verdict for each database. A database without a single root is reported as broken.
pub(super) async fn verdicts(snapshots: &mut Snapshots, folder: &Path, keys: &TrustedKeys) -> Result<Vec<Verdict>> {
    let store = object_store(&format!("file://{}", folder.display()))?;
    let mut verdicts = Vec::new();
    for database in Service::services() {
        let written = roots::read(&*store, database.name(), false).await?;
        let mut offending = signatures(&written, keys, database.name());
        offending.extend(audit_log(&written, snapshots.of(database)?).await?);
        if database == Service::Wallet {
            offending.extend(journals(&written, snapshots.of(database)?).await?);
            offending.extend(liabilities(&written, snapshots.of(database)?).await?);
        }
        let promise = format!("{}: the books extend the newest of {} roots", database.name(), written.len());
        verdicts.push(Verdict::new("A10 D-B5", promise, offending));
    }
    Ok(verdicts)
}

/// The newest root is signed by its service, and each names the one before.
fn signatures(written: &[Signed], keys: &TrustedKeys, service: &str) -> Vec<String> {
    let Some(newest) = written.last() else { return vec!["no root was ever written".to_owned()] };
    let signed = keys.verify::<Root>(&newest.text, Use::Service, AUDIENCE).is_some_and(|(_, by)| by == service);
    let mut offending = Vec::new();
    if !signed {
        offending.push(format!("root {} is not signed by {service}", newest.root.number));
    }
    let (mut number, mut hash) = (1, String::new());
    for one in written {
        if one.root.number != number || one.root.previous != hash {
            offending.push(format!("root {} does not follow the root before it", one.root.number));
        }
        (number, hash) = (one.root.number + 1, one.hash());
    }
    offending
}

/// Every row of the audit log that a root names is there, with its hash.
async fn audit_log(written: &[Signed], connection: &mut PgConnection) -> Result<Vec<String>> {
    let ids: Vec<i64> = written.iter().map(|one| one.root.audit_rows).filter(|id| *id > 0).collect();
    let found: Vec<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT id, hash FROM audit_rows WHERE id = ANY ($1)").bind(ids).fetch_all(connection).await?;
    let kept: std::collections::HashMap<i64, String> =
        found.into_iter().map(|(id, hash)| (id, to_hex(&hash))).collect();
    let broken = written.iter().filter(|one| one.root.audit_rows > 0).filter_map(|one| {
        let (id, number) = (one.root.audit_rows, one.root.number);
        match kept.get(&id) {
            None => Some(format!("row {id} of the audit log, which root {number} names, is missing")),
            Some(hash) if *hash != one.root.audit_hash => {
                Some(format!("the audit log up to row {id} is another than root {number} names"))
            }
            Some(_) => None,
        }
    });
    Ok(broken.collect())
}

/// Every proof of liabilities that a root names is kept as it was published.
async fn liabilities(written: &[Signed], connection: &mut PgConnection) -> Result<Vec<String>> {
    let kept: Vec<PublishedRoot> = sqlx::query_as(PUBLISHED).fetch_all(connection).await?;
    let mut offending = Vec::new();
    let mut last = None;
    for one in written {
        let Some(named) = one.root.liabilities.as_ref().filter(|named| last != Some(named.id)) else { continue };
        last = Some(named.id);
        if !kept.contains(named) {
            let (id, number) = (named.id, one.root.number);
            offending.push(format!("publication {id} of liabilities is not kept as root {number} names it"));
        }
    }
    Ok(offending)
}

/// The journals of each root are the beginnings of those that are there, in every bucket.
async fn journals(written: &[Signed], connection: &mut PgConnection) -> Result<Vec<String>> {
    let path: String = sqlx::query_scalar("SHOW search_path").fetch_one(&mut *connection).await?;
    let mut offending = Vec::new();
    let further = further_buckets(connection).await?;
    // With buckets, the tables of all are in the path, and those of the first are in the schema of what they share.
    let first = if further.is_empty() { path.clone() } else { "public".to_owned() };
    let paths = iter::once(first).chain(further.into_iter().map(|schema| format!("{schema}, public")));
    for (bucket, path) in (0..).zip(paths) {
        search(connection, &path).await?;
        offending.extend(journal(written, bucket, connection).await?);
    }
    search(connection, &path).await?;
    Ok(offending)
}

async fn journal(written: &[Signed], bucket: u16, connection: &mut PgConnection) -> Result<Vec<String>> {
    let mut heads = written.iter().filter_map(|one| Some((one.root.number, one.root.journal_of(bucket)?))).peekable();
    let (mut head, mut checked) = (JournalHead::empty(), JournalHead::empty());
    let mut postings = sqlx::query_as::<_, JournalPosting>(JOURNAL).fetch(connection);
    loop {
        while let Some((number, named)) = heads.next_if(|(_, named)| named.postings <= head.postings) {
            if *named != head {
                return Ok(vec![format!(
                    "the postings after {} up to {}, which root {number} names, are others than at that time",
                    checked.id, named.id
                )]);
            }
            checked = head.clone();
        }
        let Some((number, named)) = heads.peek() else { return Ok(Vec::new()) };
        match postings.try_next().await? {
            Some(posting) => head.take(posting),
            None => {
                let (there, wanted) = (head.postings, named.postings);
                return Ok(vec![format!(
                    "root {number} names {wanted} postings up to {}, there are {there}",
                    named.id
                )]);
            }
        }
    }
}
