//! GetUsers: accounts by id, for other services.

use uuid::Uuid;

use super::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// Accounts asked for at once, at the most.
const MOST: usize = 500;

/// Unknown ids are left out.
///
/// # Errors
/// Wrong fields if too many are asked for; the database's.
pub async fn get_users(app: &App, ids: &[Uuid]) -> Result<Vec<User>, Error> {
    if ids.len() > MOST {
        return Err(Error::field("userIds", "At most 500 accounts can be asked for at once"));
    }
    Ok(users::find_all(&mut *app.db.conn().await?, ids).await?)
}
