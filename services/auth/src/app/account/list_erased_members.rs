//! ListErasedMembers: members whose personal data was removed here, for other services to do the same (D-A12).

use chassis::id::UserId;

use crate::app::App;
use crate::error::Error;
use crate::store::closed_accounts;

/// Members of a page.
const PAGE: i64 = 500;

/// Those after this one; from the first one without it.
pub async fn list_erased_members(app: &App, after: Option<UserId>) -> Result<Vec<UserId>, Error> {
    Ok(closed_accounts::erased_after(&mut *app.db.conn().await?, after, PAGE).await?)
}
