//! The table `transactions`.

use chassis::db::PgConnection;
use chassis::money::{Cents, Conversion, Rate, Units};
use serde::Serialize;
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use crate::domain::cursor::Cursor;
use crate::domain::holding::{Movement, Outflow};
use crate::domain::limits::{APPROVED_ALONE_PERIOD, ApprovedAlone};
use crate::domain::observed_payment::ObservedPayment;
use crate::domain::search::Search;
use crate::domain::transaction::record::Record;
use crate::domain::transaction::{
    Destination, FirstApproval, Kind, Lease, MethodCopy, PayoutPrice, QuoteCopy, Receipt, Status, Transaction,
};

/// The lines that a clause finds. Each column is named: a statement that is kept with its connection would fail after a later
/// version has added one.
macro_rules! select {
    ($($clause:literal)+ $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            "SELECT id, user_id, kind, description, status, direction, amount_cents, claimed_amount_cents, fee_cents, \
             net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo, method_version, \
             destination_address, destination_memo, CASE WHEN kind = 'withdrawal' AND status = 'pending' THEN (SELECT known_at FROM destinations \
                    WHERE destinations.user_id = transactions.user_id AND key = destination_key( \
                        transactions.currency, transactions.network, destination_address, destination_memo)) END AS known_at, receipt_key, receipt_content_type, receipt_digest, claimed_txid, txid, txid_key, vout, \
             first_approved_by, first_approved_at, received_cents, reason_code, approved_by, approved_at, CASE WHEN paying_until > transaction_timestamp() THEN paying_by END AS paying_by, \
             paying_until, decided_by, decided_at, related_id, revision, created_at, quote_id, asset, asset_decimals, \
             units::text AS units, rate_micros, spread_bps, quoted_at, quote_expires_at, payout_contract, payout_decimals, \
             payout_units::text AS payout_units, payout_rate_micros, payout_spread_bps, payout_priced_at, sent_by, sent_at
             FROM transactions " $(+ $clause)+
            $(, $value)*
        )
    };
}

struct Row {
    id: Uuid,
    user_id: Uuid,
    kind: String,
    description: String,
    status: String,
    direction: String,
    amount_cents: i64,
    claimed_amount_cents: Option<i64>,
    fee_cents: Option<i64>,
    net_amount_cents: Option<i64>,
    fee_paid: bool,
    method_id: Option<Uuid>,
    currency: Option<String>,
    network: Option<String>,
    method_address: Option<String>,
    method_memo: Option<String>,
    method_version: Option<i32>,
    destination_address: Option<String>,
    destination_memo: Option<String>,
    // Of open withdrawals.
    known_at: Option<OffsetDateTime>,
    receipt_key: Option<String>,
    receipt_content_type: Option<String>,
    receipt_digest: Option<Vec<u8>>,
    claimed_txid: Option<String>,
    txid: Option<String>,
    txid_key: Option<String>,
    vout: Option<i64>,
    first_approved_by: Option<Uuid>,
    first_approved_at: Option<OffsetDateTime>,
    received_cents: Option<i64>,
    reason_code: Option<String>,
    approved_by: Option<Uuid>,
    approved_at: Option<OffsetDateTime>,
    // Unset when the lease is over.
    paying_by: Option<Uuid>,
    paying_until: Option<OffsetDateTime>,
    decided_by: Option<Uuid>,
    decided_at: Option<OffsetDateTime>,
    related_id: Option<Uuid>,
    revision: i32,
    created_at: OffsetDateTime,
    quote_id: Option<Uuid>,
    asset: Option<String>,
    asset_decimals: Option<i16>,
    units: Option<String>,
    rate_micros: Option<i64>,
    spread_bps: Option<i16>,
    quoted_at: Option<OffsetDateTime>,
    quote_expires_at: Option<OffsetDateTime>,
    payout_contract: Option<String>,
    payout_decimals: Option<i16>,
    payout_units: Option<String>,
    payout_rate_micros: Option<i64>,
    payout_spread_bps: Option<i16>,
    payout_priced_at: Option<OffsetDateTime>,
    sent_by: Option<Uuid>,
    sent_at: Option<OffsetDateTime>,
}

impl Row {
    fn quote(&self) -> Result<Option<QuoteCopy>, sqlx::Error> {
        let Some(id) = self.quote_id else { return Ok(None) };
        let missing = || sqlx::Error::Decode(format!("the quote {id} lacks a part").into());
        Ok(Some(QuoteCopy {
            id,
            asset: self.asset.clone().ok_or_else(missing)?,
            conversion: conversion(self.rate_micros, self.asset_decimals, self.spread_bps).ok_or_else(missing)?,
            units: self.units.as_deref().and_then(|units| Units::parse(units).ok()).ok_or_else(missing)?,
            at: self.quoted_at.ok_or_else(missing)?,
            expires_at: self.quote_expires_at.ok_or_else(missing)?,
        }))
    }

