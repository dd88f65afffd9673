//! The table `rate_points`.

use chassis::db::{self, Db, PgConnection};
use chassis::id::ProposalId;
use chassis::money::Rate;
use time::OffsetDateTime;

use crate::domain::rate::Point;
use crate::error::Error;

/// What a source says of an asset.
#[derive(Debug, Clone)]
pub struct Reading {
    pub symbol: String,
    pub source: &'static str,
    pub bid: Rate,
    pub ask: Rate,
    /// The time that the source states.
    pub at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, readings: &[Reading], read_at: OffsetDateTime) -> Result<(), Error> {
    let symbols: Vec<_> = readings.iter().map(|reading| reading.symbol.clone()).collect();
    let sources: Vec<_> = readings.iter().map(|reading| reading.source.to_owned()).collect();
    let bids: Vec<_> = readings.iter().map(|reading| reading.bid.micros()).collect();
    let asks: Vec<_> = readings.iter().map(|reading| reading.ask.micros()).collect();
    let times: Vec<_> = readings.iter().map(|reading| reading.at).collect();
    sqlx::query!(
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, source_at, read_at)
         SELECT symbol, source, bid, ask, source_at, $6
         FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[])
            AS reading (symbol, source, bid, ask, source_at)",
        &symbols,
        &sources,
        &bids,
        &asks,
        &times,
        read_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes a rate that two people published, which counts from now on.
pub async fn publish(
    conn: &mut PgConnection,
    (symbol, proposal_id): (&str, ProposalId),
    point: &Point,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at, valid_until, proposal_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        symbol,
        point.source,
        point.bid.micros(),
        point.ask.micros(),
        point.at,
        point.valid_until,
        proposal_id.get(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What may count for an asset at a moment: the newest of each source in the minutes before, and published ones in force.
pub async fn recent(conn: &mut PgConnection, symbol: &str, at: OffsetDateTime) -> Result<Vec<Point>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT source AS "source!", bid_micros AS "bid_micros!", ask_micros AS "ask_micros!", at AS "at!", valid_until FROM (
            SELECT DISTINCT ON (source) source, bid_micros, ask_micros, least(source_at, read_at) AS at,
                NULL::timestamptz AS valid_until
            FROM rate_points
            WHERE symbol = $1 AND proposal_id IS NULL AND source_at IS NOT NULL
                AND read_at > $2::timestamptz - interval '5 minutes' AND read_at <= $2
            ORDER BY source, read_at DESC
        ) AS of_sources
        UNION ALL
        SELECT source, bid_micros, ask_micros, read_at, valid_until FROM rate_points
        WHERE symbol = $1 AND proposal_id IS NOT NULL AND valid_until > $2 AND read_at <= $2"#,
        symbol,
        at,
    )
    .fetch_all(conn)
    .await?;
    points(rows)
}

/// What was said and published last about an asset, however long ago: the newest 30 points of sources, and the newest that
/// was published.
pub async fn last(conn: &mut PgConnection, symbol: &str) -> Result<Vec<Point>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"(SELECT source AS "source!", bid_micros AS "bid_micros!", ask_micros AS "ask_micros!",
            least(source_at, read_at) AS "at!", NULL::timestamptz AS valid_until
         FROM rate_points WHERE symbol = $1 AND proposal_id IS NULL AND source_at IS NOT NULL
         ORDER BY read_at DESC LIMIT 30)
        UNION ALL
        (SELECT source, bid_micros, ask_micros, read_at, valid_until
         FROM rate_points WHERE symbol = $1 AND proposal_id IS NOT NULL ORDER BY read_at DESC LIMIT 1)"#,
        symbol,
    )
    .fetch_all(conn)
    .await?;
    points(rows)
}

struct Row {
    source: String,
    bid_micros: i64,
    ask_micros: i64,
    at: OffsetDateTime,
    valid_until: Option<OffsetDateTime>,
}

fn points(rows: Vec<Row>) -> Result<Vec<Point>, Error> {
    let rate = |micros| Rate::new(micros).map_err(|error| sqlx::Error::Decode(Box::new(error)));
    let points = rows.into_iter().map(|row| {
        Ok(Point {
            source: row.source,
            bid: rate(row.bid_micros)?,
            ask: rate(row.ask_micros)?,
            at: row.at,
            valid_until: row.valid_until,
        })
    });
    Ok(points.collect::<Result<_, sqlx::Error>>()?)
}

/// Whether anybody ever published a rate for this asset.
pub async fn was_published(conn: &mut PgConnection, symbol: &str) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM rate_points WHERE symbol = $1 AND proposal_id IS NOT NULL) AS "found!""#,
        symbol,
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}

/// Forgets what sources said more than 31 days ago.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM rate_points WHERE id = ANY (ARRAY(
                SELECT id FROM rate_points
                WHERE proposal_id IS NULL AND read_at < now() - interval '31 days' LIMIT 5000))"
        )
    })
    .await
}
