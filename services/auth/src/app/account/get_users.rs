//! GetUsers: accounts by id, for other services.

use chassis::id::UserId;

use crate::app::{App, MOST_IDS};
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// Unknown ids are left out.
///
/// # Errors
/// Wrong fields if too many are asked for.
pub async fn get_users(app: &App, ids: &[UserId]) -> Result<Vec<User>, Error> {
    if ids.len() > MOST_IDS {
        return Err(Error::field("userIds", "At most 500 accounts can be requested at once"));
    }
    Ok(users::find_all(&mut *app.db.conn().await?, ids).await?)
}
