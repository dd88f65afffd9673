//! A transaction as a flat record, as stored in its table and in kept responses.

use chassis::money::Cents;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::transaction::{
    Approval, Destination, Details, Direction, FirstApproval, Kind, Lease, MethodCopy, Payment, PayoutPrice, Purpose,
    QuoteCopy, Receipt, Sent, Status, TradePart, Transaction, Withdrawal,
};
use crate::domain::txid::Txid;

/// A transaction; the parts that its kind does not have are unset. Later versions may add parts but rename none, because
/// answers of earlier versions are read again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    pub id: Uuid,
    pub user_id: Uuid,
    pub kind: Kind,
    pub description: String,
    pub status: Status,
    pub direction: Direction,
    pub amount: Cents,
    pub claimed_amount: Option<Cents>,
    pub fee: Option<Cents>,
    pub net_amount: Option<Cents>,
    pub fee_paid: bool,
    pub method: Option<MethodCopy>,
    pub destination: Option<Destination>,
    /// Since when the destination of an open withdrawal is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_at: Option<OffsetDateTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<QuoteCopy>,
    pub receipt: Option<Receipt>,
    pub claimed_txid: Option<String>,
    pub txid: Option<String>,
    /// The comparable form of `txid`.
    pub txid_key: Option<String>,
    pub vout: Option<u32>,
    pub first_approval: Option<FirstApproval>,
    pub reason_code: Option<String>,
    pub approved_by: Option<Uuid>,
    pub approved_at: Option<OffsetDateTime>,
    pub paying: Option<Lease>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PayoutPrice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_by: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<OffsetDateTime>,
    pub decided_by: Option<Uuid>,
    pub decided_at: Option<OffsetDateTime>,
    pub related_id: Option<Uuid>,
    pub revision: i32,
    pub created_at: OffsetDateTime,
}

impl TryFrom<Record> for Transaction {
    /// Which part is missing.
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        let (id, kind) = (record.id, record.kind);
        let missing = |part: &str| format!("the {} {id} has no {part}", kind.as_str());
        let related = || record.related_id.ok_or_else(|| missing("related id"));
        let txid = record.txid.zip(record.txid_key).map(|(text, key)| Txid {
            text,
            key,
            outputs: record.vout.into_iter().collect(),
        });
        let payment = |purpose| {
            Ok::<_, String>(Details::Payment(Payment {
                purpose,
                method: record.method.clone().ok_or_else(|| missing("method"))?,
                receipt: match (&record.receipt, &record.claimed_txid) {
                    (None, None) => return Err(missing("receipt")),
                    (receipt, _) => receipt.clone(),
                },
                claimed_txid: record.claimed_txid.clone(),
                claimed_amount: record.claimed_amount,
                txid: txid.clone(),
                first_approval: record.first_approval,
                quote: record.quote.clone(),
            }))
        };
        let trade = |part| Ok::<_, String>(Details::Trade { part, trade_id: related()? });
        let details = match (kind, record.direction) {
            (Kind::Deposit, _) => payment(Purpose::Deposit)?,
            (Kind::Fee, _) => payment(Purpose::Fee { withdrawal_id: related()? })?,
            (Kind::Course, _) if record.method.is_none() => Details::Purchase,
            (Kind::Course, _) => payment(Purpose::Course)?,
            (Kind::Withdrawal, _) => Details::Withdrawal(Withdrawal {
                fee: record.fee.ok_or_else(|| missing("fee"))?,
                net_amount: record.net_amount.ok_or_else(|| missing("net amount"))?,
                fee_paid: record.fee_paid,
                method: record.method.ok_or_else(|| missing("method"))?,
                destination: record.destination,
                known_at: record.known_at,
                approval: record.approved_by.zip(record.approved_at).map(|(by, at)| Approval { by, at }),
                paying: record.paying,
                price: record.price,
                sent: record.sent_by.zip(record.sent_at).map(|(by, at)| Sent { by, at }),
                txid,
                quote: record.quote,
            }),
            (Kind::Trade, Direction::Debit) => trade(TradePart::Invested)?,
            (Kind::Trade, Direction::Credit) => trade(TradePart::Returned)?,
            (Kind::Profit, _) => trade(TradePart::Profit)?,
            (Kind::Bonus, _) => Details::Bonus,
            (Kind::Adjustment, direction) => Details::Adjustment { direction, related_id: record.related_id },
        };
        Ok(Self {
            id,
            user_id: record.user_id,
            details,
            description: record.description,
            status: record.status,
            amount: record.amount,
            reason_code: record.reason_code,
            decided_by: record.decided_by,
            decided_at: record.decided_at,
            revision: record.revision,
            created_at: record.created_at,
        })
    }
}

impl From<Transaction> for Record {
    fn from(one: Transaction) -> Self {
        let (kind, direction, related_id) = (one.kind(), one.direction(), one.related_id());
        let record = Self {
            id: one.id,
            user_id: one.user_id,
            kind,
            description: one.description,
            status: one.status,
            direction,
            amount: one.amount,
            claimed_amount: None,
            fee: None,
            net_amount: None,
            fee_paid: false,
            method: None,
            destination: None,
            known_at: None,
            quote: None,
            receipt: None,
            claimed_txid: None,
            txid: None,
            txid_key: None,
            vout: None,
            first_approval: None,
            reason_code: one.reason_code,
            approved_by: None,
            approved_at: None,
            paying: None,
            price: None,
            sent_by: None,
            sent_at: None,
            decided_by: one.decided_by,
            decided_at: one.decided_at,
            related_id,
            revision: one.revision,
            created_at: one.created_at,
        };
        match one.details {
            Details::Payment(payment) => Self {
                method: Some(payment.method),
                receipt: payment.receipt,
                claimed_txid: payment.claimed_txid,
                claimed_amount: payment.claimed_amount,
                first_approval: payment.first_approval,
                quote: payment.quote,
                ..record.with_txid(payment.txid)
            },
            Details::Withdrawal(withdrawal) => Self {
                fee: Some(withdrawal.fee),
                net_amount: Some(withdrawal.net_amount),
                fee_paid: withdrawal.fee_paid,
                method: Some(withdrawal.method),
                destination: withdrawal.destination,
                known_at: withdrawal.known_at,
                approved_by: withdrawal.approval.map(|approval| approval.by),
                approved_at: withdrawal.approval.map(|approval| approval.at),
                paying: withdrawal.paying,
                price: withdrawal.price,
                sent_by: withdrawal.sent.map(|sent| sent.by),
                sent_at: withdrawal.sent.map(|sent| sent.at),
                quote: withdrawal.quote,
                ..record.with_txid(withdrawal.txid)
            },
            _ => record,
        }
    }
}

