//! ListMembers: searches members by name, address and id.

use uuid::Uuid;

use super::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// A page of members, and the cursor of the next.
pub async fn list_members(
    app: &App,
    search: &str,
    before: Option<Uuid>,
    size: i64,
) -> Result<(Vec<User>, Option<Uuid>), Error> {
    // No text of the database holds a zero character, and it refuses one.
    let search = search.trim().replace('\0', "");
    let mut members = users::members(&mut *app.db.conn().await?, &search, before, size + 1).await?;
    let size = usize::try_from(size).unwrap_or_default();
    let more = members.len() > size;
    members.truncate(size);
    let next = members.last().filter(|_| more).map(|user| user.id);
    Ok((members, next))
}
