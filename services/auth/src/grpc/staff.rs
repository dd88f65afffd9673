//! StaffService: for staff, by their token; which role may what is decided here.

use chassis::caller::{Role, Staff};
use chassis::db;
use chassis::grpc::{answer, request_id};
use chassis::idempotency::Claim;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, AddMemberNoteResponse, Client, DisableStaffRequest, DisableStaffResponse,
    FreezeMemberRequest, FreezeMemberResponse, GetMemberRequest, GetMemberResponse, InviteStaffRequest,
    InviteStaffResponse, ListAuditRowsRequest, ListAuditRowsResponse, ListMembersRequest, ListMembersResponse,
    ListStaffRequest, ListStaffResponse, UnfreezeMemberRequest, UnfreezeMemberResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Door, convert, refused, status};
use crate::app::add_member_note::add_member_note;
use crate::app::disable_staff::disable_staff;
use crate::app::freeze_member::{Change, Decision, change_freeze};
use crate::app::get_member::get_member;
use crate::app::invite_staff::{Invitation, invite_staff};
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_members::list_members;
use crate::app::list_staff::list_staff;
use crate::domain::details::parse_name;
use crate::domain::email::Email;
use crate::domain::fields::FieldErrors;
use crate::error::Error;

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl StaffService for Door {
    async fn list_members(&self, request: Request<ListMembersRequest>) -> Answer<ListMembersResponse> {
        self.staff(request.metadata(), &Role::ALL).await?;
        let message = request.into_inner();
        let (size, before) = convert::page(message.page.as_ref()).map_err(status)?;
        let (members, next) = list_members(&self.app, &message.search, before, size).await.map_err(status)?;
        let next_cursor = next.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(ListMembersResponse { members: convert::users(members), next_cursor }))
    }

    async fn get_member(&self, request: Request<GetMemberRequest>) -> Answer<GetMemberResponse> {
        self.staff(request.metadata(), &Role::ALL).await?;
        let id = convert::id(&request.get_ref().user_id, "member").map_err(status)?;
        let member = get_member(&self.app, id).await.map_err(status)?;
        Ok(Response::new(GetMemberResponse {
            member: Some(convert::user(member.user)),
            sessions: member.sessions.into_iter().map(|one| convert::session(one, None)).collect(),
            notes: member.notes.into_iter().map(convert::note).collect(),
        }))
    }

    async fn freeze_member(&self, request: Request<FreezeMemberRequest>) -> Answer<FreezeMemberResponse> {
        let staff = self.staff(request.metadata(), &[Role::Reviewer]).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.note, message.client.as_ref())?;
        let done = db::retrying(|| change_freeze(&self.app, &decision, Change::Freeze)).await;
        Ok(Response::new(FreezeMemberResponse { member: Some(convert::user(done.map_err(status)?)) }))
    }

    async fn unfreeze_member(&self, request: Request<UnfreezeMemberRequest>) -> Answer<UnfreezeMemberResponse> {
        let staff = self.staff(request.metadata(), &[Role::Reviewer]).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.note, message.client.as_ref())?;
        let done = db::retrying(|| change_freeze(&self.app, &decision, Change::Unfreeze)).await;
        Ok(Response::new(UnfreezeMemberResponse { member: Some(convert::user(done.map_err(status)?)) }))
    }

    async fn add_member_note(&self, request: Request<AddMemberNoteRequest>) -> Answer<AddMemberNoteResponse> {
        let staff = self.staff(request.metadata(), &[Role::Reviewer, Role::Treasurer]).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.text, message.client.as_ref())?;
        db::retrying(|| add_member_note(&self.app, &decision)).await.map_err(status)?;
        Ok(Response::new(AddMemberNoteResponse {}))
    }

    async fn list_staff(&self, request: Request<ListStaffRequest>) -> Answer<ListStaffResponse> {
        self.staff(request.metadata(), &[Role::Admin, Role::Auditor]).await?;
        let staff = list_staff(&self.app).await.map_err(status)?;
        Ok(Response::new(ListStaffResponse { staff: convert::users(staff) }))
    }

    async fn invite_staff(&self, request: Request<InviteStaffRequest>) -> Answer<InviteStaffResponse> {
        let staff = self.staff(request.metadata(), &[Role::Admin]).await?;
        let id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(staff.user_id, message.idempotency.as_ref(), &id).map_err(refused)?;
        let invitation = invitation(staff, &message).map_err(status)?;
        let done = db::retrying(|| invite_staff(&self.app, &invitation, claim.clone())).await.map_err(status)?;
        Ok(answer(done.map(|user| InviteStaffResponse { staff: Some(convert::user(user)) })))
    }

    async fn disable_staff(&self, request: Request<DisableStaffRequest>) -> Answer<DisableStaffResponse> {
        let admin = self.staff(request.metadata(), &[Role::Admin]).await?;
        let message = request.into_inner();
        let id = convert::id(&message.user_id, "staff account").map_err(status)?;
        let address = convert::device(message.client.as_ref()).address;
        db::retrying(|| disable_staff(&self.app, &admin, id, &address)).await.map_err(status)?;
        Ok(Response::new(DisableStaffResponse {}))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Answer<ListAuditRowsResponse> {
        self.staff(request.metadata(), &[Role::Auditor, Role::Admin]).await?;
        let (size, before) = convert::page(request.get_ref().page.as_ref()).map_err(status)?;
        let (rows, next) = list_audit_rows(&self.app, before, size).await.map_err(status)?;
        let next_cursor = next.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

impl Door {
    /// The calling staff member, if in one of these roles.
    async fn staff(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Staff, Status> {
        self.verifier.session(metadata).await.and_then(|session| session.staff(roles)).map_err(refused)
    }
}

fn decision(staff: Staff, user_id: &str, note: String, client: Option<&Client>) -> Result<Decision, Status> {
    let user_id = convert::id(user_id, "member").map_err(status)?;
    Ok(Decision { staff, user_id, note, address: convert::device(client).address })
}

fn invitation(staff: Staff, message: &InviteStaffRequest) -> Result<Invitation, Error> {
    let mut errors = FieldErrors::default();
    let name = errors.check("name", parse_name(&message.name));
    let email = errors.check("email", Email::parse(&message.email));
    let role = errors.check("role", convert::role(&message.role));
    let (Some(name), Some(email), Some(role)) = (name, email, role) else { return Err(errors.into()) };
    Ok(Invitation { staff, name, email, role, address: convert::device(message.client.as_ref()).address })
}
