//! The space used by receipts, and their references from payments.
//!
//! A reservation has to be used within 10 minutes and protects its file for 30, so the gateway never removes the file
//! of a valid reservation.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::{MemberId, TransactionId};
use chassis::idempotency::Claim;

/// Makes one member's reservations wait for each other, so that the limit holds.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('receipts of ' || $1::text, 0)) IS NULL AS "locked!""#,
        user_id.to_string(),
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// The key of the file that a request of the last minutes reserved under this claim.
pub async fn reserved_under(conn: &mut PgConnection, claim: &Claim) -> Result<Option<String>, sqlx::Error> {
    let (user_id, route, key) = claim.key();
    sqlx::query_scalar!(
        "SELECT key FROM receipts
         WHERE user_id = $1 AND route = $2 AND idempotency_key = $3 AND fingerprint = $4 AND transaction_id IS NULL
           AND reserved_at > clock_timestamp() - interval '10 minutes'",
        user_id.get(),
        route,
        key,
        claim.request().0,
    )
    .fetch_optional(conn)
    .await
}

/// The bytes of a member's receipts, those included that are being stored.
pub async fn bytes_of(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(sum(bytes), 0)::bigint AS "bytes!" FROM receipts
           WHERE user_id = $1
             AND (transaction_id IS NOT NULL OR reserved_at > clock_timestamp() - interval '10 minutes')"#,
        user_id.get(),
    )
    .fetch_one(conn)
    .await
}

/// Reserves room for a file, and forgets reservations of the member that nothing came of.
pub async fn reserve(
    conn: &mut PgConnection,
    user_id: MemberId,
    key: &str,
    bytes: i64,
    claim: Option<&Claim>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM receipts WHERE user_id = $1 AND transaction_id IS NULL
           AND reserved_at < clock_timestamp() - interval '1 hour'",
        user_id.get(),
    )
    .execute(&mut *conn)
    .await?;
    let (route, idempotency_key) = claim.map(|claim| (claim.key().1, claim.key().2)).unzip();
    sqlx::query!(
        "INSERT INTO receipts (key, user_id, bytes, route, idempotency_key, fingerprint)
         VALUES ($1, $2, $3, $4, $5, $6)",
        key,
        user_id.get(),
        bytes,
        route,
        idempotency_key,
        claim.map(|claim| claim.request().0),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes which payment a receipt proves.
pub async fn record(
    conn: &mut PgConnection,
    user_id: MemberId,
    key: &str,
    transaction_id: TransactionId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE receipts SET transaction_id = $3, route = NULL, idempotency_key = NULL, fingerprint = NULL
         WHERE key = $2 AND user_id = $1",
        user_id.get(),
        key,
        transaction_id.get(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Those of these files that a payment names, or soon may, or that prove a movement of the treasury. A decided payment keeps its
/// receipt for this many days; proposals keep their documents for good.
pub async fn owned_among(conn: &mut PgConnection, keys: &[String], days: i32) -> Result<Vec<String>, sqlx::Error> {
    let mut owned = across!(conn, owned_here(conn, keys, days)).concat();
    owned.sort_unstable();
    owned.dedup();
    Ok(owned)
}

async fn owned_here(conn: &mut PgConnection, keys: &[String], days: i32) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT receipt_key AS "key!" FROM transactions WHERE receipt_key IS NOT NULL AND receipt_key = ANY ($1)
             AND (status = 'pending' OR decided_at > clock_timestamp() - make_interval(days => $2))
           UNION
           SELECT key FROM receipts
           WHERE key = ANY ($1) AND reserved_at > clock_timestamp() - interval '30 minutes'
           UNION
           SELECT change->>'document_file' FROM proposals
           WHERE change->>'document_file' IS NOT NULL AND change->>'document_file' = ANY ($1)"#,
        keys,
        days,
    )
    .fetch_all(conn)
    .await
}

/// Forgets the space of receipts whose retention of this many days has passed, some at a time; returns how many.
pub async fn sweep(conn: &mut PgConnection, days: i32) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM receipts WHERE key = ANY (ARRAY(
            SELECT key FROM receipts WHERE reserved_at < now() - make_interval(days => $1)
                AND NOT EXISTS (SELECT FROM transactions WHERE id = transaction_id AND status = 'pending') LIMIT 1000))",
        days,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
