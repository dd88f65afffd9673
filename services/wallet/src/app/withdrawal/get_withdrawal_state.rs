//! Answers whether members can withdraw.

use chassis::db::Db;
use time::OffsetDateTime;

use crate::app::ledger::check_ledger;
use crate::error::Error;
use crate::store::withdrawal_pauses;

/// A pause of all withdrawals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paused {
    /// Unset while it is only the check of the ledger that is late.
    pub since: Option<OffsetDateTime>,
}

/// `None` while withdrawals are open.
///
/// # Errors
/// Database.
pub async fn get_withdrawal_state(db: &Db) -> Result<Option<Paused>, Error> {
    let mut conn = db.conn().await?;
    if withdrawal_pauses::are_open(&mut conn, check_ledger::FRESH).await? {
        return Ok(None);
    }
    let pause = withdrawal_pauses::in_force(&mut conn).await?;
    Ok(Some(Paused { since: pause.map(|pause| pause.stopped_at) }))
}
