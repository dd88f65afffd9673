//! StaffService: for staff, by their token; which role may what is decided here.

use chassis::audit::Filter;
use chassis::caller::{Role, Session, Staff};
use chassis::clock;
use chassis::db;
use chassis::grpc::{answer, request_id};
use chassis::idempotency::Claim;
use chassis::permission::Permission;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, AddMemberNoteResponse, BeginTotpRequest, BeginTotpResponse, Client, ConfirmTotpRequest,
    ConfirmTotpResponse, DisableStaffRequest, DisableStaffResponse, FreezeMemberRequest, FreezeMemberResponse,
    GetMeRequest, GetMeResponse, GetMemberRequest, GetMemberResponse, InviteStaffRequest, InviteStaffResponse,
    ListAuditRowsRequest, ListAuditRowsResponse, ListMembersRequest, ListMembersResponse, ListStaffRequest,
    ListStaffResponse, StepUpRequest, StepUpResponse, UnfreezeMemberRequest, UnfreezeMemberResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Door, convert, refused, status};
use crate::app::add_member_note::add_member_note;
use crate::app::begin_totp::begin_totp;
use crate::app::confirm_totp::confirm_totp;
use crate::app::disable_staff::disable_staff;
use crate::app::freeze_member::{Change, Decision, change_freeze};
use crate::app::get_me::get_me;
use crate::app::get_member::get_member;
use crate::app::invite_staff::{Invitation, invite_staff};
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_members::list_members;
use crate::app::list_staff::list_staff;
use crate::app::step_up::step_up;
use crate::domain::details::parse_name;
use crate::domain::email::Email;
use crate::domain::fields::FieldErrors;
use crate::error::Error;

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl StaffService for Door {
    async fn get_me(&self, request: Request<GetMeRequest>) -> Answer<GetMeResponse> {
        let (session, role) = self.colleague(request.metadata()).await?;
        let me = get_me(&self.app, &session).await.map_err(status)?;
        Ok(Response::new(GetMeResponse {
            user: Some(convert::user(me.user)),
            totp_required: me.required,
            totp_enrolled: me.enrolled,
            recovery_codes_left: i32::try_from(me.recovery_codes_left).unwrap_or(i32::MAX),
            stepped_up_until: me.stepped_up_until.map(clock::to_proto),
            permissions: Permission::of(role).map(|one| one.as_str().to_owned()).collect(),
        }))
    }

    async fn begin_totp(&self, request: Request<BeginTotpRequest>) -> Answer<BeginTotpResponse> {
        let (session, _) = self.colleague(request.metadata()).await?;
        let new = db::retrying(|| begin_totp(&self.app, &session)).await.map_err(status)?;
        let uri = new.uri().map_err(|error| status(Error::Cryptography(error)))?;
        Ok(Response::new(BeginTotpResponse { secret: new.secret(), uri }))
    }

    async fn confirm_totp(&self, request: Request<ConfirmTotpRequest>) -> Answer<ConfirmTotpResponse> {
        let (session, _) = self.colleague(request.metadata()).await?;
        let message = request.into_inner();
        let address = convert::device(message.client.as_ref()).address;
        let done = db::retrying(|| confirm_totp(&self.app, &session, &message.code, &address)).await;
        Ok(Response::new(ConfirmTotpResponse { recovery_codes: done.map_err(status)? }))
    }

    async fn step_up(&self, request: Request<StepUpRequest>) -> Answer<StepUpResponse> {
        let (session, _) = self.colleague(request.metadata()).await?;
        let message = request.into_inner();
        let address = convert::device(message.client.as_ref()).address;
        let until = db::retrying(|| step_up(&self.app, &session, &message.code, &address)).await.map_err(status)?;
        Ok(Response::new(StepUpResponse { until: Some(clock::to_proto(until)) }))
    }

    async fn list_members(&self, request: Request<ListMembersRequest>) -> Answer<ListMembersResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let (size, before) = convert::page(message.page.as_ref()).map_err(status)?;
        let (members, next) = list_members(&self.app, &message.search, before, size).await.map_err(status)?;
        let next_cursor = next.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(ListMembersResponse { members: convert::users(members), next_cursor }))
    }

    async fn get_member(&self, request: Request<GetMemberRequest>) -> Answer<GetMemberResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let id = convert::id(&request.get_ref().user_id, "member").map_err(status)?;
        let member = get_member(&self.app, id).await.map_err(status)?;
        Ok(Response::new(GetMemberResponse {
            member: Some(convert::user(member.user)),
            sessions: member.sessions.into_iter().map(|one| convert::session(one, None)).collect(),
            notes: member.notes.into_iter().map(convert::note).collect(),
        }))
    }

    async fn freeze_member(&self, request: Request<FreezeMemberRequest>) -> Answer<FreezeMemberResponse> {
        let staff = self.stepped_up(request.metadata(), Permission::Freeze).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.note, message.client.as_ref())?;
        let done = db::retrying(|| change_freeze(&self.app, &decision, Change::Freeze)).await;
        Ok(Response::new(FreezeMemberResponse { member: Some(convert::user(done.map_err(status)?)) }))
    }

    async fn unfreeze_member(&self, request: Request<UnfreezeMemberRequest>) -> Answer<UnfreezeMemberResponse> {
        let staff = self.staff(request.metadata(), Permission::Freeze).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.note, message.client.as_ref())?;
        let done = db::retrying(|| change_freeze(&self.app, &decision, Change::Unfreeze)).await;
        Ok(Response::new(UnfreezeMemberResponse { member: Some(convert::user(done.map_err(status)?)) }))
    }

    async fn add_member_note(&self, request: Request<AddMemberNoteRequest>) -> Answer<AddMemberNoteResponse> {
        let staff = self.staff(request.metadata(), Permission::WriteNotes).await?;
        let message = request.into_inner();
        let decision = decision(staff, &message.user_id, message.text, message.client.as_ref())?;
        db::retrying(|| add_member_note(&self.app, &decision)).await.map_err(status)?;
        Ok(Response::new(AddMemberNoteResponse {}))
    }

    async fn list_staff(&self, request: Request<ListStaffRequest>) -> Answer<ListStaffResponse> {
        self.staff(request.metadata(), Permission::SeeStaff).await?;
        let staff = list_staff(&self.app).await.map_err(status)?;
        Ok(Response::new(ListStaffResponse { staff: convert::users(staff) }))
    }

    async fn invite_staff(&self, request: Request<InviteStaffRequest>) -> Answer<InviteStaffResponse> {
        let staff = self.stepped_up(request.metadata(), Permission::ChangeStaff).await?;
        let id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(staff.user_id, message.idempotency.as_ref(), &id).map_err(refused)?;
        let invitation = invitation(staff, &message).map_err(status)?;
        let done = db::retrying(|| invite_staff(&self.app, &invitation, claim.clone())).await.map_err(status)?;
        Ok(answer(done.map(|user| InviteStaffResponse { staff: Some(convert::user(user)) })))
    }

    async fn disable_staff(&self, request: Request<DisableStaffRequest>) -> Answer<DisableStaffResponse> {
        let admin = self.stepped_up(request.metadata(), Permission::ChangeStaff).await?;
        let message = request.into_inner();
        let id = convert::id(&message.user_id, "staff account").map_err(status)?;
        let address = convert::device(message.client.as_ref()).address;
        db::retrying(|| disable_staff(&self.app, &admin, id, &address)).await.map_err(status)?;
        Ok(Response::new(DisableStaffResponse {}))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Answer<ListAuditRowsResponse> {
        self.staff(request.metadata(), Permission::SeeAudit).await?;
        let (size, before) = convert::page(request.get_ref().page.as_ref()).map_err(status)?;
        let filter = Filter::try_from(request.into_inner().filter).map_err(|no| status(no.into()))?;
        let (rows, next) = list_audit_rows(&self.app, &filter, before, size).await.map_err(status)?;
        let next_cursor = next.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

impl Door {
    /// The calling staff member, if they may.
    async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Status> {
        self.verifier.staff(metadata, permission.roles()).await.map_err(refused)
    }

    /// The same, who gave a second factor within the last minutes.
    async fn stepped_up(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Status> {
        self.verifier.stepped_up(metadata, permission.roles()).await.map_err(refused)
    }

    /// The session of staff of any role, enrolled or not.
    async fn colleague(&self, metadata: &MetadataMap) -> Result<(Session, Role), Status> {
        let session = self.verifier.session(metadata).await.map_err(refused)?;
        let staff = session.clone().colleague().map_err(refused)?;
        Ok((session, staff.role))
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
