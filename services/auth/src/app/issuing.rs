//! A step of several use cases: issuing a code or a link, in their transaction.

use chassis::db::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::code::{CODES_AN_HOUR, LinkPurpose, NewCode, Purpose};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::secrets::{Secrets, token_hash};
use crate::store::{codes, reset_tokens, users};

/// Issues a code to an address in place of the one before, and has it mailed. The caller holds the account's lock.
///
/// # Errors
/// [`Error::TooManyCodes`] beyond the hour's share.
pub async fn code(conn: &mut PgConnection, new: &NewCode<'_>, now: OffsetDateTime) -> Result<(), Error> {
    let (sent, _) = codes::sent_since(&mut *conn, new.user_id, now - Duration::HOUR).await?;
    if sent >= CODES_AN_HOUR {
        return Err(Error::TooManyCodes);
    }
    let id = codes::replace(&mut *conn, new, now).await?;
    published::verification_code_issued(conn, id, new.user_id).await?;
    Ok(())
}

/// Issues a link in place of the one before, and has it mailed. The caller holds the account's lock.
pub async fn link(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    purpose: LinkPurpose,
    now: OffsetDateTime,
) -> Result<(), Error> {
    link_until(conn, secrets, user, purpose, (now, now + purpose.life())).await
}

/// The same with an end of its own.
pub async fn link_until(
    conn: &mut PgConnection,
    secrets: &Secrets,
    user: &User,
    purpose: LinkPurpose,
    life: (OffsetDateTime, OffsetDateTime),
) -> Result<(), Error> {
    let id = Uuid::new_v4();
    reset_tokens::replace(&mut *conn, id, user.id, purpose, &token_hash(&secrets.token(id)), life).await?;
    match purpose {
        LinkPurpose::Reset => published::password_reset_requested(conn, id, user.id).await?,
        LinkPurpose::Invitation => published::staff_invited(conn, id, user).await?,
    }
    Ok(())
}

/// Ends a change of the address that waits for its code. The caller holds the account's lock.
pub async fn withdraw_email_change(conn: &mut PgConnection, user: &User, now: OffsetDateTime) -> Result<(), Error> {
    if user.pending_email.is_some() {
        users::set_pending_email(&mut *conn, user.id, None).await?;
        codes::supersede(conn, user.id, Purpose::EmailChange, now).await?;
    }
    Ok(())
}
