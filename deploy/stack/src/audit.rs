//! Verifies the invariants of the product from its databases: ledger, trades, requests, events, emails, sessions.
//! Read-only, in one snapshot per database.

pub mod checks;

mod across;

mod decisions;

mod roots;

mod snapshots;

mod verdict;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use chassis::keys::TrustedKeys;
use sqlx::PgConnection;

use self::checks::{CHECKS, Check, EVERYWHERE};
use self::snapshots::Snapshots;
pub use self::snapshots::{Database, Urls};
pub use self::verdict::Verdict;

/// Evidence from outside the databases.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The file of the trusted public keys.
    pub trusted_keys: &'a Path,
    /// The folder of the signed roots.
    pub roots: Option<&'a Path>,
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
    for database in Database::ALL {
        for check in EVERYWHERE {
            let promise = format!("{}: {}", database.name(), check.promise);
            verdicts.push(check.verdict(promise, snapshots.of(database)).await?);
        }
        verdicts.push(across::trail_is_unbroken(database, snapshots.of(database)).await?);
    }
    verdicts.extend(across::verdicts(&mut snapshots).await?);
    verdicts.extend(decisions::verdicts(&mut snapshots, keys.as_ref()).await?);
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

/// Every check of one database alone, in the order of [`CHECKS`].
async fn check_all(snapshots: &mut Snapshots) -> Result<Vec<Verdict>> {
    let [wallet, trade, auth, payment_method, mailer] = Database::ALL.map(|database| {
        Mutex::new(CHECKS.iter().enumerate().filter(move |(_, check)| check.database == database).collect())
    });
    let verdicts = tokio::try_join!(
        check_in_turn(&wallet, &mut snapshots.wallet),
        check_in_turn(&wallet, &mut snapshots.wallet_again),
        check_in_turn(&trade, &mut snapshots.trade),
        check_in_turn(&auth, &mut snapshots.auth),
        check_in_turn(&payment_method, &mut snapshots.payment_method),
        check_in_turn(&mailer, &mut snapshots.mailer),
    )?;
    let mut all: Vec<_> = <[_; 6]>::from(verdicts).into_iter().flatten().collect();
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, verdict)| verdict).collect())
}

/// The verdicts of the checks that this connection takes from a queue, each with its place in [`CHECKS`].
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
