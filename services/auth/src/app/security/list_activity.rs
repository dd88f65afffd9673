//! ListActivity, ListMemberActivity: list the security events of an account (D-A7).

use chassis::id::UserId;
use chassis::page::{Listed, Page};

use crate::app::App;
use crate::domain::security_event::SecurityEvent;
use crate::error::Error;
use crate::store::security_events;

/// A page of the events, newest first, and the cursor of the next page.
pub async fn list_activity(app: &App, user_id: UserId, page: &Page<i64>) -> Result<Listed<SecurityEvent>, Error> {
    let events = security_events::of_user(&mut *app.db.conn().await?, user_id, page.after, page.limit()).await?;
    Ok(page.cut(events, |event| event.id))
}
