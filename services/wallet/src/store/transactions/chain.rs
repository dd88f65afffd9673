//! What transactions share: quotes, receipts, addresses, and payments on a chain.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::{MemberId, QuoteId, TransactionId};

use crate::domain::holding::{Movement, Outflow};
use crate::domain::observed_payment::ObservedPayment;
use crate::domain::transaction::record::Record;
use crate::domain::transaction::{Destination, Transaction};
use crate::store::first;
use crate::store::transactions::newest;

/// Whether a transaction has this quote.
pub async fn is_quote_used(conn: &mut PgConnection, quote_id: QuoteId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM transactions WHERE quote_id = $1) AS "used!""#, quote_id.get())
        .fetch_one(conn)
        .await
}

/// The member's quotes that transactions have and that are still open.
pub async fn used_quotes(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<QuoteId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT quote_id AS "quote_id!: _" FROM transactions
         WHERE user_id = $1 AND created_at > now() - interval '1 hour' AND quote_id IS NOT NULL AND quote_expires_at > now()"#,
        user_id.get(),
    )
    .fetch_all(conn)
    .await
}

/// The newest quotes for an address and asset whose deposits are decided, of all members.
pub async fn settled_quotes(conn: &mut PgConnection, place: (&str, &str)) -> Result<Vec<QuoteId>, sqlx::Error> {
    Ok(across!(conn, settled_quotes_here(conn, place)).concat())
}

async fn settled_quotes_here(
    conn: &mut PgConnection,
    (address, currency): (&str, &str),
) -> Result<Vec<QuoteId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT quote_id AS "id!: _" FROM transactions
        WHERE method_address IS NOT NULL AND address_key(method_address) = address_key($1) AND kind <> 'withdrawal'
            AND currency = $2 AND status <> 'pending' AND quote_id IS NOT NULL AND created_at > now() - interval '2 days'
        ORDER BY created_at DESC LIMIT 100"#,
        address,
        currency
    )
    .fetch_all(conn)
    .await
}

/// Other lines with the same proof, of all members.
pub async fn with_receipt(
    conn: &mut PgConnection,
    digest: &[u8],
    but: TransactionId,
) -> Result<Vec<TransactionId>, sqlx::Error> {
    Ok(across!(conn, with_receipt_here(conn, digest, but)).concat())
}

async fn with_receipt_here(
    conn: &mut PgConnection,
    digest: &[u8],
    but: TransactionId,
) -> Result<Vec<TransactionId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: _" FROM transactions WHERE receipt_digest = $1 AND id <> $2 ORDER BY created_at DESC LIMIT 20"#,
        digest,
        but.get()
    )
    .fetch_all(conn)
    .await
}

/// Maximum payouts to a destination, of a member and of all others.
const PAID_TO: i64 = 20;

/// A payout to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidTo {
    pub id: TransactionId,
    pub user_id: MemberId,
}

/// The payouts to a destination that were requested before a withdrawal: its member's first, newest first, 20 of them and 20
/// of all others.
pub async fn paid_to(
    conn: &mut PgConnection,
    destination: &Destination,
    before: &Transaction,
) -> Result<Vec<PaidTo>, sqlx::Error> {
    let found = across!(conn, paid_to_here(conn, destination, before));
    Ok(first(found, 2 * PAID_TO, |one| one.user_id != before.user_id))
}

async fn paid_to_here(
    conn: &mut PgConnection,
    destination: &Destination,
    before: &Transaction,
) -> Result<Vec<PaidTo>, sqlx::Error> {
    sqlx::query_as!(
        PaidTo,
        r#"WITH paid AS MATERIALIZED (
            SELECT id, user_id, created_at FROM transactions
            WHERE destination_address IS NOT NULL AND address_key(destination_address) = address_key($1)
              AND coalesce(destination_memo, '') = $2 AND kind = 'withdrawal' AND status = 'success'
              AND (created_at, id) < ($3, $4))
        (SELECT id AS "id!", user_id AS "user_id!" FROM paid WHERE user_id = $5 ORDER BY created_at DESC LIMIT 20)
        UNION ALL
        (SELECT id, user_id FROM paid WHERE user_id <> $5 ORDER BY created_at DESC LIMIT 20)"#,
        destination.address,
        destination.memo,
        before.created_at,
        before.id.get(),
        before.user_id.get(),
    )
    .fetch_all(conn)
    .await
}

/// Another use of a transaction hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TxidUse {
    pub id: TransactionId,
    /// By a payout, not by a payment from outside.
    pub is_payout: bool,
    /// Which output, where one was named.
    pub vout: Option<i64>,
}

/// Other transactions with the same hash, confirmed or only claimed, of all members.
pub async fn with_txid(
    conn: &mut PgConnection,
    text: &str,
    key: &str,
    but: TransactionId,
) -> Result<Vec<TxidUse>, sqlx::Error> {
    Ok(across!(conn, with_txid_here(conn, text, key, but)).concat())
}

