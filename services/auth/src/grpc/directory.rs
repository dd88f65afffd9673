//! DirectoryService: for services, by their own credentials.

use chassis::clock;
use chassis::grpc::Reply;
use chassis::id::{SessionId, StaffId, UserId};
use chassis::keys::SERVICES;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{
    GetMailSecretRequest, GetMailSecretResponse, GetPayoutStateRequest, GetPayoutStateResponse, GetSessionRequest,
    GetSessionResponse, GetSessionsRequest, GetSessionsResponse, GetUsersRequest, GetUsersResponse,
    ListErasedMembersRequest, ListErasedMembersResponse, ListPermittedStaffRequest, ListPermittedStaffResponse,
    ListStaffContactsRequest, ListStaffContactsResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::account::get_users::get_users;
use crate::app::account::list_erased_members::list_erased_members;
use crate::app::mail::get_mail_secret::get_mail_secret;
use crate::app::security::get_payout_state::get_payout_state;
use crate::app::security::sign_decision::permission;
use crate::app::session::get_session::{get_session, get_sessions};
use crate::app::staff::list_staff::{list_permitted_staff, list_staff};
use crate::error::{Error, unauthenticated};

#[tonic::async_trait]
impl DirectoryService for GrpcServer {
    async fn get_session(&self, request: Request<GetSessionRequest>) -> Reply<GetSessionResponse> {
        self.verifier.service(request.metadata(), &SERVICES)?;
        let id = request.get_ref().session_id.parse().map_err(|_| unauthenticated())?;
        let found = get_session(&self.app, id).await?;
        let found = found.ok_or_else(unauthenticated)?;
        Ok(Response::new(convert::state(&found)))
    }

    async fn get_sessions(&self, request: Request<GetSessionsRequest>) -> Reply<GetSessionsResponse> {
        self.verifier.service(request.metadata(), &SERVICES)?;
        // A malformed id counts as unknown.
        let ids: Vec<SessionId> = request.get_ref().session_ids.iter().filter_map(|id| id.parse().ok()).collect();
        let found = get_sessions(&self.app, &ids).await?;
        let sessions = found.into_iter().map(|found| (found.session.id.to_string(), convert::state(&found)));
        Ok(Response::new(GetSessionsResponse { sessions: sessions.collect() }))
    }

    async fn get_users(&self, request: Request<GetUsersRequest>) -> Reply<GetUsersResponse> {
        self.verifier.service(request.metadata(), &SERVICES)?;
        // A malformed id counts as unknown.
        let ids: Vec<UserId> = request.get_ref().user_ids.iter().filter_map(|id| id.parse().ok()).collect();
        let users = get_users(&self.app, &ids).await?;
        Ok(Response::new(GetUsersResponse { users: convert::users(users) }))
    }

    async fn list_staff_contacts(
        &self,
        request: Request<ListStaffContactsRequest>,
    ) -> Reply<ListStaffContactsResponse> {
        self.verifier.service(request.metadata(), &["mailer"])?;
        let staff = list_staff(&self.app).await?;
        Ok(Response::new(ListStaffContactsResponse { staff: convert::users(staff) }))
    }

    async fn list_permitted_staff(
        &self,
        request: Request<ListPermittedStaffRequest>,
    ) -> Reply<ListPermittedStaffResponse> {
        self.verifier.service(request.metadata(), &SERVICES)?;
        let permission = permission(&request.get_ref().permission)?;
        let staff = list_permitted_staff(&self.app, permission).await?;
        let user_ids = staff.iter().map(StaffId::to_string).collect();
        Ok(Response::new(ListPermittedStaffResponse { user_ids }))
    }

    async fn get_payout_state(&self, request: Request<GetPayoutStateRequest>) -> Reply<GetPayoutStateResponse> {
        self.verifier.service(request.metadata(), &["wallet"])?;
        // A malformed id counts as unknown.
        let id = request.get_ref().user_id.parse::<UserId>().unwrap_or_default();
        let known_at = request.get_ref().destination_known_at.as_ref().and_then(clock::from_proto);
        let state = get_payout_state(&self.app, id, known_at).await?;
        Ok(Response::new(convert::payout_state(&state)))
    }

    async fn list_erased_members(
        &self,
        request: Request<ListErasedMembersRequest>,
    ) -> Reply<ListErasedMembersResponse> {
        self.verifier.service(request.metadata(), &SERVICES)?;
        let after = match request.get_ref().after_user_id.as_str() {
            "" => None,
            id => Some(convert::id(id, "account")?),
        };
        let members = list_erased_members(&self.app, after).await?;
        let user_ids = members.iter().map(UserId::to_string).collect();
        Ok(Response::new(ListErasedMembersResponse { user_ids }))
    }

    async fn get_mail_secret(&self, request: Request<GetMailSecretRequest>) -> Reply<GetMailSecretResponse> {
        self.verifier.service(request.metadata(), &["mailer"])?;
        let reference = request.get_ref().reference.parse().map_err(|_| Error::MailOutlived)?;
        let mail = get_mail_secret(&self.app, reference).await?;
        Ok(Response::new(GetMailSecretResponse {
            link_expires_at: mail.link.as_ref().map(|link| clock::to_proto(link.expires_at)),
            link_token: mail.link.map(|link| link.token).unwrap_or_default(),
            email: mail.email,
            name: mail.name,
            secret: mail.secret,
            expires_at: Some(clock::to_proto(mail.expires_at)),
        }))
    }
}
