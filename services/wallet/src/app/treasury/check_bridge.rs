//! Compares, per asset and direction, what transactions consume with what payment-method knows to be consumed (D-N1).

use chassis::clock;
use chassis::db::Db;

use crate::app::deposit::tell_consumed::tell_consumed;
use crate::clients::Chains;
use crate::domain::bridge::{Difference, differences};
use crate::error::Error;
use crate::store::{bridge_faults, consumed_payments};

/// Reports what is not reported yet, and compares both sums; every difference is a fault until they agree. `None` while payments
/// are being consumed: then the sums are of different moments, and the next comparison decides.
///
/// # Errors
/// Unavailable if payment-method cannot be asked.
pub async fn check_bridge(db: &Db, chains: &Chains) -> Result<Option<Vec<Difference>>, Error> {
    tell_consumed(db, chains).await?;
    let Some(before) = consumed_payments::told(&mut *db.conn().await?).await? else { return Ok(None) };
    let known = chains.consumed().await?;
    let mut conn = db.conn().await?;
    let after = consumed_payments::told(&mut conn).await?;
    if after.as_ref() != Some(&before) {
        return Ok(None);
    }
    let found = differences(before, known);
    let now = clock::now(&mut conn).await?;
    bridge_faults::note(&mut conn, &found, now).await?;
    metrics::gauge!("bridge_faults").set(u32::try_from(found.len()).unwrap_or(u32::MAX));
    metrics::gauge!("bridge_checked_at").set(u32::try_from(now.unix_timestamp()).unwrap_or_default());
    Ok(Some(found))
}
