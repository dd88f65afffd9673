//! Removes the progress, notes and certificates of members whose account was closed long ago (D-A12).

use async_trait::async_trait;
use chassis::db::PgConnection;
use chassis::erasure::Erase;
use chassis::id::MemberId;

use crate::store::{certificates, notes, progress};

/// The progress, notes and certificates of members.
pub struct MemberRecords;

#[async_trait]
impl Erase for MemberRecords {
    async fn erase(&self, conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
        certificates::forget(conn, members).await?;
        notes::forget(conn, members).await?;
        progress::forget(conn, members).await
    }
}
