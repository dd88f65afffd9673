//! Sums what a member claims to have paid within an hour of a payment: its confirmations depend on the sum (D-N7).

use chassis::db::Db;
use chassis::money::Cents;
use time::Duration;

use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// An hour before and after.
const WINDOW: Duration = Duration::HOUR;

/// The sum of the member's other payments that wait for review or were approved.
pub async fn sum_claims(db: &Db, one: &Transaction) -> Result<Cents, Error> {
    if one.as_payment().is_none() {
        return Ok(Cents::new(0));
    }
    let (from, until) = (one.created_at - WINDOW, one.created_at + WINDOW);
    Ok(transactions::sum_payments(&mut *db.conn().await?, one, (from, until)).await?)
}
