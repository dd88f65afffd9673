//! The table `quotes`.

use chassis::id::{MemberId, MethodId, QuoteId};
use std::collections::HashSet;

use chassis::db::{self, Db, PgConnection};
use chassis::money::{Cents, Units};
use time::OffsetDateTime;

use crate::domain::evidence::JUST_ENDED;
use crate::domain::quote::{Amount, Direction, Quote, Tails};
use crate::error::Error;

/// Makes one member's quotes wait for each other, so that the limit holds.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('quotes of ' || $1::text, 0)) IS NULL AS "locked!""#,
        user_id.to_string(),
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Makes the quotes of one address and asset wait for each other, so that their units differ.
pub async fn lock_address(conn: &mut PgConnection, address: &str, symbol: &str) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('quotes at ' || address_key($1::text) || ' ' || $2::text, 0)) IS NULL
            AS "locked!""#,
        address,
        symbol,
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// The member's quotes that are open.
pub async fn count_open(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, Error> {
    // The clock after the lock: the transaction may have begun before the quotes that it waited for.
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM quotes WHERE user_id = $1 AND expires_at > clock_timestamp()"#,
        user_id.get(),
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// Which units of a range open quotes of the address and asset have.
pub async fn taken(
    conn: &mut PgConnection,
    (address, symbol): (&str, &str),
    tails: Tails,
    now: OffsetDateTime,
) -> Result<HashSet<Units>, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT units::text AS "units!" FROM quotes
         WHERE address_key(address) = address_key($1) AND symbol = $2 AND direction = 'deposit' AND expires_at > $5
            AND units >= $3::text::numeric AND units < $4::text::numeric"#,
        address,
        symbol,
        tails.first.to_string(),
        tails.end.to_string(),
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(found.iter().map(|text| units(text)).collect::<Result<_, _>>()?)
}

pub async fn insert(conn: &mut PgConnection, quote: &Quote, symbol: &str) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO quotes (id, user_id, direction, amount_cents, priced_cents, method_id, method_version, currency,
            network, address, memo, chain, symbol, contract, decimals, units, rate_micros, spread_bps, sources, created_at,
            expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::text::numeric, $17, $18, $19, $20,
            $21)",
        quote.id.get(),
        quote.user_id.get(),
        quote.direction.into_str(),
        quote.amount.get(),
        quote.priced.get(),
        quote.method_id.get(),
        quote.method_version,
        quote.currency,
        quote.network,
        quote.address,
        quote.memo,
        quote.chain,
        symbol,
        quote.contract,
        i16::from(quote.decimals),
        quote.units,
        quote.rate_micros,
        i32::from(quote.spread_bps),
        serde_json::to_value(&quote.sources)?,
        quote.created_at,
        quote.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose open quotes at a moment asked for exactly these units at an address.
pub async fn owners(
    conn: &mut PgConnection,
    (address, symbol): (&str, &str),
    units: Units,
    at: OffsetDateTime,
) -> Result<Vec<MemberId>, Error> {
    let owners = sqlx::query_scalar!(
        r#"SELECT DISTINCT user_id AS "user_id: _" FROM quotes
         WHERE address_key(address) = address_key($1) AND symbol = $2 AND direction = 'deposit' AND expires_at > $4 AND created_at <= $4
            AND units = $3::text::numeric"#,
        address,
        symbol,
        units.to_string(),
        at,
    )
    .fetch_all(conn)
    .await?;
    Ok(owners)
}

/// The units of other members' quotes for an address that were open at a moment, or had just ended, and differ by five percent
/// or less.
pub async fn near(
    conn: &mut PgConnection,
    (address, symbol): (&str, &str),
    units: Units,
    at: OffsetDateTime,
    (user_id, settled): (MemberId, &[QuoteId]),
) -> Result<Vec<Units>, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT units::text AS "units!" FROM quotes
         WHERE address_key(address) = address_key($1) AND symbol = $2 AND direction = 'deposit' AND created_at <= $4 AND expires_at > $5
            AND $3::text::numeric * 100 BETWEEN units * 95 AND units * 105 AND user_id <> $6 AND id <> ALL ($7)"#,
        address,
        symbol,
        units.to_string(),
        at,
        at - JUST_ENDED,
        user_id.get(),
        settled as _,
    )
    .fetch_all(conn)
    .await?;
    found.iter().map(|units| Ok(Units::parse(units)?)).collect()
}

