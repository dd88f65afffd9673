//! Handling times.

use chassis::across;
use chassis::db::PgConnection;

use crate::store::merged;

/// How long requests of one kind took that were handled in the last 24 hours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlingTime {
    /// `deposit`, `fee`, `withdrawal` (each from request to review), `payout` (from approval to payout) or
    /// `paid_withdrawal` (from request to payout).
    pub kind: String,
    /// How many of them.
    pub handled: i64,
    /// Half of them took at most this.
    pub median_seconds: i64,
    /// Nine of ten took at most this.
    pub p90_seconds: i64,
}

impl HandlingTime {
    /// Whether enough of them were handled for a median and a 90th percentile to mean something.
    #[must_use]
    pub const fn is_meaningful(&self) -> bool {
        self.handled >= ENOUGH
    }
}

/// With this many decisions, the tenth, slowest one more than a single case.
const ENOUGH: i64 = 10;

/// The times of the last 24 hours, of the kinds with handled transactions. The longest median and 90th percentile of any bucket
/// bound those of all.
pub async fn of_the_last_day(conn: &mut PgConnection) -> Result<Vec<HandlingTime>, sqlx::Error> {
    let each = across!(conn, of_the_last_day_here(conn));
    let mut times = merged(
        each,
        |one| one.kind.clone(),
        |all, one| {
            all.handled += one.handled;
            all.median_seconds = all.median_seconds.max(one.median_seconds);
            all.p90_seconds = all.p90_seconds.max(one.p90_seconds);
        },
    );
    times.sort_by(|one, other| one.kind.cmp(&other.kind));
    Ok(times)
}

async fn of_the_last_day_here(conn: &mut PgConnection) -> Result<Vec<HandlingTime>, sqlx::Error> {
    sqlx::query_as!(
        HandlingTime,
        r#"WITH bounds AS (SELECT clock_timestamp() - interval '24 hours' AS since
        ), handled AS (
            SELECT kind, status, created_at, approved_at, sent_at, decided_at, since FROM transactions, bounds
            WHERE kind IN ('deposit', 'course', 'fee', 'withdrawal') AND greatest(approved_at, decided_at) > since
                AND coalesce(approved_by, decided_by) IS NOT NULL
        ), spans AS (
            SELECT CASE kind WHEN 'course' THEN 'deposit' ELSE kind END AS kind,
                coalesce(approved_at, decided_at) - created_at AS took
            FROM handled WHERE coalesce(approved_at, decided_at) > since
            UNION ALL
            SELECT paid.kind, ended - begun FROM handled
            CROSS JOIN LATERAL (VALUES ('payout', approved_at, coalesce(sent_at, decided_at)),
                ('paid_withdrawal', created_at, decided_at)) AS paid (kind, begun, ended)
            WHERE handled.kind = 'withdrawal' AND status = 'success'
        )
        SELECT kind AS "kind!", count(*) AS "handled!",
            (percentile_disc(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM took)::bigint)) AS "median_seconds!",
            (percentile_disc(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM took)::bigint)) AS "p90_seconds!"
        FROM spans GROUP BY kind ORDER BY kind"#
    )
    .fetch_all(conn)
    .await
}