    fn price(&self) -> Result<Option<PayoutPrice>, sqlx::Error> {
        let Some(units) = &self.payout_units else { return Ok(None) };
        let missing = || sqlx::Error::Decode(format!("the payout of {} lacks a part", self.id).into());
        let parts = (self.payout_rate_micros, self.payout_decimals, self.payout_spread_bps);
        Ok(Some(PayoutPrice {
            asset: self.currency.clone().ok_or_else(missing)?,
            contract: self.payout_contract.clone().ok_or_else(missing)?,
            conversion: conversion(parts.0, parts.1, parts.2).ok_or_else(missing)?,
            units: Units::parse(units).map_err(|_| missing())?,
            at: self.payout_priced_at.ok_or_else(missing)?,
        }))
    }
}

fn conversion(rate_micros: Option<i64>, decimals: Option<i16>, spread_bps: Option<i16>) -> Option<Conversion> {
    Some(Conversion {
        rate: Rate::new(rate_micros?).ok()?,
        decimals: decimals?.try_into().ok()?,
        spread_bps: spread_bps?.try_into().ok()?,
    })
}

impl TryFrom<Row> for Record {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        fn named<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, sqlx::Error> {
            text.parse().map_err(|error: String| sqlx::Error::Decode(error.into()))
        }
        Ok(Self {
            quote: row.quote()?,
            price: row.price()?,
            id: row.id,
            user_id: row.user_id,
            kind: named(&row.kind)?,
            description: row.description,
            status: named(&row.status)?,
            direction: named(&row.direction)?,
            amount: Cents::new(row.amount_cents),
            claimed_amount: row.claimed_amount_cents.map(Cents::new),
            fee: row.fee_cents.map(Cents::new),
            net_amount: row.net_amount_cents.map(Cents::new),
            fee_paid: row.fee_paid,
            method: row.method_id.map(|id| MethodCopy {
                id,
                currency: row.currency.unwrap_or_default(),
                network: row.network.unwrap_or_default(),
                address: row.method_address.unwrap_or_default(),
                memo: row.method_memo.unwrap_or_default(),
                version: row.method_version.unwrap_or_default(),
            }),
            destination: row
                .destination_address
                .map(|address| Destination { address, memo: row.destination_memo.unwrap_or_default() }),
            known_at: row.known_at,
            receipt: row.receipt_key.map(|key| Receipt {
                key,
                content_type: row.receipt_content_type.unwrap_or_default(),
                digest: row.receipt_digest.unwrap_or_default(),
            }),
            claimed_txid: row.claimed_txid,
            txid: row.txid,
            txid_key: row.txid_key,
            vout: row.vout.map(u32::try_from).transpose().map_err(|error| sqlx::Error::Decode(error.into()))?,
            first_approval: match (row.first_approved_by, row.first_approved_at, row.received_cents) {
                (Some(by), Some(at), Some(cents)) => Some(FirstApproval { by, at, received: Cents::new(cents) }),
                _ => None,
            },
            reason_code: row.reason_code,
            approved_by: row.approved_by,
            approved_at: row.approved_at,
            sent_by: row.sent_by,
            sent_at: row.sent_at,
            paying: row.paying_by.zip(row.paying_until).map(|(by, until)| Lease { by, until }),
            decided_by: row.decided_by,
            decided_at: row.decided_at,
            related_id: row.related_id,
            revision: row.revision,
            created_at: row.created_at,
        })
    }
}

impl TryFrom<Row> for Transaction {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        Self::try_from(Record::try_from(row)?).map_err(|missing| sqlx::Error::Decode(missing.into()))
    }
}

fn all(rows: Vec<Row>) -> Result<Vec<Transaction>, sqlx::Error> {
    rows.into_iter().map(Transaction::try_from).collect()
}

pub async fn insert(conn: &mut PgConnection, one: &Transaction) -> Result<(), sqlx::Error> {
    let one = Record::from(one.clone());
    let method = one.method.as_ref();
    let destination = one.destination.as_ref();
    let receipt = one.receipt.as_ref();
    let quote = QuoteColumns::of(one.quote.as_ref())?;
    sqlx::query!(
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents,
            claimed_amount_cents, fee_cents, net_amount_cents, fee_paid, method_id, currency, network, method_address,
            method_memo, method_version, destination_address, destination_memo, receipt_key, receipt_content_type,
            receipt_digest, claimed_txid, decided_by, decided_at, related_id, revision, created_at, quote_id, asset,
            asset_decimals, units, rate_micros, spread_bps, quoted_at, quote_expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25, $26, $27, $28, $29, $30, $31, $32::text::numeric, $33, $34, $35, $36)",
        one.id,
        one.user_id,
        one.kind.as_str(),
        one.description,
        one.status.as_str(),
        one.direction.as_str(),
        one.amount.get(),
        one.claimed_amount.map(Cents::get),
        one.fee.map(Cents::get),
        one.net_amount.map(Cents::get),
        one.fee_paid,
        method.map(|method| method.id),
        method.map(|method| &method.currency),
        method.map(|method| &method.network),
        method.map(|method| &method.address),
        method.map(|method| &method.memo),
        method.map(|method| method.version),
        destination.map(|destination| &destination.address),
        destination.map(|destination| &destination.memo),
        receipt.map(|receipt| &receipt.key),
        receipt.map(|receipt| &receipt.content_type),
        receipt.map(|receipt| &receipt.digest),
        one.claimed_txid,
        one.decided_by,
        one.decided_at,
        one.related_id,
        one.revision,
        one.created_at,
        quote.quote_id,
        quote.asset,
        quote.asset_decimals,
        quote.units,
        quote.rate_micros,
        quote.spread_bps,
        quote.quoted_at,
        quote.quote_expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A quote by the names of its columns; without one, all are left out.
#[derive(Default, Serialize)]
struct QuoteColumns<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    quote_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asset: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asset_decimals: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_micros: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread_bps: Option<i16>,
    #[serde(with = "rfc3339::option", skip_serializing_if = "Option::is_none")]
    quoted_at: Option<OffsetDateTime>,
    #[serde(with = "rfc3339::option", skip_serializing_if = "Option::is_none")]
    quote_expires_at: Option<OffsetDateTime>,
}

