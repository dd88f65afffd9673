//! EndMemberSessions: staff end all sessions of a member (D-A7).

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::UserId;
use chassis::idempotency::{self, Answer, Claim};
use chassis::identity::Staff;
use serde_json::json;

use crate::app::App;
use crate::app::security::security_log;
use crate::app::session::ending;
use crate::domain::security_event::Kind;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// Who does it, to whom, from where.
#[derive(Debug, Clone)]
pub struct EndMemberSessions {
    pub staff: Staff,
    pub user_id: UserId,
    /// The client address.
    pub address: String,
    pub claim: Option<Claim>,
}

/// Ends every session of the member; returns how many there were.
///
/// # Errors
/// [`Error::NotFound`] if no member has this id.
pub async fn end_member_sessions(app: &App, command: &EndMemberSessions) -> Result<Answer<u64>, Error> {
    idempotency::once(&app.db, command.claim.clone(), async |conn| apply(conn, command).await).await
}

async fn apply(conn: &mut PgConnection, command: &EndMemberSessions) -> Result<u64, Error> {
    let now = clock::now(conn).await?;
    let user = users::lock(conn, command.user_id).await?.filter(User::is_member).ok_or(Error::NotFound("member"))?;
    let ended = ending::end_all(conn, user.id, None, now).await?;
    if ended.is_empty() {
        return Ok(0);
    }
    security_log::done(conn, (user.id, None), Kind::SessionEnded, None, now).await?;
    let count = u64::try_from(ended.len()).unwrap_or(u64::MAX);
    let act = Act {
        staff: &command.staff,
        action: "member.end_sessions",
        subject_id: user.id.to_string(),
        member_id: Some(user.id.assume_member()),
        before: None,
        after: Some(json!({ "ended": count })),
        address: &command.address,
    };
    audit::append(conn, act).await?;
    Ok(count)
}
