//! Notes which withdrawals payouts on the chain belong to, as the wallet found out (D-Q8).

use chassis::db::Db;
use chassis::id::TransactionId;

use crate::error::Error;
use crate::store::chain_payments;

/// Each is the number of a payout with its withdrawal.
pub async fn match_payouts(db: &Db, matches: &[(i64, TransactionId)]) -> Result<(), Error> {
    chain_payments::match_payouts(&mut *db.conn().await?, matches).await
}
