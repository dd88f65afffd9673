use chassis::db::PgConnection;
use chassis::id::SessionId;
use time::OffsetDateTime;

use crate::domain::passkey::Signature;

/// Writes what a session signed for a digest, in place of what it signed for it before.
pub async fn insert(
    conn: &mut PgConnection,
    session_id: SessionId,
    digest: &[u8],
    signed: &Signature,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO decision_signatures
            (session_id, digest, public_key, authenticator_data, client_data, signature, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (session_id, digest) DO UPDATE SET
            public_key = excluded.public_key, authenticator_data = excluded.authenticator_data,
            client_data = excluded.client_data, signature = excluded.signature, created_at = excluded.created_at",
        session_id.get(),
        digest,
        signed.public_key,
        signed.authenticator_data,
        signed.client_data,
        signed.signature,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a session signed for a digest after this moment.
pub async fn find(
    conn: &mut PgConnection,
    session_id: SessionId,
    digest: &[u8],
    since: OffsetDateTime,
) -> Result<Option<Signature>, sqlx::Error> {
    sqlx::query_as!(
        Signature,
        "SELECT public_key, authenticator_data, client_data, signature FROM decision_signatures
         WHERE session_id = $1 AND digest = $2 AND created_at > $3",
        session_id.get(),
        digest,
        since,
    )
    .fetch_optional(conn)
    .await
}

/// Forgets what was signed an hour ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM decision_signatures WHERE (session_id, digest) IN (
            SELECT session_id, digest FROM decision_signatures
            WHERE created_at < now() - interval '1 hour' LIMIT 5000)"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
