//! The tables `media` and `media_chunks`.

use chassis::id::StaffId;
use std::collections::HashMap;

use chassis::db::PgConnection;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::media::{Chunk, Job, Kind, LEASE, Media, MediaId, Preview, Processed, State, Video};
use crate::error::Error;

struct Row {
    id: MediaId,
    kind: Kind,
    name: String,
    size: i64,
    received: i64,
    state: State,
    progress: i32,
    reason: Option<String>,
    content_type: Option<String>,
    duration_ms: Option<i64>,
    width: Option<i32>,
    height: Option<i32>,
    preview: Option<Value>,
    attempt: Option<Uuid>,
    created_at: OffsetDateTime,
}

impl TryFrom<Row> for Media {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let preview = row.preview.map(serde_json::from_value::<Preview>).transpose()?;
        let video = match (row.duration_ms, row.width, row.height, preview) {
            (Some(duration_ms), Some(width), Some(height), Some(preview)) => {
                Some(Video { duration_ms, width, height, preview })
            }
            _ => None,
        };
        Ok(Self {
            id: row.id,
            kind: row.kind,
            name: row.name,
            size: row.size,
            received: row.received,
            state: row.state,
            progress: row.progress,
            reason: row.reason,
            content_type: row.content_type,
            attempt: row.attempt,
            video,
            created_at: row.created_at,
        })
    }
}

/// Makes those that begin uploads wait for each other until the transaction ends.
pub async fn lock_uploads(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtext('uploads'))").execute(conn).await?;
    Ok(())
}

/// Uploads that are not complete: of all managers, and of this one.
pub async fn count_uploads(conn: &mut PgConnection, by: StaffId) -> Result<(i64, i64), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "all!", count(*) FILTER (WHERE created_by = $1) AS "own!"
           FROM media WHERE state = 'uploading'"#,
        by.get()
    );
    let row = row.fetch_one(conn).await?;
    Ok((row.all, row.own))
}

pub async fn insert(
    conn: &mut PgConnection,
    id: MediaId,
    (kind, name, size): (Kind, &str, i64),
    created_by: StaffId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO media (id, kind, name, size, created_by, created_at, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        id.get(),
        kind as Kind,
        name,
        size,
        created_by.get(),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A file, unless it is removed.
pub async fn get(conn: &mut PgConnection, id: MediaId) -> Result<Option<Media>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, kind AS "kind: Kind", name, size, received, state AS "state: State", progress, reason,
                  content_type, duration_ms, width, height, preview, attempt, created_at
           FROM media WHERE id = $1 AND state <> 'removed'"#,
        id.get()
    );
    row.fetch_optional(conn).await?.map(Media::try_from).transpose()
}

/// The newest files, newest first.
pub async fn list(conn: &mut PgConnection) -> Result<Vec<Media>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id, kind AS "kind: Kind", name, size, received, state AS "state: State", progress, reason,
                  content_type, duration_ms, width, height, preview, attempt, created_at
           FROM media WHERE state <> 'removed' ORDER BY created_at DESC LIMIT 200"#
    );
    rows.fetch_all(conn).await?.into_iter().map(Media::try_from).collect()
}

