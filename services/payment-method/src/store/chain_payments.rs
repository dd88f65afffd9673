//! The table `chain_payments`.

use chassis::id::{MemberId, TransactionId};
use std::collections::HashMap;

use chassis::db::PgConnection;
use chassis::money::{Cents, Conversion, Units};
use time::OffsetDateTime;

use crate::domain::payment::{Block, Fate, Key, Observation, State};
use crate::error::Error;

/// The payments that a clause finds.
macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"SELECT id, chain, txid, idx, way, symbol, address, counterparty, units::text AS "units!", depth, state, height,
                block_hash, block_at, replaced_by, seen_at, changed_at, arrived_at, value_cents
             FROM chain_payments "# + $clause
            $(, $value)*
        )
        .try_map(Payment::try_from)
    };
}

/// A payment as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// In the order in which payments were seen.
    pub id: i64,
    pub chain: String,
    pub key: Key,
    pub symbol: String,
    pub address: String,
    pub counterparty: String,
    pub units: Units,
    pub depth: i32,
    pub state: State,
    pub block: Option<Block>,
    pub replaced_by: String,
    pub seen_at: OffsetDateTime,
    pub changed_at: OffsetDateTime,
    /// When it was seen first; after an outage of the observer, by the clock of its block.
    pub arrived_at: OffsetDateTime,
    /// What it was worth then; `None` if there was no rate.
    pub value: Option<Cents>,
}

/// What is stored about a payment when it is seen first, and never changes.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub depth: i32,
    pub at: OffsetDateTime,
    /// The conversion of its units at that moment, and their value; `None` without a rate.
    pub value: Option<(Conversion, Cents)>,
}

struct Row {
    id: i64,
    chain: String,
    txid: String,
    idx: i32,
    way: String,
    symbol: String,
    address: String,
    counterparty: String,
    units: String,
    depth: i32,
    state: String,
    height: Option<i64>,
    block_hash: String,
    block_at: Option<OffsetDateTime>,
    replaced_by: String,
    seen_at: OffsetDateTime,
    changed_at: OffsetDateTime,
    arrived_at: Option<OffsetDateTime>,
    value_cents: Option<i64>,
}

impl TryFrom<Row> for Payment {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        let state = row.state.parse().map_err(|_| sqlx::Error::Decode("an unknown state".into()))?;
        let way = row.way.parse().map_err(|_| sqlx::Error::Decode("an unknown way".into()))?;
        let hash = row.block_hash;
        Ok(Self {
            id: row.id,
            chain: row.chain,
            key: Key { txid: row.txid, index: row.idx, way },
            symbol: row.symbol,
            address: row.address,
            counterparty: row.counterparty,
            units: Units::parse(&row.units).map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            depth: row.depth,
            state,
            block: row.height.zip(row.block_at).map(|(height, at)| Block { height, hash, at }),
            replaced_by: row.replaced_by,
            seen_at: row.seen_at,
            changed_at: row.changed_at,
            arrived_at: row.arrived_at.unwrap_or(row.seen_at),
            value: row.value_cents.map(Cents::new),
        })
    }
}

/// Those of a chain whose fate may still change: not final, or final above this height.
pub async fn unsettled(conn: &mut PgConnection, chain: &str, height: i64) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE chain = $1 AND (state IN ('seen', 'included') OR state = 'final' AND height > $2) ORDER BY id",
        chain,
        height,
    )
    .fetch_all(conn)
    .await?)
}

/// The payments of these transactions.
pub async fn of_transactions(conn: &mut PgConnection, chain: &str, txids: &[String]) -> Result<Vec<Payment>, Error> {
    Ok(select!("WHERE chain = $1 AND txid = ANY ($2) ORDER BY txid, way, idx", chain, txids).fetch_all(conn).await?)
}

/// Payments to an address since a moment whose units differ from these by five percent or less, the nearest first.
pub async fn near(
    conn: &mut PgConnection,
    (chain, symbol, address): (&str, &str, &str),
    units: Units,
    since: OffsetDateTime,
) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE chain = $1 AND symbol = $2 AND address_key(address) = address_key($3) AND way = 'in'
            AND units * 100 BETWEEN $4::text::numeric * 95 AND $4::text::numeric * 105 AND seen_at >= $5
         ORDER BY abs(units - $4::text::numeric), id LIMIT 20",
        chain,
        symbol,
        address,
        units.to_string(),
        since,
    )
    .fetch_all(conn)
    .await?)
}

/// Payments to the platform that count or still may, below an id, newest first.
pub async fn arrivals(conn: &mut PgConnection, before: i64, limit: i64) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE way = 'in' AND state IN ('seen', 'included', 'final') AND id < $1 ORDER BY id DESC LIMIT $2",
        before,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Payments to an address that no transaction rests on, and that count or still may; newest first.
