//! The known payout destinations of members.

use chassis::db::PgConnection;
use chassis::destination::ConfirmedDestination;
use chassis::id::MemberId;
use chassis::keys::TrustedKeys;
use time::OffsetDateTime;

use crate::domain::destination::{Cause, PayoutAddress};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub cause: Cause,
    pub at: OffsetDateTime,
    user_id: MemberId,
    key: Vec<u8>,
    /// What auth signed about it.
    assertion: String,
}

impl Known {
    /// Whether auth signed that this member confirmed this destination so and then: a row alone proves nothing (D-N4).
    #[must_use]
    pub fn is_signed(&self, keys: &TrustedKeys) -> bool {
        let stored = ConfirmedDestination::new(self.user_id, &self.key, self.cause.into_str(), self.at);
        stored.is_signed_by(&self.assertion, keys)
    }
}

/// The name of a destination, by which its code is asked for.
pub async fn key(conn: &mut PgConnection, to: &PayoutAddress) -> Result<Vec<u8>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT destination_key($1, $2, $3, $4) AS "key!""#,
        to.currency,
        to.network,
        to.address,
        to.memo
    )
    .fetch_one(conn)
    .await
}

/// Why and since when a member's destination is known; `None` if it is not.
pub async fn find(
    conn: &mut PgConnection,
    user_id: MemberId,
    to: &PayoutAddress,
) -> Result<Option<Known>, sqlx::Error> {
    sqlx::query_as!(
        Known,
        r#"SELECT cause AS "cause: _", known_at AS at, user_id, key AS "key!", assertion FROM destinations
         WHERE user_id = $1 AND key = destination_key($2, $3, $4, $5)"#,
        user_id.get(),
        to.currency,
        to.network,
        to.address,
        to.memo
    )
    .fetch_optional(conn)
    .await
}

/// The newest known destinations of a member for a currency and network, as many as this.
pub async fn newest(
    conn: &mut PgConnection,
    user_id: MemberId,
    (currency, network): (&str, &str),
    limit: i64,
) -> Result<Vec<PayoutAddress>, sqlx::Error> {
    sqlx::query_as!(
        PayoutAddress,
        "SELECT currency, network, address, memo FROM destinations
         WHERE user_id = $1 AND key = destination_key($2, $3, address, memo) ORDER BY known_at DESC LIMIT $4",
        user_id.get(),
        currency,
        network,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Since when each of these destinations of members is known; `None` where it is not.
pub async fn known_since(
    conn: &mut PgConnection,
    all: &[(MemberId, PayoutAddress)],
) -> Result<Vec<Option<OffsetDateTime>>, sqlx::Error> {
    let column = |field: fn(&PayoutAddress) -> &String| all.iter().map(|(_, to)| field(to).clone()).collect::<Vec<_>>();
    let users: Vec<MemberId> = all.iter().map(|(user_id, _)| *user_id).collect();
    // Their number is hidden from the planner, which would plan for it again each time.
    sqlx::query_scalar!(
        r#"SELECT known_at AS "known_at?" FROM unnest((SELECT $1::uuid[]), (SELECT $2::text[]), (SELECT $3::text[]),
            (SELECT $4::text[]), (SELECT $5::text[])) WITH ORDINALITY AS wanted (user_id, currency, network, address, memo, place)
         LEFT JOIN destinations ON destinations.user_id = wanted.user_id AND key =
            destination_key(wanted.currency, wanted.network, wanted.address, wanted.memo)
         ORDER BY place"#,
        &users as _,
        &column(|to| &to.currency),
        &column(|to| &to.network),
        &column(|to| &to.address),
        &column(|to| &to.memo)
    )
    .fetch_all(conn)
    .await
}

/// Makes a member's destination known, as auth signed it; `false` if it is already.
pub async fn learn(
    conn: &mut PgConnection,
    user_id: MemberId,
    to: &PayoutAddress,
    (cause, assertion): (Cause, &str),
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO destinations (user_id, currency, network, address, memo, cause, assertion, known_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp()) ON CONFLICT DO NOTHING",
        user_id.get(),
        to.currency,
        to.network,
        to.address,
        to.memo,
        cause.into_str(),
        assertion
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes back the destinations of a member that became known in a period; returns their names. The database keeps them as
/// disowned.
pub async fn disown(
    conn: &mut PgConnection,
    user_id: MemberId,
    (since, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!(
        "DELETE FROM destinations WHERE user_id = $1 AND known_at BETWEEN $2 AND $3 RETURNING key",
        user_id.get(),
        since,
        until,
    )
    .fetch_all(conn)
    .await
}

/// Forgets the destinations of members whose wallet was closed long ago.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM disowned_destinations WHERE user_id = ANY ($1)", members as _)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM destinations WHERE user_id = ANY ($1)", members as _).execute(conn).await?;
    Ok(())
}
