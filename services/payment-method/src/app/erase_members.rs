//! Removes the saved methods of members whose account was closed long ago (D-A12).

use async_trait::async_trait;
use chassis::db::PgConnection;
use chassis::erasure::Erase;
use uuid::Uuid;

use crate::store::methods;

/// The methods that a member saved.
pub struct SavedMethods;

#[async_trait]
impl Erase for SavedMethods {
    async fn erase(&self, conn: &mut PgConnection, members: &[Uuid]) -> Result<(), sqlx::Error> {
        methods::forget(conn, members).await
    }
}
