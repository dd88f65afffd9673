//! Announcements to all members, proposed by one person and confirmed by another.

use chassis::clock::to_proto;
use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer};
use chassis::id::StaffId;
use chassis::idempotency::Answer;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decides, Proposal};
use chassis::staff_call::StaffCall;
use proto::mailer::v1::announcement_service_server::AnnouncementService;
use proto::mailer::v1::{
    Announcement as Message, EndAnnouncementRequest, EndAnnouncementResponse, ListAnnouncementsRequest,
    ListAnnouncementsResponse, ProposeAnnouncementRequest, ProposeAnnouncementResponse,
};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::decide_proposal::decide_proposal;
use crate::app::end_announcement::{end_announcement, not_found};
use crate::app::propose_announcement::propose_announcement;
use crate::domain::announcement::{Announcement, Draft};
use crate::error::Error;
use crate::store::announcements::in_force;

#[tonic::async_trait]
impl AnnouncementService for GrpcServer {
    async fn list_announcements(&self, request: Request<ListAnnouncementsRequest>) -> Reply<ListAnnouncementsResponse> {
        self.verifier.visitor(request.metadata())?;
        let announcements = self.announcements().await?;
        Ok(Response::new(ListAnnouncementsResponse { announcements }))
    }

    async fn propose_announcement(
        &self,
        request: Request<ProposeAnnouncementRequest>,
    ) -> Reply<ProposeAnnouncementResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::Announce).await?;
        let draft = Draft::parse(&message.text, message.hours).map_err(Refusal::from)?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let proposed = retrying(|| propose_announcement(&self.db, &call, &draft)).await?;
        Ok(answer(proposed.map(|proposal| ProposeAnnouncementResponse { proposal: Some(proposal.into()) })))
    }

    async fn end_announcement(&self, request: Request<EndAnnouncementRequest>) -> Reply<EndAnnouncementResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::Announce).await?;
        let id = message.id.parse().map_err(|_| not_found())?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let ended = retrying(|| end_announcement(&self.db, &call, id)).await?;
        Ok(answer(ended.map(|()| EndAnnouncementResponse {})))
    }
}

impl Decides for GrpcServer {
    const PERMISSIONS: &'static [Permission] = &[Permission::Announce];
    type Error = Error;

    async fn decide(&self, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
        decide_proposal(&self.db, command).await
    }

    async fn check(&self, _: &Proposal, _: StaffId) -> Result<(), Error> {
        Ok(())
    }
}

impl GrpcServer {
    /// Those in force.
    pub(super) async fn announcements(&self) -> Result<Vec<Message>, Error> {
        let found = in_force(&mut *self.db.conn().await?).await?;
        Ok(found.into_iter().map(Message::from).collect())
    }
}

impl From<Announcement> for Message {
    fn from(one: Announcement) -> Self {
        let Announcement { id, text, published_at, ends_at } = one;
        Self { id: id.to_string(), text, published_at: Some(to_proto(published_at)), ends_at: Some(to_proto(ends_at)) }
    }
}
