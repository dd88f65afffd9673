//! The table `mails`.

use chassis::id::UserId;
use std::time::Duration;

use chassis::db::PgConnection;
use chassis::telemetry::TraceContext;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::mail::{FinalStatus, Mail, MailRequest, Params};

/// Queues a mail to one account; `false` if the event has queued it before.
pub async fn queue(
    conn: &mut PgConnection,
    event_id: Uuid,
    user_id: UserId,
    request: &MailRequest,
) -> Result<bool, sqlx::Error> {
    let params = serde_json::to_value(&request.params).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let trace_context = serde_json::to_value(TraceContext::current()).unwrap_or_default();
    let queued = sqlx::query!(
        "INSERT INTO mails (id, event_id, template, user_id, address, secret_reference, params, trace_context)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT ON CONSTRAINT mails_once_an_event DO NOTHING",
        Uuid::now_v7(),
        event_id,
        request.template.into_str(),
        user_id.get(),
        request.address,
        request.secret_reference,
        params,
        trace_context,
    )
    .execute(conn)
    .await?;
    Ok(queued.rows_affected() == 1)
}

/// How many mails an event has queued.
pub async fn count(conn: &mut PgConnection, event_id: Uuid) -> Result<usize, sqlx::Error> {
    let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM mails WHERE event_id = $1"#, event_id)
        .fetch_one(conn)
        .await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// A mail leased to this process, and the trace of the request that caused it.
pub type Leased = (Mail, TraceContext);

/// Leases due mails, those with a code or link first. Until the lease ends, no other process sees them.
pub async fn lease(conn: &mut PgConnection, limit: usize, lease: Duration) -> Result<Vec<Leased>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"UPDATE mails SET tries = tries + 1, next_try_at = clock_timestamp() + make_interval(secs => $2::integer)
         WHERE id = ANY (ARRAY(
            SELECT id FROM mails WHERE status = 'queued' AND next_try_at <= now()
            ORDER BY secret_reference IS NULL, next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING id, template, user_id, address, secret_reference, params, trace_context, tries,
            extract(epoch FROM clock_timestamp() - created_at)::bigint AS "age_seconds!""#,
        i64::try_from(limit).unwrap_or(i64::MAX),
        seconds(lease),
    )
    .fetch_all(conn)
    .await?;
    let mut leased = Vec::with_capacity(rows.len());
    for row in rows {
        // A newer build's mail is left to it.
        let Ok(template) = row.template.parse() else {
            tracing::warn!(mail = %row.id, template = row.template, "mail left to a newer build");
            continue;
        };
        let mail = Mail {
            id: row.id,
            template,
            user_id: row.user_id.into(),
            address: row.address,
            secret_reference: row.secret_reference,
            params: params(row.params)?,
            tries: row.tries,
            age_seconds: row.age_seconds,
        };
        leased.push((mail, serde_json::from_value(row.trace_context).unwrap_or_default()));
    }
    Ok(leased)
}

/// Extends the lease of a mail that is still at work.
pub async fn renew(conn: &mut PgConnection, mail: &Mail, lease: Duration) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE mails SET next_try_at = clock_timestamp() + make_interval(secs => $3::integer)
         WHERE id = $1 AND tries = $2 AND status = 'queued'",
        mail.id,
        mail.tries,
        seconds(lease),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a mail. Sent is true no matter who holds the lease by now; any other end only concerns this try.
pub async fn end(
    conn: &mut PgConnection,
    mail: &Mail,
    end: FinalStatus,
    cause: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE mails SET status = $3, last_error = coalesce($4, last_error), ended_at = clock_timestamp()
         WHERE id = $1 AND (status = 'queued' AND tries = $2 OR $3 = 'sent' AND status <> 'sent')",
        mail.id,
        mail.tries,
        end.into_str(),
        cause,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts a mail back, due after a pause.
pub async fn defer(conn: &mut PgConnection, mail: &Mail, pause: Duration, cause: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE mails SET next_try_at = clock_timestamp() + make_interval(secs => $3::integer), last_error = $4
         WHERE id = $1 AND tries = $2 AND status = 'queued'",
        mail.id,
        mail.tries,
        seconds(pause),
        cause,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets mails that ended long ago; returns how many.
pub async fn sweep(conn: &mut PgConnection, days: i32) -> Result<u64, sqlx::Error> {
    let swept = sqlx::query!(
        "DELETE FROM mails WHERE id = ANY (ARRAY(
            SELECT id FROM mails WHERE ended_at < now() - make_interval(days => $1) LIMIT 5000))",
        days,
    )
    .execute(conn)
    .await?;
    Ok(swept.rows_affected())
}

fn params(value: Value) -> Result<Params, sqlx::Error> {
    serde_json::from_value(value).map_err(|error| sqlx::Error::Decode(error.into()))
}

fn seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs()).unwrap_or(i32::MAX)
}
