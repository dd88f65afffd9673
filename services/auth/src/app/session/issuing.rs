//! A step of several use cases: issuing a code or a link, in their transaction.

use chassis::db::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::code::{CODES_AN_HOUR, LinkPurpose, NewCode, Purpose, Request};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::secrets::{Secrets, token_hash};
use crate::store::reset_tokens::NewLink;
use crate::store::{codes, reset_tokens, users};

/// Issues a code to an address beside those before, and has it mailed. The caller holds the account's lock.
///
/// # Errors
/// [`Error::TooManyCodes`] beyond the caller's share of an hour.
pub async fn code(conn: &mut PgConnection, new: &NewCode<'_>, now: OffsetDateTime) -> Result<(), Error> {
    let block = new.request.map(|request| request.block);
    let (sent, _) = codes::sent_since(&mut *conn, new.user_id, block, now - Duration::HOUR).await?;
    if sent >= CODES_AN_HOUR {
        return Err(Error::TooManyCodes);
    }
    let id = codes::insert(&mut *conn, new, now).await?;
    codes::supersede_oldest_own(&mut *conn, new.user_id, new.purpose, now).await?;
    published::verification_code_issued(conn, id, new.user_id).await?;
    Ok(())
}

/// Issues a link in place of those before, and has it mailed. The caller holds the account's lock.
pub async fn link(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    purpose: LinkPurpose,
    now: OffsetDateTime,
) -> Result<(), Error> {
    reset_tokens::supersede(&mut *conn, user.id, now).await?;
    let new = NewLink { id: Uuid::new_v4(), user_id: user.id, purpose, ends: now + purpose.life(), request: None };
    mail(conn, secrets, user, &new, now).await
}

/// Issues a link that a visitor asked for beside those before, with an end of its own, and has it mailed. The caller holds
/// the account's lock.
pub async fn requested_link(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    (purpose, request): (LinkPurpose, Request<'_>),
    (now, ends): (OffsetDateTime, OffsetDateTime),
) -> Result<(), Error> {
    let new = NewLink { id: Uuid::new_v4(), user_id: user.id, purpose, ends, request: Some(request) };
    mail(conn, secrets, user, &new, now).await
}

async fn mail(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    new: &NewLink<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    reset_tokens::insert(&mut *conn, new, &token_hash(&secrets.token(new.id)), now).await?;
    match new.purpose {
        LinkPurpose::Reset => published::password_reset_requested(conn, new.id, user.id).await?,
        LinkPurpose::Invitation => published::staff_invited(conn, new.id, user).await?,
    }
    Ok(())
}

/// Issues a link to set a password in place of the one before, for somebody who has just proved to read the mailbox; returns its
/// token. The caller holds the account's lock.
pub async fn shown_link(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    now: OffsetDateTime,
) -> Result<String, Error> {
    reset_tokens::supersede(&mut *conn, user.id, now).await?;
    let purpose = LinkPurpose::Reset;
    let new = NewLink { id: Uuid::new_v4(), user_id: user.id, purpose, ends: now + purpose.life(), request: None };
    let token = secrets.token(new.id);
    reset_tokens::insert(conn, &new, &token_hash(&token), now).await?;
    Ok(token)
}

/// Ends a change of the address that waits for its code. The caller holds the account's lock.
pub async fn withdraw_email_change(conn: &mut PgConnection, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    if user.pending_email.is_some() {
        users::set_pending_email(&mut *conn, user.id, None).await?;
        codes::supersede(conn, user.id, Purpose::EmailChange, now).await?;
    }
    Ok(())
}
