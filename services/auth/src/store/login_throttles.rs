//! Table `login_throttles`.

use chassis::db::PgConnection;
use std::time::Duration;

use crate::domain::throttle::Counter;

/// Counts a try before anybody compares, unless the counter is closed: then it returns how long. A counter opens again
/// after 1, 2, 4, 8, 16, then 30 s, and is forgotten after 15 min of rest.
///
/// # Errors
/// The database's.
pub async fn charge(conn: &mut PgConnection, counter: &Counter) -> Result<Option<Duration>, sqlx::Error> {
    let charged = sqlx::query!(
        "INSERT INTO login_throttles AS t (key, failures, last_try_at, open_at)
         VALUES ($1, 1, clock_timestamp(), clock_timestamp())
         ON CONFLICT (key) DO UPDATE SET
            failures = CASE WHEN t.last_try_at < clock_timestamp() - interval '15 minutes' THEN 1 ELSE t.failures + 1 END,
            last_try_at = clock_timestamp(),
            open_at = CASE
                WHEN t.last_try_at < clock_timestamp() - interval '15 minutes' OR t.failures < $2 THEN clock_timestamp()
                ELSE clock_timestamp() + least(30, power(2, least(t.failures - $2, 5))) * interval '1 second' END
         WHERE t.open_at <= clock_timestamp()",
        counter.key,
        counter.free,
    )
    .execute(&mut *conn)
    .await?;
    if charged.rows_affected() == 1 {
        return Ok(None);
    }
    let millis = sqlx::query_scalar!(
        r#"SELECT greatest(1, ceil(extract(epoch FROM open_at - clock_timestamp()) * 1000))::bigint AS "millis!"
           FROM login_throttles WHERE key = $1"#,
        counter.key,
    )
    .fetch_optional(conn)
    .await?;
    Ok(Some(Duration::from_millis(millis.and_then(|millis| u64::try_from(millis).ok()).unwrap_or(1))))
}

/// Forgets the vain tries: the owner is in.
///
/// # Errors
/// The database's.
pub async fn clear(conn: &mut PgConnection, counter: &Counter) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM login_throttles WHERE key = $1", counter.key).execute(conn).await?;
    Ok(())
}

/// Takes one try back: it was not in vain, but those of others from there may be.
///
/// # Errors
/// The database's.
pub async fn give_back(conn: &mut PgConnection, counter: &Counter) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE login_throttles SET failures = greatest(0, failures - 1), open_at = clock_timestamp() WHERE key = $1",
        counter.key,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets counters that rested for a day.
///
/// # Errors
/// The database's.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM login_throttles WHERE key = ANY (ARRAY(
            SELECT key FROM login_throttles WHERE last_try_at < clock_timestamp() - interval '1 day' LIMIT 5000))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
