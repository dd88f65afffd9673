//! The inbox: the events that were processed, so that a redelivered one is ignored.

use crate::bus::{Event, HandleError, Handler};
use crate::db::{self, Db, PgConnection};

/// Notes the event in the transaction of its effect. `false` if it took effect before: then there is nothing to do.
pub async fn first_time(conn: &mut PgConnection, event: &Event) -> Result<bool, sqlx::Error> {
    let noted =
        sqlx::query!("INSERT INTO inbox (event_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING", event.id, event.key)
            .execute(conn)
            .await?;
    Ok(noted.rows_affected() == 1)
}

/// Lets an event take effect in a transaction of its own, unless it did before.
///
/// # Errors
/// What the handler returns. The event then counts as not handled.
pub async fn take_effect(db: &Db, handler: &dyn Handler, event: &Event) -> Result<(), HandleError> {
    let effect = handler.prepare(event).await?;
    let mut tx = db.begin().await?;
    if first_time(&mut tx, event).await? {
        effect.apply(&mut tx).await?;
        crate::crash_point!("inbox.before_commit");
        tx.commit().await?;
    }
    handler.after(event).await?;
    crate::crash_point!("inbox.before_ack");
    Ok(())
}

/// Forgets events handled ninety days ago: far longer than their publisher keeps them for a replay (seven days), or a
/// broker for delivery.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM inbox WHERE event_id = ANY (ARRAY(
                SELECT event_id FROM inbox WHERE handled_at < now() - interval '90 days' LIMIT 5000))"
        )
    })
    .await
}