impl<'a> QuoteColumns<'a> {
    fn of(quote: Option<&'a QuoteCopy>) -> Result<Self, sqlx::Error> {
        let Some(quote) = quote else { return Ok(Self::default()) };
        Ok(Self {
            quote_id: Some(quote.id),
            asset: Some(&quote.asset),
            asset_decimals: Some(quote.conversion.decimals.into()),
            units: Some(quote.units.to_string()),
            rate_micros: Some(quote.conversion.rate.micros()),
            spread_bps: Some(spread(quote.conversion)?),
            quoted_at: Some(quote.at),
            quote_expires_at: Some(quote.expires_at),
        })
    }
}

fn spread(conversion: Conversion) -> Result<i16, sqlx::Error> {
    i16::try_from(conversion.spread_bps).map_err(|error| sqlx::Error::Encode(Box::new(error)))
}

/// A new line by the names of its columns, as the posting engine's function takes it: none has a receipt.
#[derive(Serialize)]
pub struct Line<'a> {
    id: Uuid,
    user_id: Uuid,
    kind: &'static str,
    description: &'a str,
    status: &'static str,
    direction: &'static str,
    amount_cents: i64,
    fee_cents: Option<i64>,
    net_amount_cents: Option<i64>,
    fee_paid: bool,
    method_id: Option<Uuid>,
    currency: Option<&'a str>,
    network: Option<&'a str>,
    method_address: Option<&'a str>,
    method_memo: Option<&'a str>,
    method_version: Option<i32>,
    destination_address: Option<&'a str>,
    destination_memo: Option<&'a str>,
    decided_by: Option<Uuid>,
    #[serde(with = "rfc3339::option")]
    decided_at: Option<OffsetDateTime>,
    related_id: Option<Uuid>,
    revision: i32,
    #[serde(with = "rfc3339")]
    created_at: OffsetDateTime,
    #[serde(flatten)]
    quote: QuoteColumns<'a>,
}

impl<'a> Line<'a> {
    /// That of a transaction.
    ///
    /// # Errors
    /// If its quote does not fit the columns.
    pub fn of(one: &'a Transaction) -> Result<Self, sqlx::Error> {
        let withdrawal = one.as_withdrawal();
        let method = one.method();
        let destination = withdrawal.and_then(|withdrawal| withdrawal.destination.as_ref());
        Ok(Self {
            quote: QuoteColumns::of(withdrawal.and_then(|withdrawal| withdrawal.quote.as_ref()))?,
            id: one.id,
            user_id: one.user_id,
            kind: one.kind().as_str(),
            description: &one.description,
            status: one.status.as_str(),
            direction: one.direction().as_str(),
            amount_cents: one.amount.get(),
            fee_cents: withdrawal.map(|withdrawal| withdrawal.fee.get()),
            net_amount_cents: withdrawal.map(|withdrawal| withdrawal.net_amount.get()),
            fee_paid: withdrawal.is_some_and(|withdrawal| withdrawal.fee_paid),
            method_id: method.map(|method| method.id),
            currency: method.map(|method| &*method.currency),
            network: method.map(|method| &*method.network),
            method_address: method.map(|method| &*method.address),
            method_memo: method.map(|method| &*method.memo),
            method_version: method.map(|method| method.version),
            destination_address: destination.map(|destination| &*destination.address),
            destination_memo: destination.map(|destination| &*destination.memo),
            decided_by: one.decided_by,
            decided_at: one.decided_at,
            related_id: one.related_id(),
            revision: one.revision,
            created_at: one.created_at,
        })
    }
}

