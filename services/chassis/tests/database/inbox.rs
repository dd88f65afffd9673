//! The events that took effect.

use chassis::inbox;
use sqlx::{Executor, PgPool};

use crate::fixture::database;

/// [Q4] That an event took effect is known for ninety days, far longer than it can come again.
#[sqlx::test(migrations = false)]
async fn handled_events_are_known_for_long(pool: PgPool) {
    let db = database(&pool).await;
    let sql = "INSERT INTO inbox SELECT gen_random_uuid(), 'k', clock_timestamp() - days * interval '1 day'
        FROM unnest(ARRAY[0, 8, 89, 90, 400]) AS days";
    pool.execute(sql).await.unwrap();
    assert_eq!(inbox::sweep(&db).await.unwrap(), 2);
    assert_eq!(inbox::sweep(&db).await.unwrap(), 0);
}
