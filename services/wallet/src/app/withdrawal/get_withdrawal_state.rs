//! Answers whether members can withdraw.

use chassis::across;
use chassis::db::Db;
use time::OffsetDateTime;

use crate::app::ledger::check_ledger;
use crate::error::Error;
use crate::store::withdrawal_pauses;

/// A pause of all withdrawals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paused {
    /// Unset while it is only the check of a ledger that is late.
    pub since: Option<OffsetDateTime>,
}

/// `None` while withdrawals are open in all buckets.
///
/// # Errors
/// Database.
pub async fn get_withdrawal_state(db: &Db) -> Result<Option<Paused>, Error> {
    let mut conn = db.conn().await?;
    let are_open = across!(conn, withdrawal_pauses::are_open(&mut conn, check_ledger::FRESH));
    if are_open.into_iter().all(|is_open| is_open) {
        return Ok(None);
    }
    let pause = withdrawal_pauses::in_force(&mut conn).await?;
    Ok(Some(Paused { since: pause.map(|pause| pause.stopped_at) }))
}
