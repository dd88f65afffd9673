//! Payouts from the coins of the treasury's watch-only wallet: funded, tried and sent.

use chassis::hex::to_hex;
use chassis::money::Units;
use miniscript::bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use miniscript::bitcoin::{Address, Amount, ScriptBuf, Transaction, TxOut};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::satoshi;
use super::{BitcoinCore, NO_WALLET, Network, existing};
use crate::clients::rpc::{ChainError, Rpc};

const REJECTED: i64 = -26;
const IN_CHAIN: i64 = -27;
/// The reason of a node for coins that do not exist any more.
pub const SPENT: &str = "missing-inputs";
/// In how many blocks a payout should be, for the fee that the node estimates.
const CONFIRMED_IN: u32 = 6;

const DECIMALS_OF_A_BITCOIN: u8 = 8;

#[derive(Deserialize)]
struct WalletInfo {
    private_keys_enabled: bool,
}

#[derive(Deserialize)]
struct AddressInfo {
    #[serde(rename = "ismine")]
    is_mine: bool,
}

#[derive(Deserialize)]
struct Created {
    psbt: String,
    fee: Box<RawValue>,
}

#[derive(Deserialize)]
struct Finalised {
    #[serde(default)]
    hex: Option<String>,
    complete: bool,
}

#[derive(Deserialize)]
struct Tested {
    allowed: bool,
    #[serde(default)]
    fees: Option<Fees>,
    #[serde(default, rename = "reject-reason")]
    reject_reason: Option<String>,
}

#[derive(Deserialize)]
struct Fees {
    base: Box<RawValue>,
}

/// An unsigned transaction of the treasury.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funded {
    /// In base64.
    pub psbt: String,
    /// For the network.
    pub fee: Units,
}

impl BitcoinCore {
    /// The wallet of the treasury on this node; `None` if it has none.
    async fn treasury(&self) -> Result<Option<&Rpc>, ChainError> {
        let Some(wallet) = &self.treasury else { return Ok(None) };
        match wallet.call::<WalletInfo>("getwalletinfo", json!([])).await {
            Ok(WalletInfo { private_keys_enabled: false }) => Ok(Some(wallet)),
            Ok(_) => Err(ChainError::Contradiction("the wallet of the treasury has private keys")),
            Err(ChainError::Refused { code: NO_WALLET, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An unsigned transaction that pays these outputs from the coins of the treasury, and what it pays to the network. The change
    /// goes to one of these scripts, if the treasury has its key, else to a new address of the treasury. `None` if this node has
    /// no wallet of the treasury.
    ///
    /// # Errors
    /// If the node refuses, for example because there are too few coins.
    pub async fn fund(&self, outputs: &[TxOut], change: &[ScriptBuf]) -> Result<Option<Funded>, ChainError> {
        let Some(wallet) = self.treasury().await? else { return Ok(None) };
        let mut options = json!({ "subtractFeeFromOutputs": [], "replaceable": true, "conf_target": CONFIRMED_IN });
        for script in change {
            if self.owns(script).await? {
                options["changeAddress"] = json!(self.address(script)?);
                break;
            }
        }
        let outputs = outputs.iter().map(|one| {
            let satoshi = Units::new(i128::from(one.value.to_sat())).unwrap_or_default();
            Ok(json!({ self.address(&one.script_pubkey)?: satoshi.whole(DECIMALS_OF_A_BITCOIN) }))
        });
        let outputs: Vec<_> = outputs.collect::<Result<_, ChainError>>()?;
        // No chosen coins, no lock time, and with the paths of the keys.
        let asked = json!([[], outputs, 0, options, true]);
        let made: Created = wallet.call("walletcreatefundedpsbt", asked).await?;
        Ok(Some(Funded { psbt: made.psbt, fee: satoshi(&made.fee)? }))
    }

    /// Whether a script belongs to the wallet of the treasury.
    ///
    /// # Errors
    /// If the node cannot be asked.
    pub async fn owns(&self, script: &ScriptBuf) -> Result<bool, ChainError> {
        let (Some(wallet), Ok(address)) = (&self.treasury, self.address(script)) else { return Ok(false) };
        let info: AddressInfo = wallet.call("getaddressinfo", json!([address])).await?;
        Ok(info.is_mine)
    }

    /// As this node writes the address of a script.
    fn address(&self, script: &ScriptBuf) -> Result<String, ChainError> {
        let network = match self.network {
            Network::Main => miniscript::bitcoin::Network::Bitcoin,
            Network::Regtest => miniscript::bitcoin::Network::Regtest,
        };
        let address = Address::from_script(script, network);
        Ok(address.map_err(|_| ChainError::Unreadable("a script without an address".to_owned()))?.to_string())
    }

    /// Whether this node has a wallet of the treasury.
    ///
    /// # Errors
    /// If the node cannot be asked, or the wallet has private keys.
    pub async fn has_treasury(&self) -> Result<bool, ChainError> {
        Ok(self.treasury().await?.is_some())
    }

    /// The transaction of a PSBT with all its signatures; `None` if some are missing.
    ///
    /// # Errors
    /// If the node refuses.
    pub async fn finalise(&self, psbt: &str) -> Result<Option<Transaction>, ChainError> {
        let done: Finalised = self.rpc.call("finalizepsbt", json!([psbt])).await?;
        let Some(hex) = done.hex.filter(|_| done.complete) else { return Ok(None) };
        let read = deserialize_hex(&hex).map_err(|_| ChainError::Unreadable("a transaction".to_owned()))?;
        Ok(Some(read))
    }

    /// What a transaction pays to the network, if this node would take it and it replaces no other; `None` if the network has it
    /// already.
    ///
    /// # Errors
    /// `Refused` with the reason for which the node would not take it.
    pub async fn try_out(&self, transaction: &Transaction) -> Result<Option<Amount>, ChainError> {
        let txid = transaction.compute_txid().to_string();
        if existing(self.rpc.call::<Value>("getrawtransaction", json!([txid, true])).await)?.is_some() {
            return Ok(None);
        }
        // One that spends coins of a waiting transaction, with a higher fee, would take its place.
        for input in &transaction.input {
            let coin = json!([input.previous_output.txid.to_string(), input.previous_output.vout, true]);
            if self.rpc.call::<Value>("gettxout", coin).await?.is_null() {
                return Err(ChainError::Refused { code: REJECTED, message: SPENT.to_owned() });
            }
        }
        let asked = self.rpc.call("testmempoolaccept", json!([[serialize_hex(transaction)]])).await?;
        let [tested]: [Tested; 1] = asked;
        if let Some(fees) = tested.fees.filter(|_| tested.allowed) {
            let fee = u64::try_from(satoshi(&fees.base)?.get()).unwrap_or(u64::MAX);
            return Ok(Some(Amount::from_sat(fee)));
        }
        Err(ChainError::Refused { code: REJECTED, message: tested.reject_reason.unwrap_or_default() })
    }

    /// Sends a transaction. One that the network has is sent again, or left alone once it is in a block.
    ///
    /// # Errors
    /// If the node refuses it.
    pub async fn send(&self, raw: &[u8]) -> Result<(), ChainError> {
        match self.rpc.call::<String>("sendrawtransaction", json!([to_hex(raw)])).await {
            Ok(_) | Err(ChainError::Refused { code: IN_CHAIN, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
