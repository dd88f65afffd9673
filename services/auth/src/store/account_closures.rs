//! Accounts that are being closed: a row from the owner's request until wallet has answered.

use chassis::db::PgConnection;
use chassis::id::{SessionId, UserId};
use time::OffsetDateTime;

/// Notes that an account closes at a moment, as the owner of this session asked, who may give up the bonus. A request that is
/// there stays; returns when the account closes, and whether this request is the first.
pub async fn insert(
    conn: &mut PgConnection,
    (user_id, session_id): (UserId, SessionId),
    (now, due_at): (OffsetDateTime, OffsetDateTime),
    gives_up_bonus: bool,
) -> Result<(OffsetDateTime, bool), sqlx::Error> {
    let row = sqlx::query!(
        r#"INSERT INTO account_closures AS c (user_id, session_id, requested_at, due_at, gives_up_bonus)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (user_id) DO UPDATE SET due_at = coalesce(c.due_at, c.requested_at),
                gives_up_bonus = c.gives_up_bonus OR $5
           RETURNING due_at AS "due_at!", requested_at = $3 AND session_id = $2 AS "is_first!""#,
        user_id.get(),
        session_id.get(),
        now,
        due_at,
        gives_up_bonus,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.due_at, row.is_first))
}

/// The closing that is due, if it is, as whether the bonus is given up: nothing calls it off any more.
pub async fn start(conn: &mut PgConnection, user_id: UserId) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        "UPDATE account_closures SET started_at = coalesce(started_at, clock_timestamp())
         WHERE user_id = $1 AND coalesce(due_at, requested_at) <= clock_timestamp() RETURNING gives_up_bonus",
        user_id.get(),
    )
    .fetch_optional(conn)
    .await
}

/// Has a closing that has started wait for ten minutes; it can be called off again.
pub async fn postpone(conn: &mut PgConnection, user_id: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE account_closures SET started_at = NULL, due_at = clock_timestamp() + interval '10 minutes'
         WHERE user_id = $1",
        user_id.get(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Calls a closing off that has not started; `false` if there is none.
pub async fn call_off(conn: &mut PgConnection, user_id: UserId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM account_closures WHERE user_id = $1 AND started_at IS NULL", user_id.get())
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes an account's row; returns the session it was requested in.
pub async fn take(conn: &mut PgConnection, user_id: UserId) -> Result<Option<SessionId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"DELETE FROM account_closures WHERE user_id = $1 RETURNING session_id AS "session_id: _""#,
        user_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// The accounts whose closing is due, or was left unfinished.
pub async fn due(conn: &mut PgConnection) -> Result<Vec<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT user_id AS "user_id: _" FROM account_closures WHERE coalesce(due_at, requested_at + interval '30 seconds') <= now()
         ORDER BY requested_at LIMIT 100"#
    )
    .fetch_all(conn)
    .await
}
