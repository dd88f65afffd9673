//! A step of several use cases: ends all sessions of an account, in their transaction.

use chassis::db::PgConnection;
use chassis::id::{SessionId, UserId};
use time::OffsetDateTime;

use crate::events::published;
use crate::store::sessions;

/// Ends them, except one if it is given; returns those that were live. The event also goes out when none was: what outlives a
/// session that is no longer used, as notices on its device do, ends with it.
pub async fn end_all(
    conn: &mut PgConnection,
    user_id: UserId,
    except: Option<SessionId>,
    now: OffsetDateTime,
) -> Result<Vec<SessionId>, sqlx::Error> {
    let ended = sessions::revoke_all(conn, user_id, except, now).await?;
    published::all_sessions_ended(conn, user_id, except, &ended).await?;
    Ok(ended)
}
