//! How a transaction is read from its record.

use chassis::id::QuoteId;
use chassis::money::{Conversion, Rate, Units};

use crate::domain::transaction::record::Record;
use crate::domain::transaction::{
    Approval, Destination, Details, Direction, FirstApproval, Kind, Lease, MethodCopy, Payment, PayoutPrice, Purpose,
    QuoteCopy, Receipt, Sent, TradePart, Transaction, Withdrawal,
};
use crate::domain::txid::Txid;

impl Record {
    fn quote(&self, id: QuoteId) -> Option<QuoteCopy> {
        Some(QuoteCopy {
            id,
            asset: self.asset.clone()?,
            conversion: conversion(self.rate_micros, self.asset_decimals, self.spread_bps)?,
            units: Units::parse(self.units.as_ref()?).ok()?,
            at: self.quoted_at?,
            expires_at: self.quote_expires_at?,
        })
    }

    fn price(&self, units: &str) -> Option<PayoutPrice> {
        Some(PayoutPrice {
            asset: self.currency.clone()?,
            contract: self.payout_contract.clone()?,
            conversion: conversion(self.payout_rate_micros, self.payout_decimals, self.payout_spread_bps)?,
            units: Units::parse(units).ok()?,
            at: self.payout_priced_at?,
        })
    }
}

fn conversion(rate_micros: Option<i64>, decimals: Option<i16>, spread_bps: Option<i32>) -> Option<Conversion> {
    Some(Conversion {
        rate: Rate::new(rate_micros?).ok()?,
        decimals: decimals?.try_into().ok()?,
        spread_bps: spread_bps?.try_into().ok()?,
    })
}

impl TryFrom<Record> for Transaction {
    /// Which part is missing.
    type Error = String;

    fn try_from(row: Record) -> Result<Self, String> {
        let (id, kind) = (row.id, row.kind);
        let missing = |part: &str| format!("the {} {id} has no {part}", kind.into_str());
        let related = || row.related_id.ok_or_else(|| missing("related id"));
        let quote = row.quote_id.map(|id| row.quote(id).ok_or_else(|| missing("whole quote"))).transpose()?;
        let price = row.payout_units.as_deref().map(|units| row.price(units).ok_or_else(|| missing("whole price")));
        let method = row.method_id.map(|id| MethodCopy {
            id,
            currency: row.currency.clone().unwrap_or_default(),
            network: row.network.unwrap_or_default(),
            address: row.method_address.unwrap_or_default(),
            memo: row.method_memo.unwrap_or_default(),
            version: row.method_version.unwrap_or_default(),
        });
        let vout = row.vout.map(u32::try_from).transpose().map_err(|_| missing("output"))?;
        let txid =
            row.txid.zip(row.txid_key).map(|(text, key)| Txid { text, key, outputs: vout.into_iter().collect() });
        let payment = |purpose| {
            let digest = row.receipt_digest.as_deref().and_then(|digest| hex::decode(digest.strip_prefix(r"\x")?).ok());
            let receipt = row.receipt_key.clone().map(|key| Receipt {
                key,
                content_type: row.receipt_content_type.clone().unwrap_or_default(),
                digest: digest.unwrap_or_default(),
            });
            if receipt.is_none() && row.claimed_txid.is_none() {
                return Err(missing("receipt"));
            }
            Ok(Details::Payment(Payment {
                purpose,
                method: method.clone().ok_or_else(|| missing("method"))?,
                receipt,
                claimed_txid: row.claimed_txid.clone(),
                claimed_amount: row.claimed_amount_cents,
                txid: txid.clone(),
                first_approval: row
                    .first_approved_by
                    .zip(row.first_approved_at)
                    .zip(row.received_cents)
                    .map(|((by, at), received)| FirstApproval { by, at, received }),
                quote: quote.clone(),
            }))
        };
        let trade = |part| Ok::<_, String>(Details::Trade { part, trade_id: related()?.into() });
        let details = match (kind, row.direction) {
            (Kind::Deposit, _) => payment(Purpose::Deposit)?,
            (Kind::Fee, _) => payment(Purpose::Fee { withdrawal_id: related()?.into() })?,
            (Kind::Course, _) if method.is_none() => Details::Purchase,
            (Kind::Course, _) => payment(Purpose::Course)?,
            (Kind::Withdrawal, _) => Details::Withdrawal(Withdrawal {
                fee: row.fee_cents.ok_or_else(|| missing("fee"))?,
                net_amount: row.net_amount_cents.ok_or_else(|| missing("net amount"))?,
                fee_paid: row.fee_paid,
                method: method.ok_or_else(|| missing("method"))?,
                destination: row
                    .destination_address
                    .map(|address| Destination { address, memo: row.destination_memo.unwrap_or_default() }),
                known_at: row.known_at,
                approval: row.approved_by.zip(row.approved_at).map(|(by, at)| Approval { by, at }),
                paying: row.paying_by.zip(row.paying_until).map(|(by, until)| Lease { by, until }),
                price: price.transpose()?,
                sent: row.sent_by.zip(row.sent_at).map(|(by, at)| Sent { by, at }),
                txid,
                quote,
            }),
            (Kind::Trade, Direction::Debit) => trade(TradePart::Invested)?,
            (Kind::Trade, Direction::Credit) => trade(TradePart::Returned)?,
            (Kind::Profit, _) => trade(TradePart::Profit)?,
            (Kind::Bonus, _) => Details::Bonus,
            (Kind::Adjustment, direction) => {
                Details::Adjustment { direction, related_id: row.related_id.map(Into::into) }
            }
        };
        Ok(Self {
            id,
            user_id: row.user_id,
            details,
            description: row.description,
            status: row.status,
            amount: row.amount_cents,
            reason_code: row.reason_code,
            decided_by: row.decided_by,
            decided_at: row.decided_at,
            revision: row.revision,
            created_at: row.created_at,
        })
    }
}
