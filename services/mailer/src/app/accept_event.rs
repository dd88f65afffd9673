//! Takes up an event: the inbox row and a mail a recipient, in one transaction.

use std::sync::Arc;

use chassis::bus::Event;
use chassis::db::{Db, PgConnection};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::clients::Directory;
use crate::domain::mail::{Audience, Notice};
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
    mails: Vec<(Notice, Vec<Uuid>)>,
}

impl Addressed {
    /// Queues them in the caller's transaction, which holds the event's inbox row.
    pub async fn queue(&self, conn: &mut PgConnection) -> Result<(), Error> {
        for (notice, recipients) in &self.mails {
            for user_id in recipients {
                mails::queue(conn, self.event_id, *user_id, notice).await?;
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
    pub async fn address_all(&self, event: &Event, notices: Vec<Notice>) -> Result<Addressed, Error> {
        let mut mails = Vec::new();
        for notice in notices {
            mails.push(self.address(notice).await?);
        }
        Ok(Addressed { event_id: event.id, mails })
    }

    /// The accounts that a notice goes to; staff it names are named.
    async fn address(&self, mut notice: Notice) -> Result<(Notice, Vec<Uuid>), Error> {
        let staff = match notice.audience {
            Audience::Account(id) => return Ok((notice, vec![id])),
            Audience::AllStaff => self.directory.staff().await?,
        };
        for (param, person) in std::mem::take(&mut notice.people) {
            let name = staff.iter().find(|(id, _)| *id == person).map(|(_, contact)| contact.name.clone());
            notice = notice.with(param, name.unwrap_or_else(|| person.to_string()));
        }
        Ok((notice, staff.into_iter().map(|(id, _)| id).collect()))
    }
}
