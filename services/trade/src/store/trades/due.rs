//! Trades that wait for the passing of time or another service.

use chassis::db::PgConnection;
use chassis::id::TradeId;
use time::OffsetDateTime;

use crate::domain::trade::Trade;
use crate::error::Error;
use crate::store::trades::{Row, trades};

/// Notes that the payout of a trade waits for the cash of its plan; `false` if it was noted before.
pub async fn wait_for_cash(conn: &mut PgConnection, id: TradeId) -> Result<bool, Error> {
    let noted = sqlx::query!(
        "UPDATE trades SET cash_short_since = clock_timestamp()
         WHERE id = $1 AND status = 'settling' AND cash_short_since IS NULL",
        id.get()
    )
    .execute(conn)
    .await?;
    Ok(noted.rows_affected() > 0)
}

/// Whether another trade of the plan has waited for its cash for longer.
pub async fn is_behind(conn: &mut PgConnection, trade: &Trade) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM trades WHERE plan_id = $1 AND status = 'settling' AND cash_short_since IS NOT NULL
            AND ($2::timestamptz IS NULL OR (cash_short_since, id) < ($2, $3))) AS "behind!""#,
        trade.plan_id.get(),
        trade.cash_short_since,
        trade.id.get()
    )
    .fetch_one(conn)
    .await?)
}

/// How many trades wait for the cash of their plans.
pub async fn waiting(conn: &mut PgConnection) -> Result<i64, Error> {
    let sql = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM trades WHERE cash_short_since IS NOT NULL AND status = 'settling'"#
    );
    Ok(sql.fetch_one(conn).await?)
}

/// Takes open trades that have matured and that no event has announced yet, the earliest first.
pub async fn take_matured(conn: &mut PgConnection, limit: i64, now: OffsetDateTime) -> Result<Vec<Trade>, Error> {
    let ids = sqlx::query_scalar!(
        "UPDATE trades SET matured_event_at = $1
         WHERE id IN (SELECT id FROM trades WHERE status = 'open' AND matured_event_at IS NULL AND matures_at <= $1
                      ORDER BY matures_at LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING id",
        now,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let rows = trades!(now, "WHERE t.id = ANY ($2)", &ids).fetch_all(conn).await?;
    rows.into_iter().map(Trade::try_from).collect()
}

/// Takes up sagas that are due: each belongs to the caller until its time comes again, later with every attempt and at
/// most 5 seconds later.
pub async fn take_due(conn: &mut PgConnection, limit: i64) -> Result<Vec<TradeId>, Error> {
    let due = sqlx::query_scalar!(
        r#"UPDATE trades SET attempt = attempt + 1,
                           resume_at = clock_timestamp() + least(3 + attempt, 5) * interval '1 second'
         WHERE id IN (SELECT id FROM trades WHERE resume_at <= now()
                      ORDER BY resume_at LIMIT $1 FOR UPDATE SKIP LOCKED)
         RETURNING id AS "id: _""#,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(due)
}

/// Puts a saga off that wallet answers in a way that its contract rules out: the longer, the more often it was tried, up
/// to an hour.
pub async fn put_off(conn: &mut PgConnection, id: TradeId, cause: &str) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE trades
         SET stuck_cause = $2,
             resume_at = clock_timestamp() + least(5 * power(2, least(attempt, 10)), 3600) * interval '1 second'
         WHERE id = $1 AND resume_at IS NOT NULL",
        id.get(),
        cause,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Number of sagas that were put off and are not finished.
pub async fn stuck(conn: &mut PgConnection) -> Result<i64, Error> {
    let sql = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM trades WHERE resume_at IS NOT NULL AND stuck_cause IS NOT NULL"#
    );
    Ok(sql.fetch_one(conn).await?)
}