/// Writes the columns that may change, and increments the revision.
///
/// # Errors
/// Of the database, also if the transaction was decided before.
pub async fn save(conn: &mut PgConnection, transaction: &mut Transaction) -> Result<(), sqlx::Error> {
    let one = Record::from(transaction.clone());
    let price = one.price.as_ref();
    transaction.revision = sqlx::query_scalar!(
        "UPDATE transactions SET description = $2, status = $3, amount_cents = $4, claimed_amount_cents = $5,
            net_amount_cents = $6, fee_paid = $7, destination_address = $8, destination_memo = $9, txid = $10,
            txid_key = $11, reason_code = $12, approved_by = $13, approved_at = $14, decided_by = $15, decided_at = $16,
            vout = $17, first_approved_by = $18, first_approved_at = $19, received_cents = $20, paying_by = $21,
            paying_until = $22, units = $23::text::numeric, payout_contract = $24, payout_decimals = $25,
            payout_units = $26::text::numeric, payout_rate_micros = $27, payout_spread_bps = $28, payout_priced_at = $29,
            sent_by = $30, sent_at = $31, revision = revision + 1
         WHERE id = $1 RETURNING revision",
        one.id,
        one.description,
        one.status.as_str(),
        one.amount.get(),
        one.claimed_amount.map(Cents::get),
        one.net_amount.map(Cents::get),
        one.fee_paid,
        one.destination.as_ref().map(|destination| &destination.address),
        one.destination.as_ref().map(|destination| &destination.memo),
        one.txid,
        one.txid_key,
        one.reason_code,
        one.approved_by,
        one.approved_at,
        one.decided_by,
        one.decided_at,
        one.vout.map(i64::from),
        one.first_approval.map(|first| first.by),
        one.first_approval.map(|first| first.at),
        one.first_approval.map(|first| first.received.get()),
        one.paying.map(|lease| lease.by),
        one.paying.map(|lease| lease.until),
        one.quote.as_ref().map(|quote| quote.units.to_string()),
        price.map(|price| &price.contract),
        price.map(|price| i16::from(price.conversion.decimals)),
        price.map(|price| price.units.to_string()),
        price.map(|price| price.conversion.rate.micros()),
        price.map(|price| spread(price.conversion)).transpose()?,
        price.map(|price| price.at),
        one.sent_by,
        one.sent_at
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE id = $1", id).fetch_optional(conn).await?.map(Transaction::try_from).transpose()
}

/// The lines with these ids, in no order.
pub async fn find_all(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Transaction>, sqlx::Error> {
    // The number of ids is hidden from the planner, which would plan a lookup of one id again each time.
    all(select!("WHERE id = ANY ((SELECT $1::uuid[])::uuid[])", ids).fetch_all(conn).await?)
}

/// The line with this id, locked until the transaction ends. The member is to be locked before.
pub async fn lock(conn: &mut PgConnection, id: Uuid) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE id = $1 FOR UPDATE", id).fetch_optional(conn).await?.map(Transaction::try_from).transpose()
}

/// The member's open withdrawal.
pub async fn open_withdrawal(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE user_id = $1 AND kind = 'withdrawal' AND status = 'pending'", user_id)
        .fetch_optional(conn)
        .await?
        .map(Transaction::try_from)
        .transpose()
}

/// The member's open withdrawal, locked until the transaction ends. The member is to be locked before.
pub async fn lock_open_withdrawal(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE user_id = $1 AND kind = 'withdrawal' AND status = 'pending' FOR UPDATE", user_id)
        .fetch_optional(conn)
        .await?
        .map(Transaction::try_from)
        .transpose()
}

/// The withdrawals that are on their way, from the oldest on; as many as this.
pub async fn sent(conn: &mut PgConnection, limit: i64) -> Result<Vec<Transaction>, sqlx::Error> {
    let rows = select!("WHERE sent_at IS NOT NULL AND status = 'pending' ORDER BY sent_at LIMIT $1", limit)
        .fetch_all(conn)
        .await?;
    all(rows)
}

/// Ends the lease of a payout at this moment: its holder cannot pay any more.
pub async fn end_lease(conn: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE transactions SET paying_until = $2, revision = revision + 1 WHERE id = $1", id, now)
        .execute(conn)
        .await?;
    Ok(())
}

/// A member's lines behind a cursor, newest first.
pub async fn history(
    conn: &mut PgConnection,
    user_id: Uuid,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    // The member is hidden from the planner: of one who has most lines it expects to meet 50 among everybody's newest,
    // and reads all that came since.
    let rows = select!(
        "WHERE user_id = (SELECT $1::uuid) AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $4",
        user_id,
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id),
        limit
    )
    .fetch_all(conn)
    .await?;
    all(rows)
}

/// Those of a member that are looked for, newest first, found along the member's history.
pub async fn search_history(
    conn: &mut PgConnection,
    user_id: Uuid,
    search: &Search,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    let rows = select!(
        "WHERE user_id = (SELECT $1::uuid) AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
            AND ($7 = '' OR id BETWEEN $8::uuid AND $9::uuid
                OR $10::bigint IN (amount_cents, claimed_amount_cents, fee_cents, net_amount_cents)
                OR strpos(lower(concat_ws(' ', kind, description, currency, network, txid, txid_key, claimed_txid,
                    destination_address, method_address)), $7) > 0)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        user_id,
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id),
        limit,
        search.from,
        search.to,
        &search.text,
        search.ids.map(|ids| ids.0),
        search.ids.map(|ids| ids.1),
        search.amount.map(Cents::get),
    )
    .fetch_all(conn)
    .await?;
    all(rows)
}

