//! The money side of trades.

use chassis::db::PgConnection;
use chassis::money::Cents;
use uuid::Uuid;

use crate::domain::trade_funding::FundingStatus;

/// Under which terms a trade was funded, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeFunding {
    pub trade_id: Uuid,
    pub user_id: Uuid,
    pub amount: Cents,
    pub status: FundingStatus,
    pub value: Option<Cents>,
}

pub async fn find(conn: &mut PgConnection, trade_id: Uuid) -> Result<Option<TradeFunding>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT user_id, amount_cents AS "amount: Cents", status, value_cents AS "value: Cents"
        FROM trade_fundings WHERE trade_id = $1"#,
        trade_id
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        let status = row.status.parse().map_err(|error: String| sqlx::Error::Decode(error.into()))?;
        Ok(TradeFunding { trade_id, user_id: row.user_id, amount: row.amount, status, value: row.value })
    })
    .transpose()
}
