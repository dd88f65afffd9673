//! Searches payments on chains for staff, by hash or by an address of the platform.

use chassis::db::Db;
use chassis::id::TransactionId;

use crate::app::list_payments::{Arrival, arrivals};
use crate::domain::payment;
use crate::error::Error;
use crate::store::chain_payments;

/// Characters of the longest address; what is longer names no payment.
const LONGEST: usize = 128;

/// Payments that a text names, newest first, with the withdrawal that a payout belongs to; at most 20.
pub async fn search_payments(
    db: &Db,
    chains: &[String],
    text: &str,
) -> Result<Vec<(Arrival, Option<TransactionId>)>, Error> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || text.contains('\0') {
        return Ok(Vec::new());
    }
    let hash = text.to_ascii_lowercase();
    let hash = hash.trim_start_matches("0x");
    let mut conn = db.conn().await?;
    let found = if payment::is_hash(hash) {
        chain_payments::with_hash(&mut conn, chains, hash).await?
    } else {
        chain_payments::at_address(&mut conn, text).await?
    };
    let ids: Vec<_> = found.iter().map(|one| one.id).collect();
    let mut withdrawals = chain_payments::withdrawals_of(&mut conn, &ids).await?;
    let found = arrivals(&mut conn, found).await?;
    Ok(found
        .into_iter()
        .map(|one| {
            let of = withdrawals.remove(&one.payment.id);
            (one, of)
        })
        .collect())
}
