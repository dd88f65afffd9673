//! AddMemberNote: stores a staff note about a member.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::PgConnection;
use chassis::idempotency::{self, Answer};
use serde_json::json;

use crate::app::App;
use crate::app::staff::freeze_member::Decision;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::member_notes::{self, Note};
use crate::store::users;

/// # Errors
/// Wrong fields; [`Error::NotFound`] if no member has this id.
pub async fn add_member_note(app: &App, decision: &Decision) -> Result<Answer<()>, Error> {
    decision.note("text")?;
    idempotency::once(&app.db, decision.claim.clone(), async |conn| add(conn, decision).await).await
}

async fn add(conn: &mut PgConnection, decision: &Decision) -> Result<(), Error> {
    let text = decision.note("text")?;
    let now = clock::now(conn).await?;
    let user = users::find(conn, decision.user_id).await?.filter(User::is_member).ok_or(Error::NotFound("member"))?;
    let note = Note { author_id: decision.staff.id, at: now, text: text.to_owned() };
    member_notes::insert(conn, user.id, &note).await?;
    let act = Act {
        staff: &decision.staff,
        action: "member.note",
        subject_id: user.id.to_string(),
        member_id: Some(user.id.assume_member()),
        before: None,
        after: Some(json!({ "text": text })),
        address: &decision.address,
    };
    audit::append(conn, act).await?;
    Ok(())
}