async fn with_txid_here(
    conn: &mut PgConnection,
    text: &str,
    key: &str,
    but: TransactionId,
) -> Result<Vec<TxidUse>, sqlx::Error> {
    sqlx::query_as!(
        TxidUse,
        r#"SELECT id, kind = 'withdrawal' AS "is_payout!", vout FROM transactions
         WHERE (claimed_txid = $1 OR txid_key = $2) AND id <> $3 ORDER BY created_at DESC LIMIT 20"#,
        text,
        key,
        but.get()
    )
    .fetch_all(conn)
    .await
}

/// Whether a transaction of any member accounts for each of these payments.
pub async fn claimed(conn: &mut PgConnection, payments: &[ObservedPayment]) -> Result<Vec<bool>, sqlx::Error> {
    let found = across!(conn, claimed_here(conn, payments));
    Ok((0..payments.len()).map(|place| found.iter().any(|here| here.get(place) == Some(&true))).collect())
}

async fn claimed_here(conn: &mut PgConnection, payments: &[ObservedPayment]) -> Result<Vec<bool>, sqlx::Error> {
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
                AND method_address IS NOT NULL AND address_key(method_address) = address_key(observed.address)
                AND asset = observed.asset AND transactions.units = observed.units::numeric)
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

/// Maximum open payments of an address.
const OPEN_AT: i64 = 20;

/// The newest open payments whose members were shown an address for a currency.
pub async fn open_at(conn: &mut PgConnection, place: (&str, &str)) -> Result<Vec<Transaction>, sqlx::Error> {
    let found = across!(conn, open_at_here(conn, place));
    Ok(first(found, OPEN_AT, newest))
}

async fn open_at_here(
    conn: &mut PgConnection,
    (address, currency): (&str, &str),
) -> Result<Vec<Transaction>, sqlx::Error> {
    select!(
        "WHERE method_address IS NOT NULL AND address_key(method_address) = address_key($1) AND currency = $2
            AND status = 'pending' AND kind <> 'withdrawal'
            AND first_approved_by IS NULL ORDER BY created_at DESC, id DESC LIMIT 20",
        address,
        currency,
    )
    .fetch_all(conn)
    .await
}

/// The withdrawal that was paid with each payout, or with one that it replaced: to its destination, and with exactly the units
/// of its asset that were fixed. A replacement may have its outputs in another order.
pub async fn paid_with(
    conn: &mut PgConnection,
    outflows: &[Outflow],
) -> Result<Vec<Option<TransactionId>>, sqlx::Error> {
    let found = across!(conn, paid_with_here(conn, outflows));
    let paid = |place: usize| found.iter().find_map(|here| here.get(place).copied().flatten());
    Ok((0..outflows.len()).map(paid).collect())
}

async fn paid_with_here(
    conn: &mut PgConnection,
    outflows: &[Outflow],
) -> Result<Vec<Option<TransactionId>>, sqlx::Error> {
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
                AND address_key(paid.destination_address) = address_key(observed.counterparty)
                AND paid.currency = observed.asset AND paid.payout_units = observed.units::numeric LIMIT 1) AS "id?: _"
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
    /// Its destination as the payouts spell it.
    pub destinations: Vec<String>,
    pub currency: String,
    pub units: String,
}

impl OpenPayout {
    /// Whether it may have been paid with this payment.
    #[must_use]
    pub fn is_paid_by(&self, payment: &Movement) -> bool {
        self.destinations.contains(&payment.counterparty)
            && self.currency == payment.asset
            && self.units == payment.units.to_string()
    }
}

/// The withdrawals whose payment to the destinations of payouts has begun, and that wait to be marked as paid.
pub async fn open_payouts(conn: &mut PgConnection, outflows: &[Outflow]) -> Result<Vec<OpenPayout>, sqlx::Error> {
    Ok(across!(conn, open_payouts_here(conn, outflows)).concat())
}

async fn open_payouts_here(conn: &mut PgConnection, outflows: &[Outflow]) -> Result<Vec<OpenPayout>, sqlx::Error> {
    let destinations: Vec<_> = outflows.iter().map(|one| one.payment.counterparty.clone()).collect();
    sqlx::query_as!(
        OpenPayout,
        r#"SELECT array_agg(observed.counterparty) AS "destinations!", currency AS "currency!", payout_units::text AS "units!"
         FROM transactions JOIN unnest($1::text[]) AS observed (counterparty)
            ON address_key(destination_address) = address_key(observed.counterparty)
         WHERE kind = 'withdrawal' AND status = 'pending' AND sent_at IS NULL AND payout_units IS NOT NULL
            AND currency IS NOT NULL
         GROUP BY transactions.id"#,
        &destinations,
    )
    .fetch_all(conn)
    .await
}
