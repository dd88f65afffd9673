//! A transaction as a row of its table. Kept responses store it in the same shape.

mod read;

use chassis::id::{MemberId, MethodId, QuoteId, StaffId, TransactionId};
use chassis::money::Cents;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use crate::domain::transaction::{Direction, Kind, Status, Transaction};
use crate::domain::txid::Txid;

/// Defines a record by its columns, as a row of the database's type `ledger_transaction` and as JSON; those that may be
/// unset, times last, are left out of its JSON then.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident { $($set:ident: $type:ty,)+ } { $($part:ident: $of:ty,)+ } { $($at:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Serialize, Deserialize, sqlx::Type)]
        #[sqlx(type_name = "ledger_transaction")]
        pub struct $name {
            $(pub $set: $type,)+
            #[serde(with = "rfc3339")]
            pub created_at: OffsetDateTime,
            $(#[serde(skip_serializing_if = "Option::is_none")]
            pub $part: Option<$of>,)+
            $(#[serde(default, with = "rfc3339::option", skip_serializing_if = "Option::is_none")]
            pub $at: Option<OffsetDateTime>,)+
        }

        impl $name {
            /// The fields in their order, which is that of the database's type.
            pub const FIELDS: &[&str] =
                &[$(stringify!($set),)+ "created_at", $(stringify!($part),)+ $(stringify!($at),)+];
        }
    };
}

record! {
    /// A transaction by the names of its columns; `known_at` is that of its destination.
    Record {
        id: TransactionId,
        user_id: MemberId,
        kind: Kind,
        description: String,
        status: Status,
        direction: Direction,
        amount_cents: Cents,
        fee_paid: bool,
        revision: i32,
    }
    {
        claimed_amount_cents: Cents,
        fee_cents: Cents,
        net_amount_cents: Cents,
        method_id: MethodId,
        currency: String,
        network: String,
        method_address: String,
        method_memo: String,
        method_version: i32,
        destination_address: String,
        destination_memo: String,
        receipt_key: String,
        receipt_content_type: String,
        receipt_digest: String,
        claimed_txid: String,
        txid: String,
        txid_key: String,
        vout: i64,
        first_approved_by: StaffId,
        received_cents: Cents,
        reason_code: String,
        approved_by: StaffId,
        paying_by: StaffId,
        decided_by: StaffId,
        related_id: Uuid,
        quote_id: QuoteId,
        asset: String,
        asset_decimals: i16,
        units: String,
        rate_micros: i64,
        spread_bps: i32,
        payout_contract: String,
        payout_decimals: i16,
        payout_units: String,
        payout_rate_micros: i64,
        payout_spread_bps: i32,
        sent_by: StaffId,
    }
    {
        known_at,
        first_approved_at,
        approved_at,
        paying_until,
        decided_at,
        quoted_at,
        quote_expires_at,
        payout_priced_at,
        sent_at,
    }
}

impl From<&Transaction> for Record {
    fn from(one: &Transaction) -> Self {
        let (payment, withdrawal) = (one.as_payment(), one.as_withdrawal());
        let (method, txid, quote) = (one.method(), one.txid(), one.quote());
        let receipt = payment.and_then(|payment| payment.receipt.as_ref());
        let first = payment.and_then(|payment| payment.first_approval);
        let destination = withdrawal.and_then(|withdrawal| withdrawal.destination.as_ref());
        let approval = withdrawal.and_then(|withdrawal| withdrawal.approval);
        let paying = withdrawal.and_then(|withdrawal| withdrawal.paying);
        let price = withdrawal.and_then(|withdrawal| withdrawal.price.as_ref());
        let sent = withdrawal.and_then(|withdrawal| withdrawal.sent);
        Self {
            id: one.id,
            user_id: one.user_id,
            kind: one.kind(),
            description: one.description.clone(),
            status: one.status,
            direction: one.direction(),
            amount_cents: one.amount,
            claimed_amount_cents: payment.and_then(|payment| payment.claimed_amount),
            fee_cents: withdrawal.map(|withdrawal| withdrawal.fee),
            net_amount_cents: withdrawal.map(|withdrawal| withdrawal.net_amount),
            fee_paid: withdrawal.is_some_and(|withdrawal| withdrawal.fee_paid),
            method_id: method.map(|method| method.id),
            currency: method.map(|method| method.currency.clone()),
            network: method.map(|method| method.network.clone()),
            method_address: method.map(|method| method.address.clone()),
            method_memo: method.map(|method| method.memo.clone()),
            method_version: method.map(|method| method.version),
            destination_address: destination.map(|destination| destination.address.clone()),
            destination_memo: destination.map(|destination| destination.memo.clone()),
            known_at: withdrawal.and_then(|withdrawal| withdrawal.known_at),
            receipt_key: receipt.map(|receipt| receipt.key.clone()),
            receipt_content_type: receipt.map(|receipt| receipt.content_type.clone()),
            receipt_digest: receipt.map(|receipt| format!(r"\x{}", hex::encode(&receipt.digest))),
            claimed_txid: payment.and_then(|payment| payment.claimed_txid.clone()),
            txid: txid.map(|txid| txid.text.clone()),
            txid_key: txid.map(|txid| txid.key.clone()),
            vout: txid.and_then(Txid::vout).map(i64::from),
            first_approved_by: first.map(|first| first.by),
            first_approved_at: first.map(|first| first.at),
            received_cents: first.map(|first| first.received),
            reason_code: one.reason_code.clone(),
            approved_by: approval.map(|approval| approval.by),
            approved_at: approval.map(|approval| approval.at),
            paying_by: paying.map(|lease| lease.by),
            paying_until: paying.map(|lease| lease.until),
            decided_by: one.decided_by,
            decided_at: one.decided_at,
            related_id: one.related_id(),
            revision: one.revision,
            created_at: one.created_at,
            quote_id: quote.map(|quote| quote.id),
            asset: quote.map(|quote| quote.asset.clone()),
            asset_decimals: quote.map(|quote| quote.conversion.decimals.into()),
            units: quote.map(|quote| quote.units.to_string()),
            rate_micros: quote.map(|quote| quote.conversion.rate.micros()),
            spread_bps: quote.map(|quote| quote.conversion.spread_bps.into()),
            quoted_at: quote.map(|quote| quote.at),
            quote_expires_at: quote.map(|quote| quote.expires_at),
            payout_contract: price.map(|price| price.contract.clone()),
            payout_decimals: price.map(|price| price.conversion.decimals.into()),
            payout_units: price.map(|price| price.units.to_string()),
            payout_rate_micros: price.map(|price| price.conversion.rate.micros()),
            payout_spread_bps: price.map(|price| price.conversion.spread_bps.into()),
            payout_priced_at: price.map(|price| price.at),
            sent_by: sent.map(|sent| sent.by),
            sent_at: sent.map(|sent| sent.at),
        }
    }
}