/// The member's quote with this id.
pub async fn find(conn: &mut PgConnection, user_id: MemberId, id: QuoteId) -> Result<Option<Quote>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, user_id, direction, amount_cents, priced_cents, method_id, method_version, currency, network, address,
            memo, chain, contract, decimals, units::text AS "units!", rate_micros, spread_bps, sources, created_at, expires_at
         FROM quotes WHERE id = $1 AND user_id = $2"#,
        id.get(),
        user_id.get(),
    )
    .fetch_optional(conn)
    .await?;
    row.map(Quote::try_from).transpose()
}

/// The member's newest open quote for an amount by a method, if it is not among the used ones.
pub async fn find_open(
    conn: &mut PgConnection,
    (user_id, used): (MemberId, &[QuoteId]),
    amount: Amount,
    (method_id, method_version): (MethodId, i32),
) -> Result<Option<Quote>, Error> {
    // The clock after the lock, as above.
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, user_id, direction, amount_cents, priced_cents, method_id, method_version, currency, network, address,
            memo, chain, contract, decimals, units::text AS "units!", rate_micros, spread_bps, sources, created_at, expires_at
         FROM quotes
         WHERE user_id = $1 AND direction = $2 AND amount_cents = $3 AND priced_cents = $4 AND method_id = $5
            AND method_version = $6 AND NOT id = ANY ($7) AND expires_at > clock_timestamp()
         ORDER BY expires_at DESC LIMIT 1"#,
        user_id.get(),
        amount.direction.into_str(),
        amount.requested.get(),
        amount.priced.get(),
        method_id.get(),
        method_version,
        used as _,
    )
    .fetch_optional(conn)
    .await?;
    row.map(Quote::try_from).transpose()
}

struct Row {
    id: QuoteId,
    user_id: MemberId,
    direction: String,
    amount_cents: i64,
    priced_cents: i64,
    method_id: MethodId,
    method_version: i32,
    currency: String,
    network: String,
    address: String,
    memo: String,
    chain: String,
    contract: String,
    decimals: i16,
    units: String,
    rate_micros: i64,
    spread_bps: i32,
    sources: serde_json::Value,
    created_at: OffsetDateTime,
    expires_at: OffsetDateTime,
}

impl TryFrom<Row> for Quote {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.id,
            user_id: row.user_id,
            direction: if row.direction == "deposit" { Direction::Deposit } else { Direction::Withdrawal },
            amount: Cents::new(row.amount_cents),
            priced: Cents::new(row.priced_cents),
            method_id: row.method_id,
            method_version: row.method_version,
            currency: row.currency,
            network: row.network,
            address: row.address,
            memo: row.memo,
            chain: row.chain,
            contract: row.contract,
            decimals: small(row.decimals)?,
            units: row.units,
            rate_micros: row.rate_micros,
            spread_bps: small(row.spread_bps)?,
            sources: serde_json::from_value(row.sources)?,
            created_at: row.created_at,
            expires_at: row.expires_at,
            derivation: None,
        })
    }
}

/// Forgets the quotes of these members.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM quotes WHERE user_id = ANY ($1)", members as _).execute(conn).await?;
    Ok(())
}

/// Forgets quotes that expired more than 400 days ago.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM quotes WHERE id = ANY (ARRAY(
                SELECT id FROM quotes WHERE expires_at < now() - interval '400 days' LIMIT 5000))"
        )
    })
    .await
}

fn small<T, U>(number: T) -> Result<U, sqlx::Error>
where
    U: TryFrom<T, Error = std::num::TryFromIntError>,
{
    number.try_into().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn units(text: &str) -> Result<Units, sqlx::Error> {
    Units::parse(text).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