/// The kinds of these files as far as they are ready. With the lock of versions they stay so.
pub async fn ready(conn: &mut PgConnection, ids: &[MediaId]) -> Result<HashMap<MediaId, Kind>, Error> {
    let rows =
        sqlx::query!(r#"SELECT id, kind AS "kind: Kind" FROM media WHERE id = ANY ($1) AND state = 'ready'"#, ids as _)
            .fetch_all(conn)
            .await?;
    Ok(rows.into_iter().map(|row| (row.id.into(), row.kind)).collect())
}

/// Makes a chunk the next part of an upload, and queues the file if it is complete. Returns how many bytes there are; none
/// if another part was added before.
pub async fn append(
    conn: &mut PgConnection,
    id: MediaId,
    chunk: Chunk,
    now: OffsetDateTime,
) -> Result<Option<i64>, Error> {
    let received = sqlx::query_scalar!(
        "UPDATE media SET received = received + $3, changed_at = $4,
                state = CASE WHEN received + $3 = size THEN 'queued' ELSE state END
         WHERE id = $1 AND state = 'uploading' AND received = $2 AND received + $3 <= size
         RETURNING received",
        id.get(),
        chunk.begins_at,
        chunk.bytes,
        now
    )
    .fetch_optional(&mut *conn)
    .await?;
    if received.is_some() {
        sqlx::query!(
            "INSERT INTO media_chunks (media, begins_at, bytes, name) VALUES ($1, $2, $3, $4)",
            id.get(),
            chunk.begins_at,
            chunk.bytes,
            chunk.name
        )
        .execute(conn)
        .await?;
    }
    Ok(received)
}

/// The chunks of an upload, in order.
pub async fn chunks(conn: &mut PgConnection, id: MediaId) -> Result<Vec<Chunk>, Error> {
    Ok(sqlx::query_as!(
        Chunk,
        "SELECT begins_at, bytes, name FROM media_chunks WHERE media = $1 ORDER BY begins_at",
        id.get()
    )
    .fetch_all(conn)
    .await?)
}

pub async fn count_chunks(conn: &mut PgConnection, id: MediaId) -> Result<i64, Error> {
    let found = sqlx::query_scalar!(r#"SELECT count(*) AS "chunks!" FROM media_chunks WHERE media = $1"#, id.get());
    Ok(found.fetch_one(conn).await?)
}

pub async fn forget_chunks(conn: &mut PgConnection, id: MediaId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM media_chunks WHERE media = $1", id.get()).execute(conn).await?;
    Ok(())
}

/// Whether a version or the draft has a file.
pub async fn is_in_use(conn: &mut PgConnection, id: MediaId) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM lessons WHERE video = $1)
               OR EXISTS (SELECT FROM lesson_attachments WHERE media = $1)
               OR EXISTS (SELECT FROM drafts WHERE course::text LIKE '%' || $1::uuid::text || '%') AS "found!""#,
        id.get()
    );
    Ok(found.fetch_one(conn).await?)
}

/// Marks a file, whose objects are deleted later. Returns whether there was one.
pub async fn mark_removed(conn: &mut PgConnection, id: MediaId, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE media SET state = 'removed', reason = NULL, leased_until = NULL, changed_at = $2
         WHERE id = $1 AND state <> 'removed'",
        id.get(),
        now
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Leases the file that has waited longest: one that is queued, or whose worker has died.
pub async fn lease(conn: &mut PgConnection, attempt: Uuid, now: OffsetDateTime) -> Result<Option<Job>, Error> {
    let row = sqlx::query!(
        r#"WITH next AS (
               SELECT id, attempt FROM media
               WHERE state = 'queued' OR state = 'processing' AND leased_until < $2
               ORDER BY changed_at LIMIT 1 FOR UPDATE SKIP LOCKED
           )
           UPDATE media SET state = 'processing', progress = 0, attempt = $1, attempts = attempts + 1, leased_until = $3,
                  changed_at = $2
           FROM next WHERE media.id = next.id
           RETURNING media.id, kind AS "kind: Kind", name, size, next.attempt AS "abandoned?", attempts"#,
        attempt,
        now,
        now + LEASE
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Job {
        media: row.id.into(),
        kind: row.kind,
        name: row.name,
        size: row.size,
        attempt,
        abandoned: row.abandoned,
        attempts: row.attempts,
    }))
}

