//! Lists a member's notices.

use chassis::db::Db;
use chassis::id::UserId;
use chassis::page::{Listed, Page};

use crate::domain::notice::{Group, Notice, NoticeId};
use crate::error::Error;
use crate::store::notices;

/// More unread notices than these are not counted.
pub const COUNTED: i64 = 100;

/// A page of a member's notices, of one group or all, and how many of all groups they have not read.
///
/// # Errors
/// Database.
pub async fn list_notices(
    db: &Db,
    user_id: UserId,
    group: Option<Group>,
    page: &Page<NoticeId>,
) -> Result<(Listed<Notice>, i32), Error> {
    let mut conn = db.conn().await?;
    let rows = notices::list(&mut conn, user_id, &Group::kinds(group), page).await?;
    let unread = notices::count_unread(&mut conn, user_id, COUNTED).await?;
    Ok((page.cut(rows, |notice| notice.id), unread))
}
