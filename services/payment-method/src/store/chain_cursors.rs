//! The table `chain_cursors`.

use std::time::Duration;

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::evidence::FRESH;
use crate::domain::payment::Tip;
use crate::error::Error;

/// How far a chain was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub chain: String,
    pub height: Option<i64>,
    pub tip_height: Option<i64>,
    pub observed_at: Option<OffsetDateTime>,
    /// Why it cannot be observed now; empty if it can.
    pub trouble: String,
}

impl Cursor {
    /// Whether the chain was looked at lately, and can be now.
    #[must_use]
    pub fn is_fresh(&self, now: OffsetDateTime) -> bool {
        self.trouble.is_empty() && self.observed_at.is_some_and(|at| now - at <= FRESH)
    }
}

/// Claims the next look at a chain for a minute. `None` if another process looks at it, or did a moment ago.
pub async fn begin(conn: &mut PgConnection, chain: &str) -> Result<Option<Cursor>, Error> {
    let cursor = sqlx::query_as!(
        Cursor,
        "UPDATE chain_cursors SET leased_until = clock_timestamp() + interval '1 minute'
         WHERE chain = $1 AND leased_until < clock_timestamp()
         RETURNING chain, height, tip_height, observed_at, trouble",
        chain,
    )
    .fetch_optional(conn)
    .await?;
    Ok(cursor)
}

/// Ends a look that succeeded: up to this height nothing changes any more. The next look is due after the interval of the chain,
/// whichever process it is that looks.
pub async fn advance(
    conn: &mut PgConnection,
    chain: &str,
    (tip, height): (&Tip, i64),
    (observed_at, interval): (OffsetDateTime, Duration),
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE chain_cursors SET height = greatest(height, $2), tip_height = $3, tip_at = $4, observed_at = $5,
            trouble = '', leased_until = clock_timestamp() + interval '1 millisecond' * $6::bigint WHERE chain = $1",
        chain,
        height,
        tip.block.height,
        tip.block.at,
        observed_at,
        lease(interval),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// In milliseconds: a little less than the interval, so that the process that looked is there first.
fn lease(interval: Duration) -> i64 {
    let lease = interval.saturating_sub(Duration::from_secs(1)).max(Duration::from_secs(1));
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

/// Ends a look that failed.
pub async fn fail(conn: &mut PgConnection, chain: &str, trouble: &str, interval: Duration) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE chain_cursors SET trouble = $2, leased_until = clock_timestamp() + interval '1 millisecond' * $3::bigint WHERE chain = $1",
        chain,
        trouble,
        lease(interval),
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find(conn: &mut PgConnection, chain: &str) -> Result<Option<Cursor>, Error> {
    let cursor = sqlx::query_as!(
        Cursor,
        "SELECT chain, height, tip_height, observed_at, trouble FROM chain_cursors WHERE chain = $1",
        chain,
    )
    .fetch_optional(conn)
    .await?;
    Ok(cursor)
}
