//! FreezeMember, UnfreezeMember: block and unblock a member's money operations and profile changes (D-R13).

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::PgConnection;
use chassis::decision::{Decided, Signed};
use chassis::id::UserId;
use chassis::idempotency::{self, Answer, Claim};
use chassis::identity::Staff;
use chassis::permission::Permission;
use serde_json::json;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::security_event::Kind;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::users;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Freeze,
    Unfreeze,
}

impl Change {
    /// As the audit log names it.
    const fn action(self) -> &'static str {
        match self {
            Self::Freeze => "member.freeze",
            Self::Unfreeze => "member.unfreeze",
        }
    }
}

/// Who does it, to whom, why, from where.
#[derive(Debug, Clone)]
pub struct Decision {
    pub staff: Staff,
    pub user_id: UserId,
    pub note: String,
    /// The client address.
    pub address: String,
    pub claim: Option<Claim>,
}

impl Decision {
    /// The note, checked; the field it came in has this name.
    pub(crate) fn note(&self, field: &'static str) -> Result<&str, Error> {
        let note = self.note.trim();
        if note.is_empty() {
            return Err(Error::field(field, "A note is required"));
        }
        if note.chars().count() > 2_000 || note.contains('\0') {
            return Err(Error::field(field, "A note must be at most 2,000 characters long"));
        }
        Ok(note)
    }
}

/// Does it; a member who is so already stays so, and nothing is written.
///
/// # Errors
/// A wrong note, [`Error::NotFound`].
pub async fn change_freeze(app: &App, decision: &Decision, change: Change) -> Result<Answer<User>, Error> {
    decision.note("note")?;
    let decided = Decided::new(change.action(), decision.user_id, Permission::Freeze, json!({}));
    let signed = decision.staff.sign(decided, None).await?;
    let answer =
        idempotency::once(&app.db, decision.claim.clone(), async |conn| apply(conn, decision, change, &signed).await)
            .await?;
    let user = users::find(&mut *app.db.conn().await?, decision.user_id).await?.ok_or(Error::NotFound("member"))?;
    Ok(answer.map(|()| user))
}

async fn apply(conn: &mut PgConnection, decision: &Decision, change: Change, signed: &Signed) -> Result<(), Error> {
    let note = decision.note("note")?;
    let now = clock::now(conn).await?;
    let user = users::lock(conn, decision.user_id).await?.filter(User::is_member);
    let mut user = user.ok_or(Error::NotFound("member"))?;
    let frozen = change == Change::Freeze;
    if user.frozen_at.is_some() == frozen {
        return Ok(());
    }
    user.frozen_at = frozen.then_some(now);
    users::set_frozen(conn, user.id, user.frozen_at).await?;
    let kind = if frozen { Kind::Frozen } else { Kind::Unfrozen };
    security_log::done(conn, (user.id, None), kind, None, now).await?;
    let act = Act {
        staff: &decision.staff,
        action: change.action(),
        subject_id: user.id.to_string(),
        member_id: Some(user.id.assume_member()),
        before: Some(json!({ "frozen": !frozen })),
        after: Some(json!({ "frozen": frozen, "note": note })),
        address: &decision.address,
    };
    audit::append_signed(conn, act, signed).await?;
    if frozen {
        published::account_frozen(conn, user.id).await?;
    }
    Ok(())
}