/// Whether a transaction has this quote.
pub async fn is_quote_used(conn: &mut PgConnection, quote_id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM transactions WHERE quote_id = $1) AS "used!""#, quote_id)
        .fetch_one(conn)
        .await
}

/// The member's quotes that transactions have and that are still open.
pub async fn used_quotes(conn: &mut PgConnection, user_id: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT quote_id AS "quote_id!" FROM transactions
         WHERE user_id = $1 AND created_at > now() - interval '1 hour' AND quote_id IS NOT NULL AND quote_expires_at > now()"#,
        user_id,
    )
    .fetch_all(conn)
    .await
}

/// The sum of the other payments of a transaction's member in a period that are not refused.
pub async fn sum_payments(
    conn: &mut PgConnection,
    one: &Transaction,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Cents, sqlx::Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT coalesce(sum(amount_cents), 0)::bigint AS "sum!" FROM transactions
         WHERE user_id = $1 AND id <> $2 AND kind IN ('deposit', 'course', 'fee') AND method_id IS NOT NULL
            AND status <> 'failed' AND created_at BETWEEN $3 AND $4"#,
        one.user_id,
        one.id,
        from,
        until,
    )
    .fetch_one(conn)
    .await?;
    Ok(Cents::new(sum))
}

/// Deposits and course payments of a member that wait for review.
pub async fn pending_deposits(conn: &mut PgConnection, user_id: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM transactions
        WHERE user_id = $1 AND kind IN ('deposit', 'course') AND status = 'pending'"#,
        user_id
    )
    .fetch_one(conn)
    .await
}

/// Whether a fee payment for this withdrawal waits for review.
pub async fn has_pending_fee(conn: &mut PgConnection, withdrawal_id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM transactions WHERE related_id = $1 AND kind = 'fee' AND status = 'pending')
        AS "exists!""#,
        withdrawal_id
    )
    .fetch_one(conn)
    .await
}

/// The fee payment that counts for this withdrawal, if one was confirmed while it was open.
pub async fn confirmed_fee(conn: &mut PgConnection, withdrawal_id: Uuid) -> Result<Option<Transaction>, sqlx::Error> {
    select!(
        "WHERE related_id = $1 AND kind = 'fee' AND status = 'success'
            AND EXISTS (SELECT FROM postings WHERE postings.kind = 'fee' AND business_id = transactions.id)",
        withdrawal_id
    )
    .fetch_optional(conn)
    .await?
    .map(Transaction::try_from)
    .transpose()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// `deposit`, `course`, `fee`, `withdrawal` (to decide) or `payout` (to pay).
    pub kind: String,
    pub count: i64,
    pub oldest_at: Option<OffsetDateTime>,
}

/// What waits for staff; every kind is named.
pub async fn queue(conn: &mut PgConnection) -> Result<Vec<Waiting>, sqlx::Error> {
    sqlx::query_as!(
        Waiting,
        r#"SELECT kinds.kind AS "kind!", count(waiting.id) AS "count!", min(waiting.created_at) AS oldest_at
        FROM unnest(ARRAY['deposit', 'course', 'fee', 'withdrawal', 'payout']) WITH ORDINALITY AS kinds (kind, place)
        LEFT JOIN transactions AS waiting ON waiting.status = 'pending' AND waiting.sent_at IS NULL
            AND CASE WHEN waiting.approved_at IS NULL THEN waiting.kind ELSE 'payout' END = kinds.kind
        GROUP BY kinds.kind, kinds.place ORDER BY kinds.place"#
    )
    .fetch_all(conn)
    .await
}

/// The transactions that wait for staff, the longest waiting first; as many as this.
pub async fn waiting(conn: &mut PgConnection, limit: i64) -> Result<Vec<Transaction>, sqlx::Error> {
    let rows = select!("WHERE status = 'pending' AND sent_at IS NULL ORDER BY created_at, id LIMIT $1", limit)
        .fetch_all(conn)
        .await?;
    all(rows)
}

/// What staff looks for; unset parts match everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub user_id: Option<Uuid>,
    /// The first and last id of a reference.
    pub ids: Option<(Uuid, Uuid)>,
    /// An address or a hash; matches beside `ids`.
    pub text: Option<String>,
    /// The text in the form in which equal hashes are equal.
    pub txid_key: Option<String>,
    /// The text as an amount.
    pub amount: Option<Cents>,
}

