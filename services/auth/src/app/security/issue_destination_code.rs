//! IssueDestinationCode: issues the code with which a member confirms a payout destination (D-A4).

use chassis::id::UserId;
use std::time::Duration as Wait;

use chassis::clock;
use time::Duration;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::code::{CODES_AN_HOUR, Destination, PAUSE};
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::error::Error;
use crate::events::published;
use crate::store::{destination_codes, security_links, users};

/// Has a code mailed in place of the one before for the same destination.
///
/// # Errors
/// [`Error::NotFound`], [`Error::CodeJustSent`] within a minute, [`Error::TooManyCodes`] beyond the hour's share.
pub async fn issue_destination_code(app: &App, user_id: UserId, destination: &Destination) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user =
        users::lock(&mut tx, user_id).await?.filter(|user| user.is_member()).ok_or(Error::NotFound("account"))?;
    let sent = destination_codes::sent_since(&mut tx, user_id, &destination.key, now - Duration::HOUR).await?;
    if let Some(last) = sent.last.filter(|last| *last + PAUSE > now) {
        return Err(Error::CodeJustSent(Wait::try_from(last + PAUSE - now).unwrap_or_default()));
    }
    if sent.count >= CODES_AN_HOUR {
        return Err(Error::TooManyCodes);
    }
    if sent.last.is_none() {
        security_log::done(&mut tx, (user_id, None), Kind::DestinationEntered, None, now).await?;
    }
    let link = security_links::insert(&mut tx, (user_id, &user.email), Purpose::NotMe, now).await?;
    let code = destination_codes::replace(&mut tx, user_id, &destination.key, link, now).await?;
    published::destination_code_issued(&mut tx, code, user_id, destination).await?;
    tx.commit().await?;
    Ok(())
}
