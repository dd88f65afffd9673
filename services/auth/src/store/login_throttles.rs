use chassis::db::PgConnection;
use std::time::Duration;

use crate::domain::throttle::{Counter, LOCKED};

/// Counts a try before anybody compares, unless the counter is closed: then it returns how long. A counter opens again
/// after 1, 2, 4, 8, 16, then 30 s, one that reached its most after an hour, to count from one again. Its tries fade, and
/// are forgotten after its rest.
pub async fn charge(conn: &mut PgConnection, counter: &Counter) -> Result<Option<Duration>, sqlx::Error> {
    let charged = sqlx::query!(
        "INSERT INTO login_throttles AS t (key, failures, last_try_at, open_at, faded_at)
         VALUES ($1, 1, clock_timestamp(), clock_timestamp(), clock_timestamp())
         ON CONFLICT (key) DO UPDATE SET (failures, last_try_at, open_at, faded_at) = (
            SELECT kept + 1, now,
                now + interval '1 second' * CASE
                    WHEN kept < $2 THEN 0
                    WHEN kept + 1 = $4 THEN $5::int
                    ELSE least(30, power(2, least(kept - $2, 5))) END,
                CASE WHEN kept = 0 THEN now ELSE since + faded * $6::int * interval '1 second' END
            FROM (SELECT clock_timestamp() AS now, coalesce(t.faded_at, t.last_try_at) AS since) AS clock,
                LATERAL (SELECT coalesce(floor(extract(epoch FROM now - since) / $6::int), 0)::int AS faded) AS fading,
                LATERAL (SELECT CASE
                    WHEN t.last_try_at < now - $3::int * interval '1 second' OR t.failures >= $4 THEN 0
                    ELSE greatest(0, t.failures - faded) END AS kept) AS keeping)
         WHERE t.open_at <= clock_timestamp()",
        counter.key,
        counter.free,
        seconds(counter.rest),
        counter.most,
        seconds(LOCKED),
        counter.fade.map(seconds),
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

fn seconds(duration: time::Duration) -> i32 {
    i32::try_from(duration.whole_seconds()).unwrap_or(i32::MAX)
}

/// Forgets the vain tries: the owner is in.
pub async fn clear(conn: &mut PgConnection, counter: &Counter) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM login_throttles WHERE key = $1", counter.key).execute(conn).await?;
    Ok(())
}

/// Takes one attempt back: it succeeded, but others from there may have failed.
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
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM login_throttles WHERE key = ANY (ARRAY(
            SELECT key FROM login_throttles WHERE last_try_at < now() - interval '1 day' LIMIT 5000))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
