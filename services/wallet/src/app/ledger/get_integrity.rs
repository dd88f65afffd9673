//! Returns the state of the ledger and its checks.

use chassis::across;
use chassis::clock;
use chassis::db::Db;
use chassis::dead_letter;
use chassis::money::Cents;
use chassis::outbox;

use crate::app::ledger::check_ledger::FRESH;
use crate::error::Error;
use crate::store::accounts::{self, Books};
use crate::store::bridge_faults;
use crate::store::ledger_checks::{self, Fault, LedgerCheck};
use crate::store::withdrawal_pauses::{self, Pause};

/// Faults that are listed.
const LISTED: i64 = 100;

#[derive(Debug, Clone)]
pub struct Integrity {
    pub books: Books,
    pub check: LedgerCheck,
    /// Whether it ended within the last minutes.
    pub is_watched: bool,
    pub faults: Vec<Fault>,
    /// Age of the oldest event that waits.
    pub outbox_oldest_seconds: i64,
    /// Events that cannot take effect here.
    pub dead_letters: i64,
    pub pause: Option<Pause>,
}

impl Integrity {
    /// Whether everything verifies, and did within the last minutes.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.faults.is_empty() && self.books.trial_balance == Cents::ZERO && self.is_watched
    }

    /// Sum of the absolute differences between the accounts that do not verify and their entries.
    #[must_use]
    pub fn drift_cents(&self) -> i64 {
        self.faults.iter().fold(0, |sum, fault| sum.saturating_add(fault.drift_cents.saturating_abs()))
    }
}

/// The sums of the books, what does not verify, and what waits; together with faults of what is held.
pub async fn get_integrity(db: &Db, held: Vec<Fault>) -> Result<Integrity, Error> {
    let mut conn = db.conn().await?;
    let (now, check) = (clock::now(&mut conn).await?, ledger_checks::state_of_all(&mut conn).await?);
    let mut faults = ledger_checks::all_open_faults(&mut conn, LISTED).await?;
    faults.extend(held);
    faults.extend(bridge_faults::open(&mut conn).await?.into_iter().map(|(found, found_at)| Fault {
        subject: "bridge".to_owned(),
        subject_id: format!("{} {} {}", found.span.chain, found.span.asset, found.span.direction),
        detail: found.sentence(),
        drift_cents: 0,
        found_at,
    }));
    Ok(Integrity {
        books: accounts::books(&mut conn).await?,
        is_watched: check.checked_at.is_some_and(|checked_at| now - checked_at < FRESH),
        check,
        faults,
        outbox_oldest_seconds: across!(conn, outbox::oldest_seconds(&mut conn)).into_iter().max().unwrap_or(0),
        dead_letters: dead_letter::count(&mut conn).await?,
        pause: withdrawal_pauses::in_force(&mut conn).await?,
    })
}
