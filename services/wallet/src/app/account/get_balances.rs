//! Returns the balances of a member at a given time.

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::wait_until_over;
use crate::error::Error;
use crate::store::entries;

/// What a member had at a moment, by account.
#[derive(Debug, Clone)]
pub struct Balances {
    pub at: OffsetDateTime,
    /// Kinds of accounts and what they held; none before the member had accounts.
    pub accounts: Vec<(String, Cents)>,
}

/// What a member had at a moment, by the ledger; now, if none is given.
///
/// # Errors
/// Invalid if the moment is in the future, Unavailable while something may still be posted before it.
pub async fn get_balances(db: &Db, user_id: MemberId, at: Option<OffsetDateTime>) -> Result<Balances, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let at = at.unwrap_or(now);
    if at > now {
        return Err(Refusal::field("at", "Please choose a time that is not in the future.").into());
    }
    drop(conn);
    wait_until_over(db, at).await?;
    let mut conn = db.conn().await?;
    Ok(Balances { at, accounts: entries::balances_at(&mut conn, user_id, at).await? })
}
