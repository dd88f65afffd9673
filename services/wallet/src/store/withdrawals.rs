//! Withdrawals that count towards the limits of a member.

use chassis::db::PgConnection;
use chassis::money::Cents;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::limits::{self, Allowance, Rest, Withdrawn};
use crate::error::Error;

/// What is left to a member of these allowances, and from when on `wanted` fits; without an amount, from when on there is
/// more than now.
pub async fn rest(
    conn: &mut PgConnection,
    user_id: Uuid,
    allowances: &[Allowance],
    wanted: Option<Cents>,
    now: OffsetDateTime,
) -> Result<Rest, Error> {
    let longest = allowances.iter().map(|allowance| allowance.period).max().unwrap_or(Duration::ZERO);
    // The allowances bound how many there are.
    let withdrawn = sqlx::query_as!(
        Withdrawn,
        r#"SELECT created_at AS "at!", amount_cents AS "amount!: Cents" FROM counted_withdrawals
        WHERE user_id = $1 AND (user_id, created_at) > ($1, $2) ORDER BY created_at"#,
        user_id,
        now - longest
    )
    .fetch_all(conn)
    .await?;
    Ok(limits::rest(allowances, &withdrawn, wanted, now)?)
}
