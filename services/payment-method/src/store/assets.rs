//! The table `assets`.

use chassis::db::PgConnection;

use crate::domain::quote::Asset;
use crate::error::Error;

struct Row {
    chain: String,
    symbol: String,
    contract: String,
    decimals: i16,
    tail_step: i64,
    pegged: bool,
}

impl TryFrom<Row> for Asset {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        Ok(Self {
            chain: row.chain,
            symbol: row.symbol,
            contract: row.contract,
            decimals: row.decimals.try_into().map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            tail_step: row.tail_step,
            pegged: row.pegged,
        })
    }
}

pub async fn find(conn: &mut PgConnection, chain: &str, symbol: &str) -> Result<Option<Asset>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT chain, symbol, contract, decimals, tail_step, pegged FROM assets WHERE chain = $1 AND symbol = $2",
        chain,
        symbol,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Asset::try_from).transpose()?)
}

/// All of them, by chain and symbol.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Asset>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT chain, symbol, contract, decimals, tail_step, pegged FROM assets ORDER BY chain, symbol",
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Asset::try_from).collect::<Result<_, _>>()?)
}
