//! `auth staff reset-totp`: removes the lost second factors of a staff member, who sets up a new one at the next login.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::Db;
use chassis::id::StaffId;
use chassis::identity::{Role, Staff};
use serde_json::json;

use crate::app::session::ending;
use crate::domain::email::Email;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::{authenticators, passkeys, recovery_codes, users};

/// Resets, and ends the account's sessions; `false` if there was none.
///
/// # Errors
/// [`Error::NotFound`], wrong fields.
pub async fn reset_totp(db: &Db, email: &str) -> Result<bool, Error> {
    let email = Email::parse(email).map_err(|sentence| Error::field("email", sentence))?;
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::find_by_email(&mut tx, email.as_str()).await?.filter(|user: &User| !user.is_member());
    let user = user.ok_or(Error::NotFound("staff account"))?;
    users::lock(&mut tx, user.id).await?;
    let had_authenticator = authenticators::forget(&mut tx, user.id).await?;
    let had_passkeys = passkeys::forget(&mut tx, user.id).await?;
    if !had_authenticator && !had_passkeys {
        return Ok(false);
    }
    recovery_codes::replace(&mut tx, user.id, &[]).await?;
    ending::end_all(&mut tx, user.id, None, now).await?;
    // As for `staff add`: the operator has no account.
    let operator = Staff::new(StaffId::default(), Role::Admin);
    let act = Act {
        staff: &operator,
        action: "staff.reset_totp",
        subject_id: user.id.to_string(),
        member_id: None,
        before: Some(json!({ "enrolled": true })),
        after: Some(json!({ "enrolled": false })),
        address: "command line",
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}
