//! Table `payout_safeguards`.

use chassis::db::PgConnection;
use chassis::identity::PayoutState;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::safeguard::Change;

/// Notes a change: payouts wait until a moment, or longer if they did.
///
/// # Errors
/// The database's.
pub async fn note(
    conn: &mut PgConnection,
    user_id: Uuid,
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
        user_id,
        at(Change::Email),
        at(Change::Password),
        at(Change::Factors),
        not_before,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stops payouts until a new password is set.
///
/// # Errors
/// The database's.
pub async fn stop(conn: &mut PgConnection, user_id: Uuid, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO payout_safeguards (user_id, stopped_at) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE SET stopped_at = excluded.stopped_at",
        user_id,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Lifts the stop: a new password was set.
///
/// # Errors
/// The database's.
pub async fn lift_stop(conn: &mut PgConnection, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE payout_safeguards SET stopped_at = NULL WHERE user_id = $1", user_id).execute(conn).await?;
    Ok(())
}

/// What keeps payouts of an account waiting now; `None` for an unknown account.
///
/// # Errors
/// The database's.
pub async fn state(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<PayoutState>, sqlx::Error> {
    sqlx::query_as!(
        PayoutState,
        r#"SELECT u.frozen_at IS NOT NULL AS "frozen!", p.stopped_at IS NOT NULL AS "stopped!",
                  CASE WHEN p.not_before > clock_timestamp() THEN p.not_before END AS not_before,
                  p.email_changed_at, p.password_changed_at, p.factors_changed_at,
                  (SELECT max(d.first_seen_at) FROM known_devices d
                   WHERE d.user_id = u.id
                     AND d.first_seen_at > (SELECT min(f.first_seen_at) FROM known_devices f WHERE f.user_id = u.id)
                  ) AS new_device_at
           FROM users u LEFT JOIN payout_safeguards p ON p.user_id = u.id WHERE u.id = $1"#,
        user_id,
    )
    .fetch_optional(conn)
    .await
}
