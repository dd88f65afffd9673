//! Verifies the invariants of the product from its databases: ledger, trades, requests, events, emails, sessions.
//! Read-only, in one snapshot per database.

pub mod checks;
pub mod reconcile;

mod across;

mod address_proofs;

mod decisions;
mod destinations;

mod nodes;

mod passkeys;

mod roots;

mod snapshots;

mod verdict;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use chassis::keys::TrustedKeys;
use futures::future::try_join_all;
use sqlx::PgConnection;

use self::checks::{Check, EVERYWHERE, checks};
use self::snapshots::Snapshots;
pub use self::snapshots::{Urls, connect};
pub use self::verdict::Verdict;
use stack::Service;

/// Evidence from outside the databases.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The file of the trusted public keys.
    pub trusted_keys: &'a Path,
    /// The folder of the signed roots.
    pub roots: Option<&'a Path>,
    /// Nodes of the chains, by the setting of payment-method that names them: payments are read again from these.
    pub nodes: Option<&'a BTreeMap<String, String>>,
}

/// Checks everything, including signatures and roots if there is evidence for them. Also returns the invariants that
/// hold.
///
/// # Errors
/// When a database cannot be read.
pub async fn audit(urls: &Urls, evidence: Option<&Evidence<'_>>) -> Result<Vec<Verdict>> {
    let keys = evidence.map(|evidence| TrustedKeys::read(evidence.trusted_keys)).transpose()?;
    let mut snapshots = Snapshots::take(urls).await?;
    let mut verdicts = check_all(&mut snapshots).await?;
    for service in Service::services() {
        for check in EVERYWHERE {
            let promise = format!("{}: {}", service.name(), check.promise);
            verdicts.push(check.verdict(promise, snapshots.of(service)?).await?);
        }
        verdicts.push(across::trail_is_unbroken(service, snapshots.of(service)?).await?);
    }
    verdicts.extend(across::verdicts(&mut snapshots).await?);
    verdicts.push(address_proofs::verdict(&mut snapshots).await?);
    verdicts.extend(decisions::verdicts(&mut snapshots, keys.as_ref()).await?);
    if let Some(keys) = &keys {
        verdicts.push(destinations::verdict(&mut snapshots, keys).await?);
    }
    if let Some(named) = evidence.and_then(|evidence| evidence.nodes) {
        verdicts.extend(nodes::verdicts(&mut snapshots, named).await?);
    }
    if let (Some(folder), Some(keys)) = (evidence.and_then(|evidence| evidence.roots), &keys) {
        verdicts.extend(roots::verdicts(&mut snapshots, folder, keys).await?);
    }
    Ok(verdicts)
}

/// Writes one line per invariant, and whether all hold.
///
/// # Errors
/// When it cannot be written.
pub fn report(out: &mut impl Write, verdicts: &[Verdict]) -> io::Result<bool> {
    for verdict in verdicts {
        let mark = if verdict.offending.is_empty() { "ok    " } else { "BROKEN" };
        writeln!(out, "{mark} [{}] {}", verdict.ids, verdict.promise)?;
        for row in &verdict.offending {
            writeln!(out, "         {row}")?;
        }
    }
    let broken = verdicts.iter().filter(|verdict| !verdict.offending.is_empty()).count();
    if broken == 0 {
        writeln!(out, "audit clean: {} checks", verdicts.len())?;
    } else {
        writeln!(out, "audit failed: {broken} of {} checks", verdicts.len())?;
    }
    Ok(broken == 0)
}

/// Every check of one database alone, in the order of [`checks`].
async fn check_all(snapshots: &mut Snapshots) -> Result<Vec<Verdict>> {
    let mut queues: HashMap<Service, VecDeque<_>> = HashMap::new();
    for (place, check) in checks().enumerate() {
        queues.entry(check.database).or_default().push_back((place, check));
    }
    let queues: HashMap<_, _> = queues.into_iter().map(|(service, queue)| (service, Mutex::new(queue))).collect();
    let checked =
        snapshots.all().filter_map(|(service, connection)| Some(check_in_turn(queues.get(&service)?, connection)));
    let mut all: Vec<_> = try_join_all(checked).await?.into_iter().flatten().collect();
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, verdict)| verdict).collect())
}

/// The verdicts of the checks that this connection takes from a queue, each with its place in [`checks`].
async fn check_in_turn(
    queue: &Mutex<VecDeque<(usize, &Check)>>,
    connection: &mut PgConnection,
) -> Result<Vec<(usize, Verdict)>> {
    let mut verdicts = Vec::new();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((place, check)) = next else { return Ok(verdicts) };
        verdicts.push((place, check.verdict(check.promise.to_owned(), connection).await?));
    }
}

// === impl Check ===

impl Check {
    async fn verdict(&self, promise: String, connection: &mut PgConnection) -> Result<Verdict> {
        let offending: Vec<String> =
            sqlx::query_scalar(self.offending).fetch_all(connection).await.with_context(|| promise.clone())?;
        Ok(Verdict::new(self.ids, promise, offending))
    }
}