pub async fn unclaimed_at(
    conn: &mut PgConnection,
    (chain, symbol, address): (&str, &str, &str),
) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE chain = $1 AND symbol = $2 AND address_key(address) = address_key($3) AND way = 'in' AND NOT is_consumed
            AND state IN ('seen', 'included', 'final')
         ORDER BY seen_at DESC, id DESC LIMIT 20",
        chain,
        symbol,
        address,
    )
    .fetch_all(conn)
    .await?)
}

/// The same at all own addresses of a member.
pub async fn arrived(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<Payment>, Error> {
    let payments = sqlx::query_as!(
        Row,
        r#"SELECT one.id, one.chain, txid, idx, way, symbol, one.address, counterparty, units::text AS "units!", depth, state,
            height, block_hash, block_at, replaced_by, seen_at, changed_at, arrived_at, value_cents
         FROM deposit_addresses AS own
         JOIN chain_payments AS one ON address_key(one.address) = address_key(own.address) AND one.way = 'in'
         WHERE own.user_id = $1 AND own.paid_at IS NOT NULL AND one.chain = own.chain AND NOT one.is_consumed
            AND one.state IN ('seen', 'included', 'final')
         ORDER BY one.id DESC LIMIT 20"#,
        user_id.get(),
    )
    .try_map(Payment::try_from)
    .fetch_all(conn)
    .await?;
    Ok(payments)
}

/// Payments to an address since a moment that count or still may, the nearest in value first.
pub async fn nearest_in_value(
    conn: &mut PgConnection,
    (address, symbol): (&str, &str),
    amount: Cents,
    since: OffsetDateTime,
) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE address_key(address) = address_key($1) AND way = 'in' AND symbol = $2 AND seen_at >= $4
            AND state IN ('seen', 'included', 'final')
         ORDER BY abs(coalesce(value_cents, 0) - $3), id LIMIT 50",
        address,
        symbol,
        amount.get(),
        since,
    )
    .fetch_all(conn)
    .await?)
}

/// The payments of a transaction with this hash on one of these chains.
pub async fn with_hash(conn: &mut PgConnection, chains: &[String], txid: &str) -> Result<Vec<Payment>, Error> {
    Ok(
        select!(
            "WHERE chain = ANY ($1) AND txid = $2 AND way IN ('in', 'out') ORDER BY id DESC LIMIT 20",
            chains,
            txid,
        )
        .fetch_all(conn)
        .await?,
    )
}

/// The newest payments to and from an address of the platform.
pub async fn at_address(conn: &mut PgConnection, address: &str) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE id IN (
            (SELECT id FROM chain_payments WHERE address_key(address) = address_key($1) AND way = 'in' ORDER BY seen_at DESC LIMIT 20)
            UNION ALL
            (SELECT id FROM chain_payments WHERE address_key(address) = address_key($1) AND way = 'out' ORDER BY seen_at DESC LIMIT 20))
         ORDER BY seen_at DESC, id DESC LIMIT 20",
        address,
    )
    .fetch_all(conn)
    .await?)
}

/// The withdrawals that payouts belong to, by the number of the payout.
pub async fn withdrawals_of(conn: &mut PgConnection, ids: &[i64]) -> Result<HashMap<i64, TransactionId>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, transaction_id AS "transaction_id!" FROM chain_payments
         WHERE id = ANY ($1) AND transaction_id IS NOT NULL"#,
        ids
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.transaction_id.into())).collect())
}

/// Payouts from the platform to somebody's address, since a moment.
pub async fn paid_to(
    conn: &mut PgConnection,
    (chain, symbol, counterparty): (&str, &str, &str),
    since: OffsetDateTime,
) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "WHERE chain = $1 AND symbol = $2 AND address_key(counterparty) = address_key($3) AND way = 'out' AND seen_at >= $4
         ORDER BY id LIMIT 20",
        chain,
        symbol,
        counterparty,
        since,
    )
    .fetch_all(conn)
    .await?)
}

/// A payment from the platform, with the transactions that it replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outflow {
    pub payment: Payment,
    /// The hashes of earlier transactions of the same payout, which were replaced by this one.
    pub replaces: Vec<String>,
}

