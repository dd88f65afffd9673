//! The payments of one transaction.

use std::collections::BTreeMap;

use chassis::money::Units;
use serde_json::json;

use super::EvmRpc;
use super::answers::{Receipt, TRANSFER, Transaction, account_of, bytes_of, number_is_zero, units};
use crate::clients::rpc::ChainError;
use crate::domain::address;
use crate::domain::payment::{Fate, Found, Key, Observation, Search, Way};

impl EvmRpc {
    pub(in crate::clients) async fn transaction(
        &self,
        txid: &str,
        search: Search<'_>,
    ) -> Result<Option<Found>, ChainError> {
        let hash = format!("0x{}", txid.trim_start_matches("0x"));
        let found: Option<Transaction> = self.rpc.call("eth_getTransactionByHash", json!([hash])).await?;
        let Some(transaction) = found else { return Ok(None) };
        if transaction.block_number.is_none() {
            let (payments, call) = (Vec::new(), transaction.call());
            return Ok(Some(Found { fate: Fate::Waiting, payments, worthless: false, call }));
        }
        let receipt: Option<Receipt> = self.rpc.call("eth_getTransactionReceipt", json!([hash])).await?;
        let receipt = receipt.ok_or(ChainError::Contradiction("a transaction in a block has no receipt"))?;
        let header = self.block(&receipt.block_number).await?;
        let header = header.ok_or(ChainError::Contradiction("the block of a receipt is missing"))?;
        if header.hash != receipt.block_hash {
            return Err(ChainError::Contradiction("a receipt is of another block than the one at its height"));
        }
        let fate = Fate::In(header.block()?);
        let mut seen = Reading {
            search,
            node: self,
            txid: bytes_of(&hash).unwrap_or_default(),
            fate: &fate,
            found: Vec::new(),
            worthless: false,
        };
        seen.fee(&transaction, &receipt)?;
        let is_done = receipt.status == "0x1";
        if is_done {
            seen.read(&transaction, &receipt)?;
        }
        let Reading { found: payments, worthless, .. } = seen;
        let fate = match fate {
            Fate::In(block) if !is_done => Fate::Failed(block),
            fate => fate,
        };
        Ok(Some(Found { fate, payments, worthless, call: transaction.call() }))
    }
}

/// Collects the payments of a transaction.
struct Reading<'a> {
    search: Search<'a>,
    node: &'a EvmRpc,
    txid: String,
    fate: &'a Fate,
    found: Vec<Observation>,
    worthless: bool,
}

impl Reading<'_> {
    fn read(&mut self, transaction: &Transaction, receipt: &Receipt) -> Result<(), ChainError> {
        let known: BTreeMap<_, _> =
            self.search.contracts.iter().filter_map(|one| Some((self.node.bytes(one)?, one))).collect();
        // By its position among those of the transaction: its number in the block changes when the block does.
        for (index, log) in receipt.logs.iter().enumerate() {
            let [topic, from, to] = &log.topics[..] else { continue };
            if topic != TRANSFER {
                continue;
            }
            let contract = known.get(&log.address.to_ascii_lowercase()).map(|contract| contract.as_str());
            self.moved((index, contract), (account_of(from), account_of(to)), &log.data)?;
        }
        let (from, to) = (bytes_of(&transaction.from), transaction.to.as_deref().and_then(bytes_of));
        if number_is_zero(&transaction.value) {
            return Ok(());
        }
        // The coin comes after all logs.
        self.moved((receipt.logs.len(), Some("")), (from, to), &transaction.value)
    }

    /// The fee of a transaction from our addresses, also of a failed one, if the coin of the chain is searched for.
    fn fee(&mut self, transaction: &Transaction, receipt: &Receipt) -> Result<(), ChainError> {
        let payer = bytes_of(&transaction.from).and_then(|digits| self.search.ours(&digits));
        let (Some(payer), true) = (payer, self.search.coin) else { return Ok(()) };
        let (Some(used), Some(price)) = (&receipt.gas_used, &receipt.effective_gas_price) else { return Ok(()) };
        let (used, price) = (units(used)?, units(price)?);
        let fee = used.zip(price).and_then(|(used, price)| used.get().checked_mul(price.get()));
        let fee = fee.and_then(|fee| Units::new(fee).ok());
        let fee = fee.ok_or_else(|| ChainError::Unreadable("a fee".to_owned()))?;
        if fee.get() > 0 {
            self.found.push(Observation {
                key: Key { txid: self.txid.clone(), index: 0, way: Way::Fee },
                contract: String::new(),
                address: payer.address.clone(),
                counterparty: String::new(),
                units: fee,
                fate: self.fate.clone(),
            });
        }
        Ok(())
    }

    fn moved(
        &mut self,
        (index, contract): (usize, Option<&str>),
        (from, to): (Option<String>, Option<String>),
        value: &str,
    ) -> Result<(), ChainError> {
        let ours = |account: &Option<String>| self.search.ours(account.as_deref().unwrap_or_default());
        let sides = match (ours(&from), ours(&to)) {
            // Between our own addresses.
            (Some(_), Some(_)) | (None, None) => return Ok(()),
            (Some(from), None) => (Way::Out, from, to),
            (None, Some(to)) => (Way::In, to, from),
        };
        let units = units(value)?.filter(|units| units.get() > 0);
        let (Some(contract), Some(units)) = (contract, units) else {
            self.worthless = true;
            return Ok(());
        };
        let (way, address, other) = sides;
        let index = i32::try_from(index).map_err(|_| ChainError::Unreadable("too many logs".to_owned()))?;
        let counterparty =
            other.and_then(|digits| address::of_account(self.node.format(), &digits)).unwrap_or_default();
        self.found.push(Observation {
            key: Key { txid: self.txid.clone(), index, way },
            contract: contract.to_owned(),
            address: address.address.clone(),
            counterparty,
            units,
            fate: self.fate.clone(),
        });
        Ok(())
    }
}
