//! Removes the cases of members whose account was closed long ago (D-A12). The register of complaints is kept by law.

use async_trait::async_trait;
use chassis::db::PgConnection;
use chassis::erasure::Erase;
use chassis::id::MemberId;

use crate::store::cases;

/// The cases of members, except complaints.
pub struct MemberCases;

#[async_trait]
impl Erase for MemberCases {
    async fn erase(&self, conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
        cases::forget(conn, members).await
    }
}
