//! ListStaff, ListStaffContacts, ListPermittedStaff: list the staff accounts that are not disabled.

use chassis::id::StaffId;
use chassis::permission::Permission;

use crate::app::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

pub async fn list_staff(app: &App) -> Result<Vec<User>, Error> {
    Ok(users::staff(&mut *app.db.conn().await?).await?)
}

/// Those whose role has this permission, by name.
pub async fn list_permitted_staff(app: &App, permission: Permission) -> Result<Vec<StaffId>, Error> {
    let has_it = |user: &User| user.role.is_some_and(|role| permission.roles().contains(&role));
    Ok(list_staff(app).await?.into_iter().filter(has_it).map(|user| user.id.assume_staff()).collect())
}
