//! ListMembers: searches members by name, address and id.

use chassis::page::{Listed, Page};
use uuid::Uuid;

use super::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// A page of the members who match, and the cursor of the next page.
pub async fn list_members(app: &App, search: &str, page: &Page<Uuid>) -> Result<Listed<User>, Error> {
    // No text of the database holds a zero character, and it refuses one.
    let search = search.trim().replace('\0', "");
    let members = users::members(&mut *app.db.conn().await?, &search, page.after, page.limit()).await?;
    Ok(page.cut(members, |user| user.id))
}
