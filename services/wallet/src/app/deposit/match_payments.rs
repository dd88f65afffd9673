//! Finds which transactions account for payments on chains, and the payments that none accounts for (D-N1).

use std::collections::HashMap;

use chassis::db::Db;

use crate::domain::observed_payment::{ObservedPayment, Taken};
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::{consumed_payments, transactions};

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

/// Adds those of these payments that other transactions consume, and returns whether there are some.
///
/// # Errors
/// Of the database.
pub async fn add_consumed(
    db: &Db,
    one: &Transaction,
    payments: &[ObservedPayment],
    taken: &mut Taken,
) -> Result<bool, Error> {
    if payments.is_empty() {
        return Ok(false);
    }
    let consumers = consumed_payments::consumers(&mut *db.conn().await?, payments).await?;
    let before = taken.outputs.len();
    for (payment, consumer) in payments.iter().zip(consumers) {
        let key = (payment.txid.clone(), payment.vout);
        if consumer.is_some_and(|id| id != one.id.get()) && !taken.outputs.contains(&key) {
            taken.outputs.push(key);
        }
    }
    Ok(taken.outputs.len() > before)
}

/// The quotes for the address of a payment whose transactions are decided.
///
/// # Errors
/// Of the database.
pub async fn settled_quotes(db: &Db, one: &Transaction) -> Result<Taken, Error> {
    let Some(payment) = one.as_payment() else { return Ok(Taken::default()) };
    let place = (payment.method.address.as_str(), payment.method.currency.as_str());
    let quotes = transactions::settled_quotes(&mut *db.conn().await?, place).await?;
    Ok(Taken { quotes, ..Taken::default() })
}

/// Whether the first of two approvals reserved a whole blockchain transaction.
///
/// # Errors
/// Of the database.
pub async fn is_whole_reserved(db: &Db, one: &Transaction) -> Result<bool, Error> {
    if one.first_approval().is_none() {
        return Ok(false);
    }
    Ok(consumed_payments::outputs_of(&mut *db.conn().await?, one.id).await? == [-1])
}
