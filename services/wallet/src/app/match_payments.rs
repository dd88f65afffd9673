//! Finds the payments on chains that no transaction accounts for (D-Q6).

use std::collections::HashMap;

use chassis::db::Db;

use crate::domain::observed_payment::ObservedPayment;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// For each payment the open transactions that it may belong to; `None` where a transaction accounts for it: one that was
/// approved with it, or an open one that claims its hash or whose quote it matches exactly.
pub async fn match_payments(db: &Db, payments: &[ObservedPayment]) -> Result<Vec<Option<Vec<Transaction>>>, Error> {
    let mut conn = db.conn().await?;
    let claimed = transactions::claimed(&mut conn, payments).await?;
    let mut candidates: HashMap<_, Vec<Transaction>> = HashMap::new();
    let mut matched = Vec::new();
    for (payment, is_claimed) in payments.iter().zip(claimed) {
        let place = (payment.address.as_str(), payment.asset.as_str());
        if !is_claimed && !candidates.contains_key(&place) {
            candidates.insert(place, transactions::open_at(&mut conn, place).await?);
        }
        matched.push(candidates.get(&place).filter(|_| !is_claimed).cloned());
    }
    Ok(matched)
}
