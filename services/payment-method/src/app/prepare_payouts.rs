//! Makes one unsigned transaction of several payouts for the signer of the treasury, and files for other signers (D-N5).

use chassis::clock;
use chassis::db::Db;
use chassis::money::Units;
use miniscript::bitcoin::{ScriptBuf, TxOut};

use crate::app::node_refusal;
use crate::app::observe_chain::world;
use crate::clients::bitcoin_core::Funded;
use crate::clients::chain::Chain;
use crate::domain::network;
use crate::domain::payout_batch::{self, File, Payout};
use crate::error::Error;

/// What the treasury signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// In base64, with what it pays to the network; unset without a wallet of the treasury on a node.
    pub psbt: Option<(String, Units)>,
    pub files: Vec<File>,
}

/// Prepares payouts on a network. Nothing is kept: each call makes another transaction.
pub async fn prepare_payouts(db: &Db, chains: &[Chain], network: &str, payouts: &[Payout]) -> Result<Prepared, Error> {
    payout_batch::check(network, payouts)?;
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let files = payout_batch::files(network, payouts, now.unix_timestamp() * 1_000)?;
    let Some(chain) = bitcoin(chains, network) else { return Ok(Prepared { psbt: None, files }) };
    let outputs = payout_batch::outputs(payouts)?;
    let ours = world(&mut conn, chain).await?;
    drop(conn);
    let ours: Vec<_> = ours.watched().iter().filter_map(|one| ScriptBuf::from_hex(&one.script).ok()).collect();
    let psbt = funded(chain, &outputs, &ours).await?.map(|funded| (funded.psbt, funded.fee));
    Ok(Prepared { psbt, files })
}

/// The chain of a network, if payouts are made there by PSBT.
pub(super) fn bitcoin<'a>(chains: &'a [Chain], network: &str) -> Option<&'a Chain> {
    let is_here = |chain: &&Chain| chain.name() == "bitcoin" && network::chain(network) == Some("bitcoin");
    chains.iter().find(is_here)
}

async fn funded(chain: &Chain, outputs: &[TxOut], change: &[ScriptBuf]) -> Result<Option<Funded>, Error> {
    let mut failure = None;
    for node in chain.bitcoin() {
        match node.fund(outputs, change).await {
            Ok(Some(funded)) => return Ok(Some(funded)),
            Ok(None) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        None => Ok(None),
        Some(error) => Err(node_refusal("payouts", error)),
    }
}
