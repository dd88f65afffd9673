//! Withdrawals that count towards the limits of a member.

use chassis::db::PgConnection;
use chassis::id::{MemberId, QuoteId};
use chassis::money::Cents;
use time::{Duration, OffsetDateTime};

use crate::domain::destination::PayoutAddress;
use crate::domain::limits::{self, Allowance, Rest, Withdrawn};
use crate::error::Error;
use crate::store::withdrawal_pauses::gated;

/// Destinations of a member that are read at once.
const DESTINATIONS: i64 = 32;

/// What is known of a request before it is posted.
#[derive(Debug, Clone)]
pub struct Outlook {
    /// Whether withdrawals are open.
    pub is_open: bool,
    /// Destinations that the member knows; if there are many, some of them.
    pub known: Vec<PayoutAddress>,
    /// Whether a transaction has the quote.
    pub is_quote_used: bool,
    /// The time of the answer.
    pub now: OffsetDateTime,
}

/// The outlook of each of these requests: its member, and its quote if it names one.
pub async fn outlooks(
    conn: &mut PgConnection,
    all: &[(MemberId, Option<QuoteId>)],
    watched_within: Duration,
) -> Result<Vec<Outlook>, sqlx::Error> {
    let users: Vec<MemberId> = all.iter().map(|(user_id, _)| *user_id).collect();
    let quotes: Vec<Option<QuoteId>> = all.iter().map(|(_, quote_id)| *quote_id).collect();
    // A row for each destination, and one for a member without any. The number of requests is hidden from the planner, which
    // would plan for a single one again each time.
    let rows = gated!(query!(
        "WITH gate AS (SELECT ",
        r#" AS is_open)
         SELECT place AS "place!", (SELECT is_open FROM gate) AS "is_open!", clock_timestamp() AS "now!",
            coalesce((SELECT true FROM transactions WHERE transactions.quote_id = wanted.quote_id LIMIT 1), false) AS "is_used!",
            known.currency AS "currency?", known.network AS "network?", known.address AS "address?", known.memo AS "memo?"
         FROM unnest((SELECT $2::uuid[]), (SELECT $3::uuid[])) WITH ORDINALITY AS wanted (user_id, quote_id, place)
         LEFT JOIN LATERAL (SELECT currency, network, address, memo FROM destinations
            WHERE destinations.user_id = wanted.user_id LIMIT $4) AS known ON true
         ORDER BY place"#,
        watched_within.as_seconds_f64(),
        &users as _,
        &quotes as _,
        DESTINATIONS,
    ))
    .fetch_all(conn)
    .await?;
    let mut outlooks: Vec<Outlook> = Vec::with_capacity(all.len());
    let mut last = 0;
    for row in rows {
        if row.place != last {
            last = row.place;
            let (is_open, is_quote_used, now) = (row.is_open, row.is_used, row.now);
            outlooks.push(Outlook { is_open, known: Vec::new(), is_quote_used, now });
        }
        let known = (row.currency.zip(row.network), row.address.zip(row.memo));
        if let (Some(outlook), (Some((currency, network)), Some((address, memo)))) = (outlooks.last_mut(), known) {
            outlook.known.push(PayoutAddress { currency, network, address, memo });
        }
    }
    Ok(outlooks)
}

/// What is left to a member of these allowances, and from when on `wanted` fits; without an amount, from when on there is
/// more than now.
pub async fn rest(
    conn: &mut PgConnection,
    user_id: MemberId,
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
        user_id.get(),
        now - longest
    )
    .fetch_all(conn)
    .await?;
    Ok(limits::rest(allowances, &withdrawn, wanted, now)?)
}