/// The page behind a cursor of the lines that a condition on an index selects, and that match the rest of a filter.
macro_rules! page {
    ($condition:literal, $value:expr, $filter:ident, $after:ident, $limit:ident) => {
        select!(
            "WHERE " $condition " AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR kind = $3)
                AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
             ORDER BY created_at DESC, id DESC LIMIT $6",
            $value,
            $filter.status.map(Status::as_str),
            $filter.kind.map(Kind::as_str),
            $after.map(|cursor| cursor.created_at),
            $after.map(|cursor| cursor.id),
            $limit
        )
    };
}

/// Lines behind a cursor that match, newest first. Each statement has one plan for every value, on an index that leaves
/// little to filter.
pub async fn search(
    conn: &mut PgConnection,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    let status = filter.status.map(Status::as_str);
    let rows = if filter.text.is_some() {
        with_text(conn, filter, after, limit).await?
    } else if let Some(user_id) = filter.user_id {
        page!("user_id = (SELECT $1::uuid)", user_id, filter, after, limit).fetch_all(conn).await?
    } else if matches!(filter.status, Some(Status::Pending | Status::Failed)) {
        page!("status = $1::text AND status <> 'success'", status, filter, after, limit).fetch_all(conn).await?
    } else if let Some(kind) = filter.kind {
        page!("kind = $1::text", kind.as_str(), filter, after, limit).fetch_all(conn).await?
    } else {
        page!("($1::text IS NULL OR status = $1)", status, filter, after, limit).fetch_all(conn).await?
    };
    all(rows)
}

/// Lines that a text names: a reference, an address, a hash or an amount. Only an address of the platform and an amount are named
/// by many.
async fn with_text(
    conn: &mut PgConnection,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    select!(
        "WHERE id IN (
                SELECT id FROM transactions WHERE id BETWEEN $4 AND $5
                UNION ALL SELECT id FROM transactions WHERE destination_address = $6
                UNION ALL SELECT id FROM transactions WHERE claimed_txid = $6
                UNION ALL SELECT id FROM transactions WHERE txid_key = $7
                UNION ALL (SELECT id FROM transactions WHERE method_address = $6
                    AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
                    AND ($3::uuid IS NULL OR user_id = $3)
                    AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $10)
                UNION ALL (SELECT id FROM transactions WHERE amount_cents = $11
                    AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
                    AND ($3::uuid IS NULL OR user_id = $3)
                    AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $10))
            AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
            AND ($3::uuid IS NULL OR user_id = $3)
            AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $10",
        filter.status.map(Status::as_str),
        filter.kind.map(Kind::as_str),
        filter.user_id,
        filter.ids.map(|ids| ids.0),
        filter.ids.map(|ids| ids.1),
        filter.text,
        filter.txid_key,
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id),
        limit,
        filter.amount.map(Cents::get)
    )
    .fetch_all(conn)
    .await
}

/// What was approved by one person within the last day: for a member, and by a reviewer, whose approvals wait for each other.
pub async fn approved_alone(
    conn: &mut PgConnection,
    (reviewer, member): (Uuid, Uuid),
    now: OffsetDateTime,
) -> Result<ApprovedAlone, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('approvals by ' || $1::text, 0)) IS NULL AS "locked!""#,
        reviewer.to_string(),
    )
    .fetch_one(&mut *conn)
    .await?;
    let since = now - APPROVED_ALONE_PERIOD;
    let row = sqlx::query!(
        r#"SELECT (SELECT coalesce(sum(amount_cents), 0)::bigint FROM transactions
                WHERE user_id = $2 AND is_proven IS NOT NULL AND status = 'success' AND first_approved_by IS NULL
                    AND decided_at > $3) AS "member!",
            coalesce(sum(amount_cents) FILTER (WHERE user_id = $2), 0)::bigint AS "member_unproven!",
            coalesce(sum(amount_cents) FILTER (WHERE decided_by = $1), 0)::bigint AS "reviewer_unproven!"
         FROM transactions
         WHERE NOT is_proven AND status = 'success' AND first_approved_by IS NULL AND decided_at > $3"#,
        reviewer,
        member,
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok(ApprovedAlone {
        member: Cents::new(row.member),
        member_unproven: Cents::new(row.member_unproven),
        reviewer_unproven: Cents::new(row.reviewer_unproven),
    })
}

/// Notes whether the chain proves a payment that is being approved.
pub async fn note_proof(conn: &mut PgConnection, id: Uuid, is_proven: bool) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE transactions SET is_proven = $2 WHERE id = $1", id, is_proven).execute(conn).await?;
    Ok(())
}

/// Other lines with the same proof.
pub async fn with_receipt(conn: &mut PgConnection, digest: &[u8], but: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM transactions WHERE receipt_digest = $1 AND id <> $2 ORDER BY created_at DESC LIMIT 20",
        digest,
        but
    )
    .fetch_all(conn)
    .await
}

/// A payout to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidTo {
    pub id: Uuid,
    pub user_id: Uuid,
}

