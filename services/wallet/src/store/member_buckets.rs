//! In which bucket a member's accounts are: the table `member_buckets`, which the database writes with the first account.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use uuid::Uuid;

use crate::domain::bucket::assigned;

/// The bucket that has the accounts of a member; `None` before they are made, and for what is no member.
pub async fn find(conn: &mut PgConnection, id: impl Into<Uuid>) -> Result<Option<u16>, sqlx::Error> {
    let bucket = sqlx::query_scalar!("SELECT bucket FROM member_buckets WHERE user_id = $1", id.into());
    Ok(bucket.fetch_optional(conn).await?.and_then(|bucket| u16::try_from(bucket).ok()))
}

/// Goes to the bucket of a member.
pub async fn enter(conn: &mut PgConnection, user_id: MemberId) -> Result<(), sqlx::Error> {
    let buckets = conn.buckets();
    if buckets == 1 {
        return Ok(());
    }
    let bucket = find(conn, user_id).await?.unwrap_or_else(|| assigned(user_id, buckets));
    conn.enter(bucket).await
}
