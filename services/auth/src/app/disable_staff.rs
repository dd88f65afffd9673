//! DisableStaff: ends a staff account and its sessions.

use chassis::audit::{self, Act};
use chassis::caller::Staff;
use chassis::clock;
use serde_json::json;
use uuid::Uuid;

use super::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{reset_tokens, sessions, users};

/// Ends it. One that has ended stays so.
///
/// # Errors
/// [`Error::OwnAccount`], [`Error::NotFound`], the database's.
pub async fn disable_staff(app: &App, admin: &Staff, user_id: Uuid, address: &str) -> Result<(), Error> {
    if admin.user_id == user_id {
        return Err(Error::OwnAccount);
    }
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, user_id).await?.filter(|user: &User| !user.is_member());
    let user = user.ok_or(Error::NotFound("staff account"))?;
    if !user.is_open() {
        return Ok(());
    }
    users::disable(&mut tx, user.id, now).await?;
    reset_tokens::supersede(&mut tx, user.id, now).await?;
    let ended = sessions::revoke_all(&mut tx, user.id, None, now).await?;
    published::session_ended(&mut tx, user.id, &ended).await?;
    let act = Act {
        staff: admin,
        action: "staff.disable",
        subject_id: user.id.to_string(),
        member_id: None,
        before: Some(json!({ "role": user.role.map(|role| role.as_str()), "disabled": false })),
        after: Some(json!({ "disabled": true })),
        address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(())
}