/// The payouts to a destination that were requested before a withdrawal: its member's first, newest first, 20 of them and 20
/// of all others.
pub async fn paid_to(
    conn: &mut PgConnection,
    destination: &Destination,
    before: &Transaction,
) -> Result<Vec<PaidTo>, sqlx::Error> {
    sqlx::query_as!(
        PaidTo,
        r#"WITH paid AS MATERIALIZED (
            SELECT id, user_id, created_at FROM transactions
            WHERE destination_address = $1 AND coalesce(destination_memo, '') = $2 AND kind = 'withdrawal'
              AND status = 'success' AND (created_at, id) < ($3, $4))
        (SELECT id AS "id!", user_id AS "user_id!" FROM paid WHERE user_id = $5 ORDER BY created_at DESC LIMIT 20)
        UNION ALL
        (SELECT id, user_id FROM paid WHERE user_id <> $5 ORDER BY created_at DESC LIMIT 20)"#,
        destination.address,
        destination.memo,
        before.created_at,
        before.id,
        before.user_id,
    )
    .fetch_all(conn)
    .await
}

/// Another use of a transaction hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TxidUse {
    pub id: Uuid,
    /// By a payout, not by a payment from outside.
    pub is_payout: bool,
    /// Which output, where one was named.
    pub vout: Option<i64>,
}

/// Other transactions with the same hash, confirmed or only claimed.
pub async fn with_txid(conn: &mut PgConnection, text: &str, key: &str, but: Uuid) -> Result<Vec<TxidUse>, sqlx::Error> {
    sqlx::query_as!(
        TxidUse,
        r#"SELECT id, kind = 'withdrawal' AS "is_payout!", vout FROM transactions
         WHERE (claimed_txid = $1 OR txid_key = $2) AND id <> $3 ORDER BY created_at DESC LIMIT 20"#,
        text,
        key,
        but
    )
    .fetch_all(conn)
    .await
}

/// The newest quotes for an address and asset whose deposits are decided.
pub async fn settled_quotes(
    conn: &mut PgConnection,
    (address, currency): (&str, &str),
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT quote_id AS "id!" FROM transactions
        WHERE method_address = $1 AND currency = $2 AND status <> 'pending' AND quote_id IS NOT NULL
            AND created_at > now() - interval '2 days'
        ORDER BY created_at DESC LIMIT 100"#,
        address,
        currency
    )
    .fetch_all(conn)
    .await
}

/// Whether a transaction accounts for each of these payments.
pub async fn claimed(conn: &mut PgConnection, payments: &[ObservedPayment]) -> Result<Vec<bool>, sqlx::Error> {
    let texts =
        |part: fn(&ObservedPayment) -> &String| payments.iter().map(|one| part(one).clone()).collect::<Vec<_>>();
    let outputs: Vec<_> = payments.iter().map(|one| i64::from(one.vout)).collect();
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM consumed_payments AS consumed
                WHERE consumed.chain = observed.chain AND consumed.txid = observed.txid AND consumed.freed_at IS NULL
                    AND (consumed.vout = observed.vout OR consumed.vout = -1))
            OR EXISTS (SELECT FROM transactions WHERE status = 'pending' AND kind <> 'withdrawal' AND claimed_txid IN (
                observed.txid, '0x' || observed.txid, upper(observed.txid), '0x' || upper(observed.txid)))
            OR EXISTS (SELECT FROM transactions WHERE status = 'pending' AND kind <> 'withdrawal'
                AND method_address = observed.address AND asset = observed.asset AND transactions.units = observed.units::numeric)
            AS "claimed!"
         FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
            WITH ORDINALITY AS observed (chain, txid, vout, address, asset, units, place) ORDER BY place"#,
        &texts(|one| &one.chain),
        &texts(|one| &one.txid),
        &outputs,
        &texts(|one| &one.address),
        &texts(|one| &one.asset),
        &texts(|one| &one.units),
    )
    .fetch_all(conn)
    .await
}

/// The newest open payments whose members were shown an address for a currency.
pub async fn open_at(
    conn: &mut PgConnection,
    (address, currency): (&str, &str),
) -> Result<Vec<Transaction>, sqlx::Error> {
    let rows = select!(
        "WHERE method_address = $1 AND currency = $2 AND status = 'pending' AND kind <> 'withdrawal'
            AND first_approved_by IS NULL ORDER BY created_at DESC, id DESC LIMIT 20",
        address,
        currency,
    )
    .fetch_all(conn)
    .await?;
    all(rows)
}

