//! Sends a transaction of payouts that was checked and kept (D-N5).

use chassis::db::Db;

use crate::app::node_refusal;
use crate::clients::chain::Chain;
use crate::error::Error;
use crate::store::signed_payouts;

/// Sends it to a node, however often: the network takes a transaction once. One that was not kept here is left alone.
pub async fn send_payouts(db: &Db, chains: &[Chain], txid: &str) -> Result<(), Error> {
    let Some(raw) = signed_payouts::find(&mut *db.conn().await?, txid).await? else { return Ok(()) };
    let mut failure = None;
    for node in chains.iter().flat_map(Chain::bitcoin) {
        match node.send(&raw).await {
            Ok(()) => return Ok(()),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(()), |error| Err(node_refusal("psbt", error)))
}
