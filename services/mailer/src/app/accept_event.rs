//! Accepts an event: the inbox row and one email per recipient, in one transaction.

use std::sync::Arc;

use chassis::bus::Event;
use chassis::db::{Db, PgConnection};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::clients::Directory;
use crate::domain::mail::{Audience, MailRequest};
use crate::error::Error;
use crate::store::mails;

pub struct AcceptEvent {
    pub db: Db,
    pub directory: Directory,
    pub queued: Arc<Notify>,
}

/// The mails of an event and the accounts they go to.
pub struct Addressed {
    event_id: Uuid,
    mails: Vec<(MailRequest, Vec<Uuid>)>,
}

impl Addressed {
    /// Queues them in the caller's transaction, which holds the event's inbox row.
    pub async fn queue(&self, conn: &mut PgConnection) -> Result<(), Error> {
        for (request, recipients) in &self.mails {
            for user_id in recipients {
                mails::queue(conn, self.event_id, *user_id, request).await?;
            }
        }
        Ok(())
    }
}

impl AcceptEvent {
    /// Addresses the mails of an event.
    ///
    /// # Errors
    /// Unavailable if auth must be asked and is away.
    pub async fn address_all(&self, event: &Event, requests: Vec<MailRequest>) -> Result<Addressed, Error> {
        let mut mails = Vec::new();
        for request in requests {
            mails.push(self.address(request).await?);
        }
        Ok(Addressed { event_id: event.id, mails })
    }

    /// The accounts that a request goes to; staff it names are named.
    async fn address(&self, mut request: MailRequest) -> Result<(MailRequest, Vec<Uuid>), Error> {
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
