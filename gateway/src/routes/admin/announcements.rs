//! What staff announce to all members.

use axum::extract::Path;
use proto::mailer::v1::{EndAnnouncementRequest, ProposeAnnouncementRequest};
use route_macros::{delete, post, request};

use crate::extract::StaffMember;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Done, Field, ToProto};
use crate::peers::clients::{Service, keyed};
use crate::routes::admin::proposals::Proposed;

/// An announcement to all members.
#[request(to = ProposeAnnouncementRequest)]
pub struct NewAnnouncement {
    /// One paragraph of at most 500 characters.
    #[schema(example = "Withdrawals pause on Sunday from 02:00 to 04:00 UTC while we move to new servers.")]
    text: Field<String>,
    /// How long it is shown from the confirmation on: 1 to 720 hours.
    #[schema(example = 24)]
    hours: Field<i32>,
}

/// Propose an announcement
///
/// Once another person confirms it, members see it in the app, and everybody at `GET /status`.
#[post("/admin/announcements", "Back office")]
pub async fn propose(caller: StaffMember, Keyed { value, claim }: Keyed<NewAnnouncement>) -> Created<Proposed> {
    let client_address = caller.client.address;
    let message = ProposeAnnouncementRequest { client_address, idempotency: claim, ..value.to_proto()? };
    keyed!(caller.announcements.propose_announcement(message))?
        .reply(|answer| Proposed::new(Service::Mailer, answer.proposal))
}

/// End an announcement
///
/// Before its time. 404 if it is not shown any more.
#[delete("/admin/announcements/{id}", "Back office")]
pub async fn end(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<Done> {
    let message = EndAnnouncementRequest { id, client_address: caller.client.address, idempotency: key.bodyless() };
    keyed!(caller.announcements.end_announcement(message))?.done("The announcement is not shown any more.")
}
