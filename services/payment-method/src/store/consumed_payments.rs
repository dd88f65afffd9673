//! The payments of the table `chain_payments` that transactions rest on, and their sums.

use chassis::db::PgConnection;

use crate::domain::payment::Key;
use crate::error::Error;

/// Notes that transactions rest on these payments, by chain.
pub async fn note_consumed(conn: &mut PgConnection, payments: &[(String, Key)]) -> Result<(), Error> {
    let chains: Vec<_> = payments.iter().map(|(chain, _)| chain.clone()).collect();
    let hashes: Vec<_> = payments.iter().map(|(_, key)| key.txid.clone()).collect();
    let outputs: Vec<_> = payments.iter().map(|(_, key)| key.index).collect();
    let ways: Vec<_> = payments.iter().map(|(_, key)| key.way.into_str().to_owned()).collect();
    sqlx::query!(
        "UPDATE chain_payments SET is_consumed = true
         FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[]) AS consumed (chain, txid, idx, way)
         WHERE chain_payments.chain = consumed.chain AND chain_payments.txid = consumed.txid
            AND chain_payments.idx = consumed.idx AND chain_payments.way = consumed.way AND NOT is_consumed",
        &chains,
        &hashes,
        &outputs,
        &ways,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What consumed payments come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumedSum {
    pub chain: String,
    pub symbol: String,
    pub way: String,
    pub payments: i64,
    /// In the smallest unit.
    pub units: String,
}

/// What the payments that transactions rest on come to, by chain, asset and way.
pub async fn consumed(conn: &mut PgConnection) -> Result<Vec<ConsumedSum>, Error> {
    let sums = sqlx::query_as!(
        ConsumedSum,
        r#"SELECT chain, symbol, way, payments, units::text AS "units!" FROM consumed_totals ORDER BY chain, symbol, way"#
    )
    .fetch_all(conn)
    .await?;
    Ok(sums)
}
