//! The table `bridge_faults`.

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::bridge::{Difference, Span};

/// Notes what differs at this moment, and ends what does not any more.
pub async fn note(conn: &mut PgConnection, found: &[Difference], at: OffsetDateTime) -> Result<(), sqlx::Error> {
    let chains: Vec<_> = found.iter().map(|one| one.span.chain.clone()).collect();
    let assets: Vec<_> = found.iter().map(|one| one.span.asset.clone()).collect();
    let directions: Vec<_> = found.iter().map(|one| one.span.direction.clone()).collect();
    let consumed: Vec<_> = found.iter().map(|one| one.consumed.to_string()).collect();
    let known: Vec<_> = found.iter().map(|one| one.known.to_string()).collect();
    sqlx::query!(
        "UPDATE bridge_faults SET verified_at = greatest($4, found_at) WHERE verified_at IS NULL AND NOT EXISTS (
            SELECT FROM unnest($1::text[], $2::text[], $3::text[]) AS found (chain, asset, direction)
            WHERE (found.chain, found.asset, found.direction)
                = (bridge_faults.chain, bridge_faults.asset, bridge_faults.direction))",
        &chains,
        &assets,
        &directions,
        at,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO bridge_faults (chain, asset, direction, consumed_units, known_units, found_at)
         SELECT chain, asset, direction, consumed::numeric, known::numeric, $6
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
            AS found (chain, asset, direction, consumed, known)
         ON CONFLICT (chain, asset, direction) WHERE verified_at IS NULL
            DO UPDATE SET consumed_units = excluded.consumed_units, known_units = excluded.known_units",
        &chains,
        &assets,
        &directions,
        &consumed,
        &known,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What differs, each with the moment when that was found.
pub async fn open(conn: &mut PgConnection) -> Result<Vec<(Difference, OffsetDateTime)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT chain, asset, direction, consumed_units::text AS "consumed!", known_units::text AS "known!", found_at
         FROM bridge_faults WHERE verified_at IS NULL ORDER BY chain, asset, direction"#
    )
    .fetch_all(conn)
    .await?;
    let units = |text: String| text.parse::<i128>().map_err(|error| sqlx::Error::Decode(Box::new(error)));
    let faults = rows.into_iter().map(|row| {
        let span = Span { chain: row.chain, asset: row.asset, direction: row.direction };
        Ok((Difference { span, consumed: units(row.consumed)?, known: units(row.known)? }, row.found_at))
    });
    faults.collect()
}
