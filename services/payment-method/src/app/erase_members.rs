//! Removes the saved methods and the quotes of members whose account was closed long ago (D-A12).

use async_trait::async_trait;
use chassis::db::PgConnection;
use chassis::erasure::Erase;
use chassis::id::MemberId;

use crate::store::{methods, quotes};

/// The methods that a member saved, and the quotes, some of which are for these methods.
pub struct MethodsAndQuotes;

#[async_trait]
impl Erase for MethodsAndQuotes {
    async fn erase(&self, conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
        quotes::forget(&mut *conn, members).await?;
        methods::forget(conn, members).await
    }
}