/// The withdrawal that was paid with each payout, or with one that it replaced: to its destination, and with exactly the units
/// of its asset that were fixed. A replacement may have its outputs in another order.
pub async fn paid_with(conn: &mut PgConnection, outflows: &[Outflow]) -> Result<Vec<Option<Uuid>>, sqlx::Error> {
    let each = || outflows.iter().map(|one| &one.payment);
    let hashes: Vec<_> = outflows
        .iter()
        .map(|one| {
            // Neither has a comma.
            let all: Vec<_> =
                std::iter::once(&*one.payment.txid).chain(one.replaces.iter().map(|text| &**text)).collect();
            all.join(",")
        })
        .collect();
    let outputs: Vec<_> = each().map(|one| i64::from(one.vout)).collect();
    let counterparties: Vec<_> = each().map(|one| one.counterparty.clone()).collect();
    let assets: Vec<_> = each().map(|one| one.asset.clone()).collect();
    let units: Vec<_> = each().map(|one| one.units.to_string()).collect();
    sqlx::query_scalar!(
        r#"SELECT (SELECT id FROM transactions AS paid
            WHERE paid.txid_key = ANY (string_to_array(observed.hashes, ',')) AND paid.kind = 'withdrawal'
                AND (paid.status = 'success' OR paid.sent_at IS NOT NULL) AND (paid.vout IS NULL OR paid.vout = observed.vout
                    OR paid.txid_key <> split_part(observed.hashes, ',', 1))
                AND lower(paid.destination_address) = lower(observed.counterparty)
                AND paid.currency = observed.asset AND paid.payout_units = observed.units::numeric LIMIT 1) AS "id?"
         FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
            WITH ORDINALITY AS observed (hashes, vout, counterparty, asset, units, place) ORDER BY place"#,
        &hashes,
        &outputs,
        &counterparties,
        &assets,
        &units,
    )
    .fetch_all(conn)
    .await
}

/// A withdrawal whose payment has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPayout {
    pub destination: String,
    pub currency: String,
    pub units: String,
}

impl OpenPayout {
    /// Whether it may have been paid with this payment.
    #[must_use]
    pub fn is_paid_by(&self, payment: &Movement) -> bool {
        self.destination.eq_ignore_ascii_case(&payment.counterparty)
            && self.currency == payment.asset
            && self.units == payment.units.to_string()
    }
}

/// The withdrawals whose payment to the destinations of payouts has begun, and that wait to be marked as paid.
pub async fn open_payouts(conn: &mut PgConnection, outflows: &[Outflow]) -> Result<Vec<OpenPayout>, sqlx::Error> {
    let destinations: Vec<_> = outflows.iter().map(|one| one.payment.counterparty.to_lowercase()).collect();
    sqlx::query_as!(
        OpenPayout,
        r#"SELECT destination_address AS "destination!", currency AS "currency!", payout_units::text AS "units!" FROM transactions
         WHERE kind = 'withdrawal' AND status = 'pending' AND sent_at IS NULL AND payout_units IS NOT NULL
            AND currency IS NOT NULL AND lower(destination_address) = ANY ($1)"#,
        &destinations,
    )
    .fetch_all(conn)
    .await
}

/// What a member's payments and withdrawals came to so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// The first line of the history.
    pub since: Option<OffsetDateTime>,
    /// Confirmed payments and paid withdrawals.
    pub confirmed: i64,
    pub rejected: i64,
    /// Rejections within a year, since which fewer than five deposits were confirmed.
    pub lately_rejected: i64,
}

/// What a member's payments and withdrawals came to so far.
pub async fn track(conn: &mut PgConnection, user_id: Uuid) -> Result<Track, sqlx::Error> {
    sqlx::query_as!(
        Track,
        r#"SELECT min(created_at) AS since,
            count(*) FILTER (WHERE status = 'success' AND kind IN ('deposit', 'course', 'fee', 'withdrawal')) AS "confirmed!",
            count(*) FILTER (WHERE status = 'failed') AS "rejected!",
            count(*) FILTER (WHERE status = 'failed' AND decided_at > now() - interval '1 year' AND decided_at > coalesce(
                (SELECT good.decided_at FROM transactions AS good
                 WHERE good.user_id = $1 AND good.kind = 'deposit' AND good.status = 'success'
                 ORDER BY good.decided_at DESC OFFSET 4 LIMIT 1), '-infinity')) AS "lately_rejected!"
        FROM transactions WHERE user_id = $1"#,
        user_id
    )
    .fetch_one(conn)
    .await
}

/// What withdrawals that were paid in `[from, to)` cost a member: out of the payout, and apart from it.
pub async fn fees_paid(
    conn: &mut PgConnection,
    user_id: Uuid,
    (from, to): (OffsetDateTime, OffsetDateTime),
) -> Result<(Cents, Cents), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(amount_cents - net_amount_cents) FILTER (WHERE transactions.kind = 'withdrawal'), 0)::bigint
                AS "of_payouts!: Cents",
            coalesce(sum(amount_cents) FILTER (WHERE transactions.kind = 'fee'), 0)::bigint AS "separate!: Cents"
        FROM transactions JOIN postings ON business_id = transactions.id
            AND postings.kind = CASE transactions.kind WHEN 'withdrawal' THEN 'withdrawal_paid' ELSE 'fee' END
        WHERE transactions.user_id = $1 AND transactions.kind IN ('withdrawal', 'fee') AND status = 'success'
            AND transactions.created_at < $3 AND postings.created_at >= $2 AND postings.created_at < $3"#,
        user_id,
        from,
        to
    )
    .fetch_one(conn)
    .await?;
    Ok((row.of_payouts, row.separate))
}
