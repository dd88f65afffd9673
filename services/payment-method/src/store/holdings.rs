//! The table `holdings`.

use chassis::db::PgConnection;
use chassis::money::{SignedUnits, Units};
use time::OffsetDateTime;

use crate::error::Error;

/// What an address holds of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    pub chain: String,
    pub symbol: String,
    pub address: String,
    pub units: Units,
    /// What it should hold: the first balance plus all payments since.
    pub recorded: SignedUnits,
    pub read_at: OffsetDateTime,
    /// Whether it is an address of one member.
    pub is_own: bool,
}

/// A balance that was read: symbol, address, units.
pub type Reading = (String, String, Units);

/// The time of the last reading of the balances of a chain, if there is one.
pub async fn read_at(conn: &mut PgConnection, chain: &str) -> Result<Option<OffsetDateTime>, Error> {
    let at = sqlx::query_scalar!("SELECT max(read_at) FROM holdings WHERE chain = $1", chain).fetch_one(conn).await?;
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
        "INSERT INTO holdings (chain, symbol, address, opening, opening_height, opened_at, carried, carried_height, moved,
            units, read_at)
         SELECT $1, symbol, address, opening, start, $6, opening, start, moved, reading.units, $6
         FROM (
            SELECT symbol, address, units::numeric, EXISTS (SELECT FROM deposit_addresses AS own
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
        "INSERT INTO holdings (chain, symbol, address, opening, opening_height, opened_at, carried, carried_height, moved,
            units, read_at)
         VALUES ($1, $2, $3, 0, $4, $5, 0, $4, 0, 0, $5) ON CONFLICT DO NOTHING",
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

/// All of them, by chain, symbol and address.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Holding>, Error> {
    let rows = sqlx::query!(
        r#"SELECT chain, symbol, address, units::text AS "units!", (carried + moved)::text AS "recorded!", read_at,
            EXISTS (SELECT FROM deposit_addresses AS own WHERE own.address = holdings.address) AS "is_own!"
         FROM holdings ORDER BY chain, symbol, address"#,
    )
    .fetch_all(conn)
    .await?;
    let unreadable = |error| sqlx::Error::Decode(Box::new(error));
    let holdings = rows.into_iter().map(|row| {
        Ok(Holding {
            chain: row.chain,
            symbol: row.symbol,
            address: row.address,
            units: Units::parse(&row.units).map_err(unreadable)?,
            recorded: SignedUnits::parse(&row.recorded).map_err(unreadable)?,
            read_at: row.read_at,
            is_own: row.is_own,
        })
    });
    Ok(holdings.collect::<Result<_, sqlx::Error>>()?)
}
