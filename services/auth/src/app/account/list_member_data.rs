//! ListMemberData: a page of what auth keeps about a member (D-A12).

use chassis::clock;
use chassis::identity::Session;
use chassis::member_data::{Cursor, Tables};
use proto::common::v1::ListMemberDataResponse;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::security_event::Kind;
use crate::error::Error;
use crate::store::member_data::MemberTables;

/// The page that the cursor begins. The first page begins a download, which the member's activity shows.
pub async fn list_member_data(app: &App, session: &Session, cursor: &Cursor) -> Result<ListMemberDataResponse, Error> {
    let mut tx = app.db.begin().await?;
    if cursor.is_first() {
        let now = clock::now(&mut tx).await?;
        let account = (session.user_id, session.role);
        security_log::done_in(&mut tx, session.id, account, Kind::DataExported, now).await?;
    }
    let rows = MemberTables::rows(&mut tx, cursor.table(), session.member_id(), &cursor.after).await?;
    tx.commit().await?;
    Ok(cursor.page(&rows))
}
