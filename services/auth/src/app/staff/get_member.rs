//! GetMember: one member with sessions and notes.

use chassis::id::UserId;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::domain::session::Session;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::member_notes::{self, Note};
use crate::store::{factor_resets, sessions, users};

/// A member as staff see them.
pub struct Member {
    pub user: User,
    pub sessions: Vec<Session>,
    pub notes: Vec<Note>,
    /// Whether there is a second factor.
    pub has_factor: bool,
    /// When it is removed, as two people of the staff agreed.
    pub factor_reset_at: Option<OffsetDateTime>,
}

/// The member with this id.
///
/// # Errors
/// [`Error::NotFound`] if no member has this id.
pub async fn get_member(app: &App, id: UserId) -> Result<Member, Error> {
    let mut conn = app.db.conn().await?;
    let user = users::find(&mut conn, id).await?.filter(User::is_member).ok_or(Error::NotFound("member"))?;
    let sessions = sessions::of_user(&mut conn, id).await?;
    let notes = member_notes::of_user(&mut conn, id).await?;
    let has_factor = second_factor::is_set_up(&mut conn, id).await?;
    let factor_reset_at = factor_resets::due_at(&mut conn, id).await?;
    Ok(Member { user, sessions, notes, has_factor, factor_reset_at })
}
