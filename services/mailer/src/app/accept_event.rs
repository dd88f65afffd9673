//! Accepts an event: the inbox row, one email per recipient, the notice of the member and its way to their devices, in one
//! transaction.

use chassis::id::UserId;
use std::sync::Arc;

use chassis::bus::Event;
use chassis::db::{Db, PgConnection};
use time::OffsetDateTime;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::clients::Directory;
use crate::domain::mail::{Audience, MailRequest};
use crate::domain::notice::NoticeRequest;
use crate::domain::push::Ended;
use crate::domain::template::Template;
use crate::error::Error;
use crate::store::{mails, notice_preferences, notices, push_subscriptions, pushes};

pub struct AcceptEvent {
    pub db: Db,
    pub directory: Directory,
    pub queued: Arc<Notify>,
}

/// The mails of an event with the accounts they go to, its notice, and the devices that get no more notices.
pub struct Addressed {
    event_id: Uuid,
    ended: Option<Ended>,
    at: OffsetDateTime,
    notice: Option<NoticeRequest>,
    mails: Vec<(MailRequest, Vec<UserId>)>,
}

impl Addressed {
    /// Queues them in the caller's transaction, which holds the event's inbox row. A mail that its member has turned off is
    /// left out.
    pub async fn queue(&self, conn: &mut PgConnection) -> Result<(), Error> {
        match &self.ended {
            Some(Ended::Sessions(ids)) => push_subscriptions::end(conn, ids).await?,
            Some(Ended::AllOf(user_id, except)) => push_subscriptions::end_all(conn, *user_id, *except).await?,
            None => {}
        }
        for (request, recipients) in &self.mails {
            for user_id in recipients {
                if is_turned_off(conn, *user_id, request.template).await? {
                    continue;
                }
                mails::queue(conn, self.event_id, *user_id, request).await?;
                if request.template == Template::AccountClosed {
                    notice_preferences::remove(conn, *user_id).await?;
                }
            }
        }
        if let Some(notice) = &self.notice {
            notices::add(conn, self.event_id, self.at, notice).await?;
            pushes::queue(conn, self.event_id.into(), notice).await?;
        }
        Ok(())
    }
}

async fn is_turned_off(conn: &mut PgConnection, user_id: UserId, template: Template) -> Result<bool, Error> {
    let Some(group) = template.optional_in() else { return Ok(false) };
    Ok(notice_preferences::find(conn, user_id).await?.mail_off.contains(&group))
}

impl AcceptEvent {
    /// Addresses the mails of an event.
    ///
    /// # Errors
    /// Unavailable if auth must be asked and is away.
    pub async fn address_all(
        &self,
        event: &Event,
        requests: Vec<MailRequest>,
        ended: Option<Ended>,
    ) -> Result<Addressed, Error> {
        let notice = NoticeRequest::beside(&requests);
        let mut mails = Vec::new();
        for request in requests {
            mails.push(self.address(request).await?);
        }
        Ok(Addressed { event_id: event.id, ended, at: event.at, notice, mails })
    }

    /// The accounts that a request goes to; staff it names are named.
    async fn address(&self, mut request: MailRequest) -> Result<(MailRequest, Vec<UserId>), Error> {
        let staff = match request.audience {
            Audience::Account(id) => return Ok((request, vec![id])),
            Audience::AllStaff => self.directory.staff().await?,
        };
        for (param, person) in std::mem::take(&mut request.people) {
            let name = staff.iter().find(|(id, _)| *id == person).map(|(_, contact)| contact.name.clone());
            request = request.with(param, name.unwrap_or_else(|| person.to_string()));
        }
        Ok((request, staff.into_iter().map(|(id, _)| id).collect()))
    }
}
