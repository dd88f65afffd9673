//! ListActivity, ListMemberActivity: list the security events of an account (D-A7).

use uuid::Uuid;

use super::App;
use crate::domain::security_event::SecurityEvent;
use crate::error::Error;
use crate::store::security_events;

/// A page of events, newest first, and the cursor of the next.
pub async fn list_activity(
    app: &App,
    user_id: Uuid,
    before: Option<i64>,
    size: i64,
) -> Result<(Vec<SecurityEvent>, Option<i64>), Error> {
    let mut events = security_events::of_user(&mut *app.db.conn().await?, user_id, before, size + 1).await?;
    let size = usize::try_from(size).unwrap_or_default();
    let more = events.len() > size;
    events.truncate(size);
    let next = events.last().filter(|_| more).map(|event| event.id);
    Ok((events, next))
}
