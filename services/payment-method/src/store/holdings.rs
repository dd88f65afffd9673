//! The table `holdings`.

use chassis::db::PgConnection;
use chassis::money::{SignedUnits, Units};
use time::OffsetDateTime;

use crate::error::Error;

/// What an address holds of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    pub address: String,
    pub units: Units,
    pub read_at: OffsetDateTime,
}

/// What all addresses hold of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    pub units: Units,
    /// What they should hold: their first balances plus all payments since.
    pub recorded: SignedUnits,
    /// Whether no address holds or should hold anything.
    pub is_empty: bool,
    /// The oldest reading of an address that members share.
    pub oldest_shared: Option<OffsetDateTime>,
    /// The newest reading of an address of one member.
    pub newest_own: Option<OffsetDateTime>,
}

/// A balance that was read: symbol, address, units.
pub type Reading = (String, String, Units);

/// The time of the last reading of the balances of a chain, if there is one.
pub async fn read_at(conn: &mut PgConnection, chain: &str) -> Result<Option<OffsetDateTime>, Error> {
    let at = sqlx::query_scalar!(
        "SELECT max(newest.read_at) FROM assets CROSS JOIN (VALUES (false), (true)) AS kind (is_own)
         CROSS JOIN LATERAL (SELECT max(read_at) AS read_at FROM holdings
            WHERE holdings.chain = assets.chain AND holdings.symbol = assets.symbol AND holdings.is_own = kind.is_own
         ) AS newest
         WHERE assets.chain = $1",
        chain,
    )
    .fetch_one(conn)
    .await?;
    Ok(at)
}

/// Makes the next reading add up all payments since the opening, because one below the carried height changed.
pub async fn recount(conn: &mut PgConnection, chain: &str) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE holdings SET carried = opening, carried_height = opening_height
         WHERE chain = $1 AND carried_height > opening_height",
        chain,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores a reading of balances, taken when all payments up to the newest block and in the mempool were known. Blocks up to
