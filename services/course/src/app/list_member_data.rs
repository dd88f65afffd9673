//! Returns a page of what this service keeps about a member (D-A12).

use chassis::db::Db;
use chassis::member_data::Cursor;
use proto::common::v1::ListMemberDataResponse;
use uuid::Uuid;

use crate::error::Error;
use crate::store::member_data;

/// The page that the cursor begins.
pub async fn list_member_data(db: &Db, user_id: Uuid, cursor: &Cursor) -> Result<ListMemberDataResponse, Error> {
    let rows = member_data::rows(&mut *db.conn().await?, cursor.table(), user_id, &cursor.after).await?;
    Ok(cursor.page(&rows))
}
