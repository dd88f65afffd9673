//! ListStaff, ListStaffContacts: list the staff accounts that are not disabled.

use crate::app::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

pub async fn list_staff(app: &App) -> Result<Vec<User>, Error> {
    Ok(users::staff(&mut *app.db.conn().await?).await?)
}
