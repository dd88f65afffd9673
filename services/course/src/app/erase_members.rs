//! Removes the progress of members whose account was closed long ago (D-A12).

use async_trait::async_trait;
use chassis::db::PgConnection;
use chassis::erasure::Erase;
use uuid::Uuid;

use crate::store::progress;

/// The progress of members.
pub struct MemberProgress;

#[async_trait]
impl Erase for MemberProgress {
    async fn erase(&self, conn: &mut PgConnection, members: &[Uuid]) -> Result<(), sqlx::Error> {
        progress::forget(conn, members).await
    }
}
