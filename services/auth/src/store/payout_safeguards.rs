use chassis::id::UserId;
use std::time::Duration;

use chassis::db::PgConnection;
use chassis::identity::PayoutState;
use time::OffsetDateTime;

use crate::domain::safeguard::Change;

/// Notes a change: payouts wait until a moment, or longer if they did.
pub async fn note(
    conn: &mut PgConnection,
    user_id: UserId,
    change: Change,
    (now, not_before): (OffsetDateTime, OffsetDateTime),
) -> Result<(), sqlx::Error> {
    let at = |one: Change| (one == change).then_some(now);
    sqlx::query!(
        "INSERT INTO payout_safeguards AS p
            (user_id, email_changed_at, password_changed_at, factors_changed_at, not_before)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id) DO UPDATE SET
            email_changed_at = coalesce(excluded.email_changed_at, p.email_changed_at),
            password_changed_at = coalesce(excluded.password_changed_at, p.password_changed_at),
            factors_changed_at = coalesce(excluded.factors_changed_at, p.factors_changed_at),
            not_before = greatest(excluded.not_before, p.not_before)",
        user_id.get(),
        at(Change::Email),
        at(Change::Password),
        at(Change::Factors),
        not_before,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stops payouts until a new password is set, and keeps when its owner reported that someone else used the account.
pub async fn stop(conn: &mut PgConnection, user_id: UserId, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO payout_safeguards (user_id, stopped_at, disowned_at) VALUES ($1, $2, $2)
         ON CONFLICT (user_id) DO UPDATE SET stopped_at = excluded.stopped_at, disowned_at = excluded.disowned_at",
        user_id.get(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Lifts the stop: a new password was set.
pub async fn lift_stop(conn: &mut PgConnection, user_id: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE payout_safeguards SET stopped_at = NULL WHERE user_id = $1", user_id.get())
        .execute(conn)
        .await?;
    Ok(())
}

/// What keeps payouts of an account waiting now, also so long after the first login from a new device that was followed by
/// a destination that is known since this moment; `None` for an unknown account.
pub async fn state(
    conn: &mut PgConnection,
    user_id: UserId,
    destination_known_at: Option<OffsetDateTime>,
    cooling_off: Duration,
) -> Result<Option<PayoutState>, sqlx::Error> {
    sqlx::query_as!(
        PayoutState,
        r#"SELECT u.frozen_at IS NOT NULL AS "frozen!", p.stopped_at IS NOT NULL AS "stopped!",
                  (SELECT max(moment) FROM unnest(ARRAY[p.not_before, d.before_destination + make_interval(secs => $3)])
                      AS moment WHERE moment > clock_timestamp()) AS not_before,
                  p.email_changed_at, p.password_changed_at, p.factors_changed_at, d.newest AS new_device_at, p.disowned_at
           FROM users u LEFT JOIN payout_safeguards p ON p.user_id = u.id
           CROSS JOIN LATERAL (
               SELECT max(first_seen_at) AS newest, max(first_seen_at) FILTER (WHERE first_seen_at < $2) AS before_destination
               FROM (SELECT first_seen_at, min(first_seen_at) OVER () AS first
                     FROM (SELECT first_seen_at FROM known_devices WHERE user_id = u.id
                           UNION ALL SELECT first_seen_at FROM known_keys WHERE user_id = u.id) AS devices) AS seen
               WHERE first_seen_at > first) d
           WHERE u.id = $1"#,
        user_id.get(),
        destination_known_at,
        cooling_off.as_secs_f64(),
    )
    .fetch_optional(conn)
    .await
}
