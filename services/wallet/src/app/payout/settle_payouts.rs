//! Payouts that are on their way succeed when their payment is final (D-N4), and their transaction is sent until it is (D-N5).

use std::collections::BTreeSet;

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection, retrying};
use serde_json::json;

use crate::app::lock_transaction;
use crate::app::payout::mark_withdrawal_paid::take_effect;
use crate::app::review::approve_transaction::trail;
use crate::clients::Chains;
use crate::domain::observed_payment::Finality;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// Payouts that are looked at, the oldest first.
const LOOKED_AT: i64 = 1_000;

/// Looks at every payout that is on its way. What is unknown of one now is settled later.
///
/// # Errors
/// Of the database.
pub async fn settle_payouts(db: &Db, chains: &Chains) -> Result<(), Error> {
    let sent = transactions::sent(&mut *db.conn().await?, LOOKED_AT).await?;
    let mut open = BTreeSet::new();
    for one in &sent {
        let Some((withdrawal, txid)) = one.as_withdrawal().zip(one.txid()) else { continue };
        match chains.finality(withdrawal, txid, withdrawal.price.as_ref()).await {
            Ok(Finality::Open) => {
                open.insert(txid.key.as_str());
            }
            Ok(finality) => retrying(|| settle(db, one, &finality)).await?,
            Err(error) => tracing::debug!(%error, withdrawal = %one.id, "a payout cannot be looked at"),
        }
    }
    // The process may have died after they were recorded and before they were sent, or the node forgot them.
    for txid in open {
        if let Err(error) = chains.send_payouts(txid).await {
            tracing::warn!(%error, txid, "payouts could not be sent");
        }
    }
    Ok(())
}

/// Lets a payout succeed, unless it changed since it was looked at.
async fn settle(db: &Db, seen: &Transaction, finality: &Finality) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let conn: &mut PgConnection = &mut tx;
    let now = clock::now(conn).await?;
    let mut transaction = lock_transaction(conn, seen.id).await?;
    if transaction.revision != seen.revision || !transaction.is_sent() {
        return Ok(());
    }
    transaction.settle_payout(now)?;
    transactions::save(conn, &mut transaction).await?;
    take_effect(conn, &transaction, finality, now).await?;
    let after = json!({ "userId": transaction.user_id, "transaction": trail(&transaction) });
    audit::append_own(conn, "withdrawal.settle", &transaction.id.to_string(), after).await?;
    Ok(tx.commit().await?)
}
