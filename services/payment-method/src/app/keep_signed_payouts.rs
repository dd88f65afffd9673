//! Checks a transaction that the treasury signed output by output against its payouts, and keeps it for sending (D-N5).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chassis::db::Db;
use chassis::error::Refusal;
use miniscript::bitcoin::Psbt;
use miniscript::bitcoin::consensus::serialize;

use crate::app::node_refusal;
use crate::app::prepare_payouts::bitcoin;
use crate::clients::bitcoin_core::{BitcoinCore, SPENT};
use crate::clients::chain::Chain;
use crate::clients::rpc::ChainError;
use crate::domain::payout_batch::{self, Payout};
use crate::error::Error;
use crate::store::signed_payouts;

/// A transaction that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub txid: String,
    /// The output of each payout, in their order.
    pub outputs: Vec<u32>,
}

/// Keeps a signed transaction that pays exactly these payouts, and otherwise the treasury.
pub async fn keep_signed_payouts(
    db: &Db,
    chains: &[Chain],
    network: &str,
    payouts: &[Payout],
    psbt: &str,
) -> Result<Kept, Error> {
    payout_batch::check(network, payouts)?;
    let wanted = payout_batch::outputs(payouts)?;
    let psbt: String = psbt.split_whitespace().collect();
    let read = STANDARD.decode(&psbt).ok().and_then(|bytes| Psbt::deserialize(&bytes).ok());
    let read =
        read.ok_or_else(|| Refusal::field("psbt", "This is no PSBT. Please choose the file that was signed."))?;
    // Before anything is asked of a node, and also while signatures are missing.
    payout_batch::matched(&read.unsigned_tx, payouts, &wanted)?;
    let (node, chain) = treasury(chains, network).await?;
    let signed = node.finalise(&psbt).await.map_err(|error| node_refusal("psbt", error))?;
    let signed = signed.ok_or_else(|| {
        Refusal::field("psbt", "Signatures are missing. Sign it with all keys that the treasury needs, and try again.")
    })?;
    // What is sent is what counts, no matter what the PSBT said.
    let matched = payout_batch::matched(&signed, payouts, &wanted)?;
    for script in &matched.others {
        if !node.owns(script).await.map_err(|error| node_refusal("psbt", error))? {
            return Err(payout_batch::foreign(script).into());
        }
    }
    let fee = node.try_out(&signed).await.map_err(|error| unusable(chain, error))?;
    // One that the network has cannot be stopped.
    if let Some(fee) = fee {
        payout_batch::check_fee(fee, &wanted)?;
    }
    let txid = signed.compute_txid().to_string();
    signed_payouts::keep(&mut *db.conn().await?, &txid, &serialize(&signed)).await?;
    Ok(Kept { txid, outputs: matched.outputs })
}

/// The node with the wallet of the treasury.
async fn treasury<'a>(chains: &'a [Chain], network: &str) -> Result<(&'a BitcoinCore, &'a Chain), Error> {
    let mut failure = None;
    if let Some(chain) = bitcoin(chains, network) {
        for node in chain.bitcoin() {
            match node.has_treasury().await {
                Ok(true) => return Ok((node, chain)),
                Ok(false) => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
    }
    let missing =
        || Refusal::field("psbt", "No node has a wallet of the treasury: see BITCOIN_TREASURY_WALLET.").into();
    Err(failure.map_or_else(missing, |error| node_refusal("psbt", error)))
}

/// Why a node would not take a transaction, in words where they are known.
fn unusable(chain: &Chain, error: ChainError) -> Error {
    match &error {
        ChainError::Refused { message, .. } if message.contains(SPENT) => {
            let sentence = "Its coins have been spent by another transaction. Prepare the payouts again.";
            Refusal::field("psbt", sentence).into()
        }
        _ => {
            tracing::warn!(chain = chain.name(), %error, "a signed transaction is not taken");
            node_refusal("psbt", error)
        }
    }
}