impl Serialize for Transaction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Transaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Record::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::domain::transaction::Transaction;

    fn record(changes: &[&Value]) -> Value {
        let mut record = json!({
            "id": "6c1b9a4e-0d3f-4f52-8f3e-2b7a1c9d0e11", "user_id": "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f",
            "kind": "deposit", "description": "USDT on TRC20", "status": "success", "direction": "credit",
            "amount_cents": 9_900, "fee_paid": false, "revision": 2, "created_at": "2026-11-21T12:00:00Z",
        });
        for (name, value) in changes.iter().filter_map(|changes| changes.as_object()).flatten() {
            record[name] = value.clone();
        }
        record
    }

    /// [L9] A stored response is read back unchanged, and one that lacks a field is refused.
    #[test]
    fn stored_answers_are_read_as_they_were_written() -> Result<(), serde_json::Error> {
        let id = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
        let at = "2026-11-21T13:00:00.123456Z";
        let method = json!({
            "method_id": id, "currency": "BTC", "network": "Bitcoin", "method_address": "T1", "method_memo": "",
            "method_version": 3,
        });
        let receipt = json!({ "receipt_key": "r", "receipt_content_type": "image/png", "receipt_digest": r"\x01ff" });
        let txid = json!({ "txid": "0xAB", "txid_key": "ab", "vout": 4 });
        let arrived = record(&[
            &method,
            &txid,
            &json!({
                "claimed_txid": "0xAB", "claimed_amount_cents": 10_000, "first_approved_by": id, "first_approved_at": at,
                "received_cents": 9_900, "decided_by": id, "decided_at": at,
            }),
        ]);
        let payment = record(&[&arrived, &receipt]);
        let fee = record(&[&payment, &json!({ "kind": "fee", "direction": "debit", "related_id": id })]);
        let course = record(&[&payment, &json!({ "kind": "course", "direction": "debit" })]);
        let withdrawal = record(&[
            &method,
            &json!({
                "kind": "withdrawal", "direction": "debit", "status": "pending", "fee_cents": 250,
                "net_amount_cents": 9_650, "fee_paid": true, "destination_address": "T2", "destination_memo": "m",
                "known_at": at, "approved_by": id, "approved_at": at, "paying_by": id, "paying_until": at,
            }),
        ]);
        let quote = json!({
            "quote_id": id, "asset": "BTC", "asset_decimals": 8, "units": "513809", "rate_micros": 97_312_450_000_i64,
            "spread_bps": 50, "quoted_at": at, "quote_expires_at": at,
        });
        let price = json!({
            "payout_contract": "", "payout_decimals": 8, "payout_units": "98672", "payout_rate_micros": 97_312_450_000_i64,
            "payout_spread_bps": 50, "payout_priced_at": at,
        });
        let quoted = record(&[&withdrawal, &quote]);
        let sent = record(&[&withdrawal, &price, &txid, &json!({ "sent_by": id, "sent_at": at })]);
        let bonus = record(&[&json!({ "kind": "bonus" })]);
        let profit = record(&[&json!({ "kind": "profit", "related_id": id })]);
        let bought = record(&[&json!({ "kind": "course", "direction": "debit" })]);
        let trade = record(&[&json!({ "kind": "trade", "direction": "debit", "related_id": id })]);
        let adjustment = record(&[&json!({ "kind": "adjustment", "direction": "debit", "related_id": id })]);
        for stored in [
            &arrived,
            &payment,
            &fee,
            &course,
            &withdrawal,
            &quoted,
            &sent,
            &bonus,
            &profit,
            &bought,
            &trade,
            &adjustment,
        ] {
            let read: Transaction = serde_json::from_value(stored.clone())?;
            assert_eq!(serde_json::to_value(read)?, *stored);
        }
        let unproven = record(&[&payment, &json!({ "claimed_txid": null })]);
        for (whole, part) in [
            (&unproven, "receipt_key"),
            (&payment, "method_id"),
            (&withdrawal, "net_amount_cents"),
            (&quoted, "units"),
            (&sent, "payout_contract"),
            (&trade, "related_id"),
        ] {
            let lacking = record(&[whole, &json!({ part: null })]);
            assert!(serde_json::from_value::<Transaction>(lacking).is_err(), "{part}");
        }
        Ok(())
    }
}