/// Keeps the lease and the progress of an attempt. Returns false if the file is no longer its own.
pub async fn report(conn: &mut PgConnection, job: &Job, progress: i32, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE media SET progress = $3, leased_until = $4
         WHERE id = $1 AND state = 'processing' AND attempt = $2",
        job.media.get(),
        job.attempt,
        progress,
        now + LEASE
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Gives a file back, for another worker: this one ends before it is done. It does not count as an attempt.
pub async fn give_back(conn: &mut PgConnection, job: &Job) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE media SET state = 'queued', leased_until = NULL, progress = 0, attempts = attempts - 1
         WHERE id = $1 AND state = 'processing' AND attempt = $2",
        job.media.get(),
        job.attempt
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps the result of an attempt. Returns false if the file is no longer its own.
pub async fn finish(
    conn: &mut PgConnection,
    job: &Job,
    processed: &Processed,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let video = processed.video;
    let preview = video.map(|video| serde_json::to_value(video.preview)).transpose()?;
    let done = sqlx::query!(
        "UPDATE media SET state = 'ready', progress = 100, leased_until = NULL, content_type = $3, duration_ms = $4,
                width = $5, height = $6, preview = $7, changed_at = $8
         WHERE id = $1 AND state = 'processing' AND attempt = $2",
        job.media.get(),
        job.attempt,
        processed.content_type,
        video.map(|video| video.duration_ms),
        video.map(|video| video.width),
        video.map(|video| video.height),
        preview,
        now
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Keeps why an attempt failed for good. Returns false if the file is no longer its own.
pub async fn fail(conn: &mut PgConnection, job: &Job, reason: &str, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE media SET state = 'failed', leased_until = NULL, reason = $3, changed_at = $4
         WHERE id = $1 AND state = 'processing' AND attempt = $2",
        job.media.get(),
        job.attempt,
        reason,
        now
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Marks what nobody needs as removed: uploads without a byte since `uploads`, and files
/// from before `unused` that no version and no draft has.
pub async fn mark_abandoned(
    conn: &mut PgConnection,
    uploads: OffsetDateTime,
    unused: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<u64, Error> {
    let done = sqlx::query!(
        "UPDATE media SET state = 'removed', reason = NULL, leased_until = NULL, changed_at = $3
         WHERE id IN (
             SELECT id FROM media m
             WHERE (state = 'uploading' AND changed_at < $1
                    OR state IN ('ready', 'failed') AND changed_at < $2)
               AND NOT EXISTS (SELECT FROM lessons WHERE video = m.id)
               AND NOT EXISTS (SELECT FROM lesson_attachments WHERE media = m.id)
               AND NOT EXISTS (SELECT FROM drafts WHERE course::text LIKE '%' || m.id::text || '%')
             LIMIT 100)",
        uploads,
        unused,
        now
    );
    Ok(done.execute(conn).await?.rows_affected())
}

/// Files whose objects are to be deleted.
pub async fn removed(conn: &mut PgConnection) -> Result<Vec<MediaId>, Error> {
    let found =
        sqlx::query_scalar!(r#"SELECT id AS "id: _" FROM media WHERE state = 'removed' ORDER BY changed_at LIMIT 100"#);
    Ok(found.fetch_all(conn).await?)
}

/// Forgets a file whose objects have been deleted.
pub async fn forget(conn: &mut PgConnection, id: MediaId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM media WHERE id = $1 AND state = 'removed'", id.get()).execute(conn).await?;
    Ok(())
}

/// Files whose chunks are no longer needed: failed ones, attachments, and videos that have been ready since `ready`.
pub async fn with_spent_chunks(conn: &mut PgConnection, ready: OffsetDateTime) -> Result<Vec<MediaId>, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT id AS "id: _" FROM media m
         WHERE (state = 'failed' OR state = 'ready' AND (kind = 'attachment' OR changed_at < $1))
           AND EXISTS (SELECT FROM media_chunks WHERE media = m.id)
         LIMIT 100"#,
        ready
    );
    Ok(found.fetch_all(conn).await?)
}

/// Which of these files exist.
pub async fn known(conn: &mut PgConnection, ids: &[MediaId]) -> Result<Vec<MediaId>, Error> {
    Ok(sqlx::query_scalar!(r#"SELECT id AS "id: _" FROM media WHERE id = ANY ($1)"#, ids as _).fetch_all(conn).await?)
}

/// How many files wait, and for how many seconds the first of them.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, i64), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "length!",
                  coalesce(extract(epoch FROM clock_timestamp() - min(changed_at)), 0)::bigint AS "oldest_seconds!"
           FROM media WHERE state IN ('queued', 'processing')"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.length, row.oldest_seconds))
}
