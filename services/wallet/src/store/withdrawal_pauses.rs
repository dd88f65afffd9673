//! Pauses of withdrawals: started when the ledger does not balance, ended by two people. Table `withdrawal_pauses`.

use chassis::db::PgConnection;
use chassis::id::StaffId;
use time::{Duration, OffsetDateTime};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub id: i64,
    pub reason: String,
    pub stopped_at: OffsetDateTime,
}

/// The pause in force, if there is one.
pub async fn in_force(conn: &mut PgConnection) -> Result<Option<Pause>, sqlx::Error> {
    sqlx::query_as!(Pause, "SELECT id, reason, stopped_at FROM withdrawal_pauses WHERE reopened_at IS NULL")
        .fetch_optional(conn)
        .await
}

/// A statement that asks whether withdrawals are open: no pause is in force, and the last check of the ledger is not older
/// than `$1` seconds.
macro_rules! gated {
    ($query:ident!($before:literal, $after:literal, $($value:expr),+ $(,)?)) => {
        sqlx::$query!(
            $before + "NOT EXISTS (SELECT FROM withdrawal_pauses WHERE reopened_at IS NULL) AND EXISTS ( \
                SELECT FROM ledger_checks WHERE checked_at > transaction_timestamp() - make_interval(secs => $1))" + $after,
            $($value),+
        )
    };
}
pub(super) use gated;

/// Whether withdrawals are open.
pub async fn are_open(conn: &mut PgConnection, watched_within: Duration) -> Result<bool, sqlx::Error> {
    gated!(query_scalar!("SELECT ", r#" AS "open!""#, watched_within.as_seconds_f64())).fetch_one(conn).await
}

/// Begins a pause; `false` if one is in force.
pub async fn begin(conn: &mut PgConnection, reason: &str) -> Result<bool, sqlx::Error> {
    let begun = sqlx::query!("INSERT INTO withdrawal_pauses (reason) VALUES ($1) ON CONFLICT DO NOTHING", reason)
        .execute(conn)
        .await?;
    Ok(begun.rows_affected() == 1)
}

/// Ends a pause as one person proposed and another confirmed; `false` if it is not in force.
pub async fn end(
    conn: &mut PgConnection,
    id: i64,
    (proposed_by, confirmed_by): (StaffId, StaffId),
) -> Result<bool, sqlx::Error> {
    let ended = sqlx::query!(
        "UPDATE withdrawal_pauses SET reopening_proposed_by = $1, reopened_by = $2, reopened_at = clock_timestamp()
         WHERE id = $3 AND reopened_at IS NULL",
        proposed_by.get(),
        confirmed_by.get(),
        id
    )
    .execute(conn)
    .await?;
    Ok(ended.rows_affected() == 1)
}