impl Serialize for Transaction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Transaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Record::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Record {
    fn with_txid(self, txid: Option<Txid>) -> Self {
        let Some(txid) = txid else { return self };
        let vout = txid.vout();
        Self { txid: Some(txid.text), txid_key: Some(txid.key), vout, ..self }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::domain::transaction::Transaction;

    fn record(changes: &Value) -> Value {
        let mut record = json!({
            "id": "6c1b9a4e-0d3f-4f52-8f3e-2b7a1c9d0e11", "user_id": "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f",
            "kind": "deposit", "description": "USDT on TRC20", "status": "success", "direction": "credit",
            "amount": 9_900, "claimed_amount": null, "fee": null, "net_amount": null, "fee_paid": false, "method": null,
            "destination": null, "receipt": null, "claimed_txid": null, "txid": null, "txid_key": null, "vout": null,
            "first_approval": null, "reason_code": null, "approved_by": null, "approved_at": null, "paying": null,
            "decided_by": null, "decided_at": null, "related_id": null, "revision": 2,
            "created_at": [2026, 325, 12, 0, 0, 0, 0, 0, 0],
        });
        if let (Some(all), Some(changes)) = (record.as_object_mut(), changes.as_object()) {
            all.extend(changes.clone());
        }
        record
    }

    /// [L9] Answers that earlier versions stored are read back unchanged, and an answer that lacks a field is
    /// refused.
    #[test]
    fn stored_answers_are_read_as_they_were_written() -> Result<(), serde_json::Error> {
        let id = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
        let method =
            json!({ "id": id, "currency": "USDT", "network": "TRC20", "address": "T1", "memo": "", "version": 3 });
        let receipt = json!({ "key": "r", "content_type": "image/png", "digest": [1, 2] });
        let at = json!([2026, 325, 13, 0, 0, 0, 0, 0, 0]);
        let payment = json!({
            "method": method, "receipt": receipt, "claimed_txid": "0xAB", "claimed_amount": 10_000, "txid": "0xAB",
            "txid_key": "ab", "vout": 4, "first_approval": { "by": id, "at": at, "received": 9_900 }, "decided_by": id,
            "decided_at": at,
        });
        let mut fee = payment.clone();
        (fee["kind"], fee["direction"], fee["related_id"]) = (json!("fee"), json!("debit"), json!(id));
        let mut course = payment.clone();
        (course["kind"], course["direction"]) = (json!("course"), json!("debit"));
        let withdrawal = json!({
            "kind": "withdrawal", "direction": "debit", "status": "pending", "fee": 250, "net_amount": 9_650,
            "fee_paid": true, "method": method, "destination": { "address": "T2", "memo": "m" }, "known_at": at,
            "approved_by": id, "approved_at": at, "paying": { "by": id, "until": at },
        });
        let mut quoted = withdrawal.clone();
        quoted["quote"] = json!({
            "id": id, "asset": "BTC", "conversion": { "rate": 97_312_450_000_i64, "decimals": 8, "spread_bps": 50 },
            "units": "513809", "at": at, "expires_at": at,
        });
        let mut priced = withdrawal.clone();
        priced["price"] = json!({
            "asset": "BTC", "contract": "", "conversion": { "rate": 97_312_450_000_i64, "decimals": 8, "spread_bps": 50 },
            "units": "98672", "at": at,
        });
        let mut sent = priced.clone();
        (sent["txid"], sent["txid_key"], sent["sent_by"], sent["sent_at"]) =
            (json!("0xAB"), json!("ab"), json!(id), at);
        let (others, related) = (json!({ "kind": "bonus" }), json!({ "kind": "profit", "related_id": id }));
        let bought = json!({ "kind": "course", "direction": "debit" });
        let trade = json!({ "kind": "trade", "direction": "debit", "related_id": id });
        let adjustment = json!({ "kind": "adjustment", "direction": "debit", "related_id": id });
        let withdrawals = [&withdrawal, &quoted, &priced, &sent];
        let mut arrived = payment.clone();
        arrived["receipt"] = Value::Null;
        let all = [&payment, &arrived, &fee, &course, &others, &related, &bought, &trade, &adjustment];
        for changes in withdrawals.into_iter().chain(all) {
            let stored = record(changes);
            let read: Transaction = serde_json::from_value(stored.clone())?;
            assert_eq!(serde_json::to_value(read)?, stored);
        }
        let mut unproven = payment.clone();
        unproven["claimed_txid"] = Value::Null;
        for (whole, part) in
            [(&unproven, "receipt"), (&payment, "method"), (&withdrawal, "net_amount"), (&trade, "related_id")]
        {
            let mut lacking = record(whole);
            lacking[part] = Value::Null;
            assert!(serde_json::from_value::<Transaction>(lacking).is_err(), "{part}");
        }
        Ok(())
    }
}
