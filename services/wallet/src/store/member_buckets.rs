//! In which bucket a member's accounts are: the table `member_buckets`, which the database writes with the first account.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use uuid::Uuid;

use crate::domain::bucket::assigned;

/// The bucket that has the accounts of a member; `None` before they are made, and for an unknown member.
pub async fn find(conn: &mut PgConnection, id: impl Into<Uuid>) -> Result<Option<u16>, sqlx::Error> {
    let bucket = sqlx::query_scalar!("SELECT bucket FROM member_buckets WHERE user_id = $1", id.into());
    Ok(bucket.fetch_optional(conn).await?.and_then(|bucket| u16::try_from(bucket).ok()))
}

/// The bucket of a member.
pub enum Bucket {
    /// Where the accounts are, which never changes.
    Recorded(u16),
    /// Where they would be made now.
    Assigned(u16),
}

impl Bucket {
    #[must_use]
    pub const fn number(&self) -> u16 {
        match self {
            Self::Recorded(number) | Self::Assigned(number) => *number,
        }
    }
}

/// The bucket of a member: of those that take members, if there are no accounts yet.
pub async fn of_member(conn: &mut PgConnection, user_id: MemberId) -> Result<Bucket, sqlx::Error> {
    if let Some(recorded) = find(conn, user_id).await? {
        return Ok(Bucket::Recorded(recorded));
    }
    Ok(Bucket::Assigned(assigned(user_id, open(conn).await?)))
}

/// How many buckets take new members.
pub async fn open(conn: &mut PgConnection) -> Result<u16, sqlx::Error> {
    let open = sqlx::query_scalar!("SELECT count FROM open_buckets").fetch_one(conn).await?;
    Ok(u16::try_from(open).unwrap_or(1))
}

/// Goes to the bucket of a member.
pub async fn enter(conn: &mut PgConnection, user_id: MemberId) -> Result<(), sqlx::Error> {
    if conn.buckets() == 1 {
        return Ok(());
    }
    let bucket = of_member(conn, user_id).await?;
    conn.enter(bucket.number()).await
}
