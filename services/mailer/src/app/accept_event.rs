//! Takes up an event: the inbox row and a mail a recipient, in one transaction.

use std::sync::Arc;

use chassis::bus::Event;
use chassis::db::Db;
use chassis::inbox;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::clients::Directory;
use crate::domain::mail::{Audience, Notice};
use crate::error::Error;
use crate::store::mails;

/// What taking up an event needs.
pub struct AcceptEvent {
    /// The database.
    pub db: Db,
    /// Who staff are.
    pub directory: Directory,
    /// Wakes the sender.
    pub queued: Arc<Notify>,
}

impl AcceptEvent {
    /// Queues the mails of an event, once however often it is delivered. Returns how many it queued.
    ///
    /// # Errors
    /// The database's; Unavailable if auth must be asked and is away.
    pub async fn accept_event(&self, event: &Event, notices: Vec<Notice>) -> Result<usize, Error> {
        let mut addressed = Vec::new();
        for notice in notices {
            addressed.push(self.address(notice).await?);
        }
        let mut tx = self.db.begin().await?;
        if !inbox::first_time(&mut tx, event).await? {
            return Ok(0);
        }
        let mut queued = 0;
        for (notice, recipients) in &addressed {
            for user_id in recipients {
                if mails::queue(&mut tx, event.id, *user_id, notice).await? {
                    queued += 1;
                }
            }
        }
        tx.commit().await?;
        if queued > 0 {
            self.queued.notify_one();
        }
        Ok(queued)
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