/// `settled` are final; payments above it are not part of the opening of an address that is read for the first time.
/// An own address of a member held nothing before its first payment, and all payments to it count: coins may be spent or moved on
/// before its first reading, for a payout that another address is recorded to have made, and what is missing by then has to show.
pub async fn read(
    conn: &mut PgConnection,
    chain: &str,
    readings: &[Reading],
    (settled, at): (i64, OffsetDateTime),
) -> Result<(), Error> {
    let symbols: Vec<_> = readings.iter().map(|(symbol, ..)| symbol.clone()).collect();
    let addresses: Vec<_> = readings.iter().map(|(_, address, _)| address.clone()).collect();
    let units: Vec<_> = readings.iter().map(|(.., units)| units.to_string()).collect();
    sqlx::query!(
        "INSERT INTO holdings (chain, symbol, address, is_own, opening, opening_height, opened_at, carried, carried_height, moved,
            units, read_at)
         SELECT $1, symbol, address, is_own, opening, start, $6, opening, start, moved, reading.units, $6
         FROM (
            SELECT symbol, address, units::numeric,
                EXISTS (SELECT FROM deposit_addresses AS own WHERE own.address = wanted.address) AS is_own,
                EXISTS (SELECT FROM deposit_addresses AS own
                    WHERE own.address = wanted.address AND own.read_at IS NULL) AS is_new
            FROM unnest($2::text[], $3::text[], $4::text[]) AS wanted (symbol, address, units)
            WHERE NOT EXISTS (SELECT FROM holdings
                WHERE chain = $1 AND holdings.symbol = wanted.symbol AND holdings.address = wanted.address)
         ) AS reading
         CROSS JOIN LATERAL (
            SELECT coalesce(sum(CASE way WHEN 'in' THEN one.units ELSE -one.units END), 0) AS moved FROM chain_payments AS one
            WHERE one.chain = $1 AND one.symbol = reading.symbol AND one.address = reading.address
                AND coalesce(height, 9223372036854775807) > $5 AND (waits OR state IN ('included', 'final'))
         ) AS since
         CROSS JOIN LATERAL (
            SELECT CASE WHEN is_new THEN 0 ELSE reading.units - moved END AS opening,
                CASE WHEN is_new THEN 0 ELSE $5::bigint END AS start
         ) AS first",
        chain,
        &symbols,
        &addresses,
        &units,
        settled,
        at,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE holdings SET carried = carried + since.stays, carried_height = greatest(carried_height, $5),
            moved = since.may_change, units = since.units, read_at = $6
         FROM (
            SELECT known.symbol, known.address, reading.units::numeric AS units, sums.stays, sums.may_change
            FROM unnest($2::text[], $3::text[], $4::text[]) AS reading (symbol, address, units)
            JOIN holdings AS known
                ON known.chain = $1 AND known.symbol = reading.symbol AND known.address = reading.address
            CROSS JOIN LATERAL (
                SELECT coalesce(sum(change) FILTER (WHERE place <= $5), 0) AS stays,
                    coalesce(sum(change) FILTER (WHERE place > $5), 0) AS may_change
                FROM (
                    SELECT CASE way WHEN 'in' THEN one.units ELSE -one.units END AS change,
                        coalesce(height, 9223372036854775807) AS place
                    FROM chain_payments AS one
                    WHERE one.chain = $1 AND one.symbol = known.symbol AND one.address = known.address
                        AND coalesce(height, 9223372036854775807) > known.carried_height
                        AND (waits OR state IN ('included', 'final'))
                ) AS changes
            ) AS sums
         ) AS since
         WHERE holdings.chain = $1 AND holdings.symbol = since.symbol AND holdings.address = since.address",
        chain,
        &symbols,
        &addresses,
        &units,
        settled,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Opens an address that held nothing before what our own transactions moved there, which is no payment.
pub async fn open_empty(
    conn: &mut PgConnection,
    (chain, symbol, address): (&str, &str, &str),
    (settled, at): (i64, OffsetDateTime),
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO holdings (chain, symbol, address, is_own, opening, opening_height, opened_at, carried, carried_height, moved,
            units, read_at)
         VALUES ($1, $2, $3, EXISTS (SELECT FROM deposit_addresses AS own WHERE own.address = $3), 0, $4, $5, 0, $4, 0, 0, $5)
         ON CONFLICT DO NOTHING",
        chain,
        symbol,
        address,
        settled,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What is held of an asset.
pub async fn sums(conn: &mut PgConnection, (chain, symbol): (&str, &str)) -> Result<Sums, Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(units), 0)::text AS "units!", coalesce(sum(carried + moved), 0)::text AS "recorded!",
            count(*) = 0 AS "is_empty!",
            (SELECT min(read_at) FROM holdings WHERE chain = $1 AND symbol = $2 AND NOT is_own) AS oldest_shared,
            (SELECT max(read_at) FROM holdings WHERE chain = $1 AND symbol = $2 AND is_own) AS newest_own
         FROM holdings WHERE chain = $1 AND symbol = $2 AND (units <> 0 OR carried + moved <> 0)"#,
        chain,
        symbol,
    )
    .fetch_one(conn)
    .await?;
    Ok(Sums {
        units: Units::parse(&row.units).map_err(unreadable)?,
        recorded: SignedUnits::parse(&row.recorded).map_err(unreadable)?,
        is_empty: row.is_empty,
        oldest_shared: row.oldest_shared,
        newest_own: row.newest_own,
    })
}

/// The addresses that members share, and the addresses of single members that hold most of an asset, up to a number.
pub async fn largest(conn: &mut PgConnection, (chain, symbol): (&str, &str), size: i64) -> Result<Vec<Holding>, Error> {
    let rows = sqlx::query!(
        r#"SELECT address AS "address!", units::text AS "units!", read_at AS "read_at!"
         FROM (
            SELECT address, units, read_at, is_own FROM holdings WHERE chain = $1 AND symbol = $2 AND NOT is_own
            UNION ALL
            (SELECT address, units, read_at, is_own FROM holdings
             WHERE chain = $1 AND symbol = $2 AND is_own AND units > 0
             ORDER BY units DESC LIMIT $3)
         ) AS one
         ORDER BY is_own, one.units DESC, address"#,
        chain,
        symbol,
        size,
    )
    .fetch_all(conn)
    .await?;
    let holdings = rows.into_iter().map(|row| {
        let units = Units::parse(&row.units).map_err(unreadable)?;
        Ok(Holding { address: row.address, units, read_at: row.read_at })
    });
    Ok(holdings.collect::<Result<_, sqlx::Error>>()?)
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
