use chassis::db::PgConnection;
use chassis::id::{SessionId, UserId};
use chassis::identity::Role;
use time::OffsetDateTime;

use crate::domain::second_factor::{Means, SteppedUp};
use crate::domain::session::Session;

/// A live session with what its account decides.
pub struct Live {
    pub id: SessionId,
    pub user_id: UserId,
    pub verified: bool,
    pub frozen: bool,
    /// Unset for members.
    pub role: Option<Role>,
    /// Since when the account has its role; meaningless for members.
    pub role_since: OffsetDateTime,
    /// The second factor that was last given.
    pub stepped_up: Option<SteppedUp>,
    /// Whether the account has a second factor.
    pub enrolled: bool,
    pub last_seen_at: OffsetDateTime,
    /// When it ends unless used.
    pub idle_until: OffsetDateTime,
    /// The moment of this look.
    pub now: OffsetDateTime,
}

pub async fn insert(
    conn: &mut PgConnection,
    session: &Session,
    stepped_up: Option<SteppedUp>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO sessions
            (id, user_id, created_at, last_seen_at, idle_until, expires_at, stepped_up_at, stepped_up_by_passkey, device, address,
             device_key, factor_since)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        session.id.get(),
        session.user_id.get(),
        session.created_at,
        session.last_seen_at,
        session.idle_until,
        session.expires_at,
        stepped_up.map(|given| given.at),
        stepped_up.is_some_and(|given| given.means == Means::Passkey),
        session.device,
        session.address,
        session.device_key,
        stepped_up.map(|given| given.since),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The session with this id, live or not.
pub async fn find(conn: &mut PgConnection, id: SessionId) -> Result<Option<Session>, sqlx::Error> {
    sqlx::query_as!(
        Session,
        "SELECT id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address, device_key FROM sessions WHERE id = $1",
        id.get(),
    )
    .fetch_optional(conn)
    .await
}

/// Those of the sessions with these ids that are live now.
pub async fn live(conn: &mut PgConnection, ids: &[SessionId]) -> Result<Vec<Live>, sqlx::Error> {
    // The number of ids is hidden from the planner: a plan for one id looks so much cheaper than one for any number that it
    // would plan every lookup again, which takes several times as long as the lookup.
    let rows = sqlx::query!(
        r#"SELECT s.id, s.user_id, u.verified_at IS NOT NULL AS "verified!", u.frozen_at IS NOT NULL AS "frozen!", u.role,
                  coalesce(u.role_since, u.created_at) AS "role_since!", s.stepped_up_at, s.stepped_up_by_passkey, coalesce(s.factor_since, s.stepped_up_at) AS factor_since, s.last_seen_at, s.idle_until, clock_timestamp() AS "now!",
                  EXISTS (SELECT FROM authenticators a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL)
                      OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS "enrolled!"
           FROM sessions s JOIN users u ON u.id = s.user_id
           WHERE s.id = ANY ((SELECT $1::uuid[])::uuid[]) AND s.revoked_at IS NULL AND s.idle_until > clock_timestamp() AND u.disabled_at IS NULL
             AND u.closed_at IS NULL"#,
        ids as _,
    )
    .fetch_all(conn)
    .await?;
    let live = rows.into_iter().map(|row| {
        Ok(Live {
            id: row.id.into(),
            user_id: row.user_id.into(),
            verified: row.verified,
            frozen: row.frozen,
            role: super::users::role(row.role.as_deref())?,
            role_since: row.role_since,
            stepped_up: row.stepped_up_at.zip(row.factor_since).map(|(at, since)| match row.stepped_up_by_passkey {
                true => SteppedUp::by_passkey(since, at),
                false => SteppedUp::by_code(since, at),
            }),
            enrolled: row.enrolled,
            last_seen_at: row.last_seen_at,
            idle_until: row.idle_until,
            now: row.now,
        })
    });
    live.collect()
}

/// Notes that sessions are used at a moment; each then lives until its `idle_until`, but never past its life. They are
/// locked in ascending id, so that two calls about the same never wait for each other in a circle.
pub async fn touch(
    conn: &mut PgConnection,
    used: &[(SessionId, OffsetDateTime)],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let (ids, idle_until): (Vec<SessionId>, Vec<OffsetDateTime>) = used.iter().copied().unzip();
    sqlx::query!(
        "UPDATE sessions SET last_seen_at = $3, idle_until = least(used.idle_until, expires_at)
         FROM (SELECT id, until.idle_until FROM sessions
               JOIN unnest($1::uuid[], $2::timestamptz[]) AS until (session_id, idle_until) ON session_id = id
               ORDER BY id FOR UPDATE OF sessions) AS used
         WHERE sessions.id = used.id AND revoked_at IS NULL AND last_seen_at < $3",
        &ids as _,
        &idle_until,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that a second factor was given.
pub async fn step_up(conn: &mut PgConnection, id: SessionId, given: SteppedUp) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE sessions SET stepped_up_at = $2, stepped_up_by_passkey = $3, factor_since = $4, refused_proofs = 0 WHERE id = $1",
        id.get(),
        given.at,
        given.means == Means::Passkey,
        given.since,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Counts a refused password or second factor; returns how many there were since the last that was right.
pub async fn count_refusal(conn: &mut PgConnection, id: SessionId) -> Result<i16, sqlx::Error> {
    let counted = sqlx::query_scalar!(
        "UPDATE sessions SET refused_proofs = least(refused_proofs + 1, 1000) WHERE id = $1 RETURNING refused_proofs",
        id.get(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(counted.unwrap_or(0))
}

/// Forgets the refused ones: one was right.
pub async fn forget_refusals(conn: &mut PgConnection, id: SessionId) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE sessions SET refused_proofs = 0 WHERE id = $1 AND refused_proofs > 0", id.get())
        .execute(conn)
        .await?;
    Ok(())
}

/// An account's live sessions, newest use first.
pub async fn of_user(conn: &mut PgConnection, user_id: UserId) -> Result<Vec<Session>, sqlx::Error> {
    sqlx::query_as!(
        Session,
        "SELECT id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address, device_key FROM sessions
         WHERE user_id = $1 AND revoked_at IS NULL AND idle_until > clock_timestamp()
         ORDER BY last_seen_at DESC, id LIMIT 100",
        user_id.get(),
    )
    .fetch_all(conn)
    .await
}

/// Ends one live session of an account; `false` if there is none.
pub async fn revoke(
    conn: &mut PgConnection,
    user_id: UserId,
    id: SessionId,
    at: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE sessions SET revoked_at = $3
         WHERE id = $2 AND user_id = $1 AND revoked_at IS NULL AND idle_until > $3",
        user_id.get(),
        id.get(),
        at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends all live sessions of an account but one; returns those ended.
pub async fn revoke_all(
    conn: &mut PgConnection,
    user_id: UserId,
    except: Option<SessionId>,
    at: OffsetDateTime,
) -> Result<Vec<SessionId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"UPDATE sessions SET revoked_at = $3
         WHERE user_id = $1 AND revoked_at IS NULL AND idle_until > $3 AND id IS DISTINCT FROM $2 RETURNING id AS "id: _""#,
        user_id.get(),
        except as _,
        at,
    )
    .fetch_all(conn)
    .await
}

/// Forgets sessions whose life ended a month ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM sessions WHERE id = ANY (ARRAY(
            SELECT id FROM sessions WHERE expires_at < now() - interval '30 days' LIMIT 5000))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
