//! The tables `deposit_keys` and `deposit_addresses`.

use chassis::id::{MemberId, QuoteId};
use std::collections::HashMap;

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::error::Error;

/// An address of a member's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositAddress {
    pub key_id: i64,
    pub index: i32,
    pub address: String,
    /// When the first payment to it was seen.
    pub paid_at: Option<OffsetDateTime>,
}

/// Makes one member's first visits wait for each other, so that they get one address.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('deposit addresses of ' || $1::text, 0)) IS NULL AS "locked!""#,
        user_id.to_string(),
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// The number of a key in its plain form, which is new if it was never used.
pub async fn key_id(conn: &mut PgConnection, (chain, key): (&str, &str), now: OffsetDateTime) -> Result<i64, Error> {
    let known = sqlx::query_scalar!("SELECT id FROM deposit_keys WHERE chain = $1 AND key = $2", chain, key)
        .fetch_optional(&mut *conn)
        .await?;
    if let Some(id) = known {
        return Ok(id);
    }
    // Another process may insert it at the same time: then its row is there afterwards.
    let id = sqlx::query_scalar!(
        "INSERT INTO deposit_keys (chain, key, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id",
        chain,
        key,
        now,
    )
    .fetch_optional(&mut *conn)
    .await?;
    match id {
        Some(id) => Ok(id),
        None => Ok(sqlx::query_scalar!("SELECT id FROM deposit_keys WHERE chain = $1 AND key = $2", chain, key)
            .fetch_one(conn)
            .await?),
    }
}

/// Takes the next index of a key. Its row is locked until the end of the transaction: what is rolled back is taken by the next one.
pub async fn take_index(conn: &mut PgConnection, key_id: i64) -> Result<i32, Error> {
    let index = sqlx::query_scalar!(
        r#"UPDATE deposit_keys SET next_index = next_index + 1 WHERE id = $1 RETURNING next_index - 1 AS "index!""#,
        key_id,
    )
    .fetch_one(conn)
    .await?;
    Ok(index)
}

/// Stores an address at an index that was taken: of a quote, or the member's current one.
pub async fn insert(
    conn: &mut PgConnection,
    chain: &str,
    one: &DepositAddress,
    (user_id, quote_id): (MemberId, Option<QuoteId>),
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO deposit_addresses (key_id, index, chain, address, user_id, quote_id, is_current, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        one.key_id,
        one.index,
        chain,
        one.address,
        user_id.get(),
        quote_id as _,
        quote_id.is_none(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The address of a key that a member is shown without a quote.
pub async fn current(
    conn: &mut PgConnection,
    (chain, key): (&str, &str),
    user_id: MemberId,
) -> Result<Option<DepositAddress>, Error> {
    let found = sqlx::query_as!(
        DepositAddress,
        "SELECT one.key_id, one.index, one.address, one.paid_at
         FROM deposit_keys JOIN deposit_addresses AS one ON one.key_id = deposit_keys.id
         WHERE deposit_keys.chain = $1 AND deposit_keys.key = $2 AND one.user_id = $3 AND one.is_current",
        chain,
        key,
        user_id.get(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Another address takes the place of a member's current one.
pub async fn retire(conn: &mut PgConnection, one: &DepositAddress) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE deposit_addresses SET is_current = false WHERE key_id = $1 AND index = $2",
        one.key_id,
        one.index,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The index of an address, if it was derived for this member.
pub async fn index_of(conn: &mut PgConnection, address: &str, user_id: MemberId) -> Result<Option<i32>, Error> {
    let found = sqlx::query_scalar!(
        "SELECT index FROM deposit_addresses WHERE address = $1 AND user_id = $2",
        address,
        user_id.get(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Whose these addresses are, of those that are a member's own.
pub async fn owners(conn: &mut PgConnection, addresses: &[String]) -> Result<HashMap<String, MemberId>, Error> {
    let rows = sqlx::query!("SELECT address, user_id FROM deposit_addresses WHERE address = ANY ($1)", addresses)
        .fetch_all(conn)
        .await?;
    Ok(rows.into_iter().map(|row| (row.address, row.user_id.into())).collect())
}

/// Notes that an address was paid to, and returns whose it is.
pub async fn note_paid(conn: &mut PgConnection, address: &str, now: OffsetDateTime) -> Result<Option<MemberId>, Error> {
    sqlx::query!("UPDATE deposit_addresses SET paid_at = $2 WHERE address = $1 AND paid_at IS NULL", address, now,)
        .execute(&mut *conn)
        .await?;
    let owner = sqlx::query_scalar!("SELECT user_id FROM deposit_addresses WHERE address = $1", address)
        .fetch_optional(conn)
        .await?;
    Ok(owner.map(Into::into))
}

/// The keys of a chain, each with the number of its addresses.
pub async fn keys(conn: &mut PgConnection, chain: &str) -> Result<Vec<(i64, i32)>, Error> {
    let rows = sqlx::query!("SELECT id, next_index FROM deposit_keys WHERE chain = $1", chain).fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.next_index)).collect())
}

/// The addresses of a key from an index on, and since when they exist; this many of them, in their order. An index is taken only
/// after the one before is committed, so none appears later.
pub async fn derived(
    conn: &mut PgConnection,
    (key_id, from): (i64, i32),
    limit: i64,
) -> Result<Vec<(i32, String, OffsetDateTime)>, Error> {
    let rows = sqlx::query!(
        "SELECT index, address, created_at FROM deposit_addresses WHERE key_id = $1 AND index >= $2
         ORDER BY index LIMIT $3",
        key_id,
        from,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.index, row.address, row.created_at)).collect())
}

/// The addresses that were paid to and whose balances were read the longest ago.
pub async fn due(conn: &mut PgConnection, chain: &str, limit: i64) -> Result<Vec<String>, Error> {
    let found = sqlx::query_scalar!(
        "SELECT address FROM deposit_addresses WHERE chain = $1 AND paid_at IS NOT NULL
         ORDER BY read_at NULLS FIRST, key_id, index LIMIT $2",
        chain,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}

/// Notes when the balances of these addresses were read.
pub async fn note_read(conn: &mut PgConnection, addresses: &[String], now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("UPDATE deposit_addresses SET read_at = $2 WHERE address = ANY ($1)", addresses, now)
        .execute(conn)
        .await?;
    Ok(())
}

/// An address that holds something, as the signer of the treasury needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub symbol: String,
    pub key: String,
    pub index: i32,
    pub address: String,
    /// In the smallest unit, when it was read last.
    pub units: String,
}

/// The addresses of a chain that held something when they were read last, after an address, in the order of the addresses.
pub async fn held(conn: &mut PgConnection, chain: &str, after: (&str, &str), limit: i64) -> Result<Vec<Held>, Error> {
    let found = sqlx::query_as!(
        Held,
        r#"SELECT holdings.symbol, deposit_keys.key, one.index, one.address, holdings.units::text AS "units!"
         FROM holdings JOIN deposit_addresses AS one ON one.address = holdings.address
         JOIN deposit_keys ON deposit_keys.id = one.key_id
         WHERE holdings.chain = $1 AND (holdings.symbol, holdings.address) > ($2, $3) AND holdings.units > 0
         ORDER BY holdings.symbol, holdings.address LIMIT $4"#,
        chain,
        after.0,
        after.1,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}
