//! UpdateProfile: changes the caller's details. A new address stays pending until its code is confirmed (D-S12).

use chassis::clock;
use chassis::db::Tx;
use chassis::identity::Session;
use chassis::permission::MemberAct;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::password::password_proof;
use crate::app::security::security_log;
use crate::app::session::issuing;
use crate::domain::code::{CHANGES_TO_ONE_ADDRESS, NewCode, Purpose};
use crate::domain::details::Details;
use crate::domain::email::Email;
use crate::domain::password::{Form, Password};
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose as LinkFor;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{codes, security_links, users};

/// The field of the password in force.
const CURRENT_PASSWORD: &str = "currentPassword";

/// Changes them; returns the account as it stands then. Another address takes a fresh second factor of anyone who has one, and
/// else the password (D-A1, D-A3).
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), [`Error::ReauthenticationRequired`], [`Error::WrongPassword`],
/// [`Error::TooManyTries`], [`Error::TooManyCodes`], [`Error::AccountFrozen`], [`Error::Overloaded`]; a wrong field if
/// too many others wait to change to the address.
pub async fn update_profile(app: &App, session: &Session, details: &Details, password: &str) -> Result<User, Error> {
    let known = users::find(&mut *app.db.conn().await?, session.user_id).await?.ok_or(Error::NotFound("account"))?;
    let changes_email = !details.email.is(&known.email);
    let by_password = changes_email && !session.stepped_up;
    if changes_email {
        session.check_factor(MemberAct::ChangeEmail)?;
    }
    if by_password {
        if password.is_empty() {
            return Err(Error::ReauthenticationRequired);
        }
        let password = Password::parse(password, Form::Old).map_err(|_| Error::WrongPassword(CURRENT_PASSWORD))?;
        password_proof::prove(app, session, &known, (&password, CURRENT_PASSWORD)).await?;
    }
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, known.id).await?.ok_or(Error::NotFound("account"))?;
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    if by_password {
        password_proof::acquit(&mut tx, session, (&known, &user), CURRENT_PASSWORD).await?;
    }
    // Changed by another call meanwhile.
    if user.email != known.email {
        return Err(Error::ReauthenticationRequired);
    }
    users::set_details(&mut tx, user.id, details).await?;
    if details.email.is(&user.email) {
        // The address in force was sent: a change that waited is off.
        issuing::withdraw_email_change(&mut tx, &user, now).await?;
    } else {
        request_change(&mut tx, &user, &details.email, now).await?;
        let account = (user.id, user.role);
        security_log::done_in(&mut tx, session.id, account, Kind::EmailChangeRequested, now).await?;
    }
    let user = users::find(&mut tx, user.id).await?.ok_or(Error::NotFound("account"))?;
    tx.commit().await?;
    chassis::crash_point!("auth.update_profile.after_commit");
    Ok(user)
}

/// Does and answers the same whether another account has the address or not (D-A13): if one has, the code is not mailed.
async fn request_change(tx: &mut Tx, user: &User, email: &Email, now: OffsetDateTime) -> Result<(), Error> {
    let again = user.pending_email.as_deref().is_some_and(|pending| email.is(pending));
    if again && codes::is_alive(tx, user.id, Purpose::EmailChange, now).await? {
        return Ok(());
    }
    if codes::changes_to(tx, email.as_str(), user.id).await? >= CHANGES_TO_ONE_ADDRESS {
        return Err(Error::field("email", "Too many pending changes to this address. Please try again in ten minutes"));
    }
    if !again {
        codes::supersede(tx, user.id, Purpose::EmailChange, now).await?;
    }
    users::set_pending_email(tx, user.id, Some(email.as_str())).await?;
    let code = NewCode { user_id: user.id, purpose: Purpose::EmailChange, email: email.as_str(), request: None };
    issuing::code(tx, &code, now).await?;
    if !again {
        let link = security_links::insert(tx, (user.id, &user.email), LinkFor::NotMe, now).await?;
        published::email_change_requested(tx, user, email.as_str(), link).await?;
    }
    Ok(())
}