/// The payments from the platform above a number that belong to no withdrawal, oldest first.
pub async fn outflows(conn: &mut PgConnection, after: i64, limit: i64) -> Result<Vec<Outflow>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, chain, txid, idx, way, symbol, address, counterparty, units::text AS "units!", depth, state, height,
            block_hash, block_at, replaced_by, seen_at, changed_at, arrived_at, value_cents,
            ARRAY(SELECT before.txid FROM chain_payments AS before
                WHERE before.chain = one.chain AND before.replaced_by = one.txid AND before.replaced_by <> ''
                    AND before.way = 'out' AND before.symbol = one.symbol AND before.units = one.units
                    AND before.counterparty = one.counterparty LIMIT 20) AS "replaces!"
         FROM chain_payments AS one
         WHERE way = 'out' AND transaction_id IS NULL AND state IN ('seen', 'included', 'final') AND id > $1
         ORDER BY id LIMIT $2"#,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let outflows = rows.into_iter().map(|row| {
        let payment = Row {
            id: row.id,
            chain: row.chain,
            txid: row.txid,
            idx: row.idx,
            way: row.way,
            symbol: row.symbol,
            address: row.address,
            counterparty: row.counterparty,
            units: row.units,
            depth: row.depth,
            state: row.state,
            height: row.height,
            block_hash: row.block_hash,
            block_at: row.block_at,
            replaced_by: row.replaced_by,
            seen_at: row.seen_at,
            changed_at: row.changed_at,
            arrived_at: row.arrived_at,
            value_cents: row.value_cents,
        };
        Ok(Outflow { payment: payment.try_into()?, replaces: row.replaces })
    });
    Ok(outflows.collect::<Result<_, sqlx::Error>>()?)
}

/// The newest payouts, and payments that transactions rest on, that do not count any more. A payout that another transaction made
/// instead does not count.
pub async fn undone(conn: &mut PgConnection, limit: i64) -> Result<Vec<Payment>, Error> {
    Ok(select!(
        "AS one
         WHERE (way = 'out' OR is_consumed) AND state IN ('orphaned', 'replaced', 'failed') AND NOT (way = 'out' AND EXISTS (
            SELECT FROM chain_payments AS instead WHERE instead.chain = one.chain AND instead.txid = one.replaced_by
                AND instead.way = 'out' AND instead.counterparty = one.counterparty AND instead.units = one.units
                AND instead.state IN ('seen', 'included', 'final')))
         ORDER BY changed_at DESC LIMIT $1",
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Notes to which withdrawals payouts belong. What is noted stays.
pub async fn match_payouts(conn: &mut PgConnection, matches: &[(i64, TransactionId)]) -> Result<(), Error> {
    let (numbers, transactions): (Vec<_>, Vec<_>) = matches.iter().copied().unzip();
    sqlx::query!(
        "UPDATE chain_payments SET transaction_id = matched.transaction_id
         FROM unnest($1::bigint[], $2::uuid[]) AS matched (id, transaction_id)
         WHERE chain_payments.id = matched.id AND way = 'out' AND chain_payments.transaction_id IS NULL",
        &numbers,
        &transactions as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes a payment, or what became of it. Whether that is news.
pub async fn observe(
    conn: &mut PgConnection,
    (chain, symbol): (&str, &str),
    (one, state): (&Observation, State),
    arrival: Arrival,
    at: OffsetDateTime,
) -> Result<bool, Error> {
    // What an account holds changes with the block; coins are spent at once.
    let waits = one.fate == Fate::Waiting && chain == "bitcoin";
    let (block, replaced_by) = match &one.fate {
        Fate::In(block) | Fate::Failed(block) => (Some(block), ""),
        Fate::Replaced(by) => (None, by.as_str()),
        Fate::Waiting | Fate::Gone => (None, ""),
    };
    let written = sqlx::query!(
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, height,
            block_hash, block_at, replaced_by, seen_at, changed_at, waits, arrived_at, rate_micros, spread_bps, value_cents)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::numeric, $9, $10, $11, $12, $13, $14, $15, $15, $16, $17, $18, $19, $20)
         ON CONFLICT ON CONSTRAINT chain_payments_key DO UPDATE SET state = excluded.state, height = excluded.height,
            block_hash = excluded.block_hash, block_at = excluded.block_at, replaced_by = excluded.replaced_by,
            changed_at = greatest(chain_payments.changed_at, excluded.changed_at), waits = excluded.waits
         WHERE (chain_payments.state, chain_payments.block_hash, chain_payments.replaced_by, chain_payments.waits)
            IS DISTINCT FROM (excluded.state, excluded.block_hash, excluded.replaced_by, excluded.waits)",
        chain,
        one.key.txid,
        one.key.index,
        one.key.way.into_str(),
        symbol,
        one.address,
        one.counterparty,
        one.units.to_string(),
        arrival.depth,
        state.into_str(),
        block.map(|block| block.height),
        block.map_or("", |block| &block.hash),
        block.map(|block| block.at),
        replaced_by,
        at,
        waits,
        arrival.at,
        arrival.value.map(|(conversion, _)| conversion.rate.micros()),
        arrival.value.map(|(conversion, _)| i32::from(conversion.spread_bps)),
        arrival.value.map(|(_, cents)| cents.get()),
    )
    .execute(conn)
    .await?;
    Ok(written.rows_affected() == 1)
}
