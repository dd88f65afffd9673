//! InviteStaff: makes a staff account without a password, and has its owner mailed a link to set one.

use chassis::audit::{self, Act};
use chassis::caller::{Role, Staff};
use chassis::clock;
use chassis::idempotency::{Answer, Claim, Work};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{App, issuing};
use crate::domain::code::LinkPurpose;
use crate::domain::email::Email;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// A checked invitation.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// The admin.
    pub staff: Staff,
    /// Whom: their name.
    pub name: String,
    /// Whom: their address.
    pub email: Email,
    /// As what.
    pub role: Role,
    /// The client address.
    pub address: String,
}

/// Invites.
///
/// # Errors
/// [`Error::EmailTaken`], the key's, the database's.
pub async fn invite_staff(app: &App, invitation: &Invitation, claim: Option<Claim>) -> Result<Answer<User>, Error> {
    let mut work = Work::begin::<Error>(&app.db, claim).await?;
    let answer = match work.replay::<Uuid, Error>()? {
        Some(answer) => answer,
        None => {
            let invited = add(app, &mut work, invitation).await;
            work.settle(invited).await?
        }
    };
    let user = users::find(&mut *app.db.conn().await?, answer.result).await?.ok_or(Error::NotFound("account"))?;
    Ok(answer.map(|_| user))
}

async fn add(app: &App, conn: &mut PgConnection, invitation: &Invitation) -> Result<Uuid, Error> {
    let now = clock::now(&mut *conn).await?;
    let user = User {
        id: Uuid::now_v7(),
        name: invitation.name.clone(),
        email: invitation.email.as_str().to_owned(),
        pending_email: None,
        phone: String::new(),
        country: String::new(),
        image_key: String::new(),
        password_hash: None,
        role: Some(invitation.role),
        created_at: now,
        verified_at: None,
        frozen_at: None,
        disabled_at: None,
    };
    if !users::insert(&mut *conn, &user).await? {
        return Err(Error::EmailTaken);
    }
    issuing::link(&mut *conn, &app.secrets, &user, LinkPurpose::Invitation, now).await?;
    let act = Act {
        staff: &invitation.staff,
        action: "staff.invite",
        subject_id: user.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "name": user.name, "email": user.email, "role": invitation.role.as_str() })),
        address: &invitation.address,
    };
    audit::append(conn, act).await?;
    Ok(user.id)
}
