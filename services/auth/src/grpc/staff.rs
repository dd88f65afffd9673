//! StaffService: for staff with their token; checks the permissions of their role.

use chassis::clock;
use chassis::db;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer, request_id};
use chassis::id::{StaffId, UserId};
use chassis::idempotency::Answer;
use chassis::idempotency::Claim;
use chassis::identity::{Role, Session, Staff};
use chassis::page::Page;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decides, Proposal};
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, AddMemberNoteResponse, EndMemberSessionsRequest, EndMemberSessionsResponse,
    FreezeMemberRequest, FreezeMemberResponse, GetMeRequest, GetMeResponse, GetMemberRequest, GetMemberResponse,
    ListMemberActivityRequest, ListMemberActivityResponse, ListMembersRequest, ListMembersResponse, ListStaffRequest,
    ListStaffResponse, ProposeFactorResetRequest, ProposeFactorResetResponse, ProposeStaffChangeRequest,
    ProposeStaffChangeResponse, StaffRole, UnfreezeMemberRequest, UnfreezeMemberResponse,
};
use proto::common::v1::Idempotency;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::security::list_activity::list_activity;
use crate::app::staff::add_member_note::add_member_note;
use crate::app::staff::decide_proposal::{check_proposal, decide_proposal};
use crate::app::staff::end_member_sessions::{EndMemberSessions, end_member_sessions};
use crate::app::staff::freeze_member::{Change as FreezeChange, Decision as FreezeMember, change_freeze};
use crate::app::staff::get_me::get_me;
use crate::app::staff::get_member::get_member;
use crate::app::staff::list_members::list_members;
use crate::app::staff::list_staff::list_staff;
use crate::app::staff::propose_factor_reset::propose_factor_reset;
use crate::app::staff::propose_staff_change::{Change, ProposeStaffChange, propose_staff_change};
use crate::domain::details::parse_name;
use crate::domain::email::Email;
use crate::domain::fields::FieldErrors;
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn get_me(&self, request: Request<GetMeRequest>) -> Reply<GetMeResponse> {
        let (session, role) = self.colleague(request.metadata()).await?;
        let me = get_me(&self.app, &session).await?;
        Ok(Response::new(GetMeResponse {
            user: Some(convert::user(me.user)),
            totp_required: me.factors.required,
            totp_enrolled: me.factors.enrolled,
            recovery_codes_left: convert::count(me.factors.recovery_codes_left),
            stepped_up_until: me.factors.stepped_up_until.map(clock::to_proto),
            passkeys: convert::count(me.factors.passkeys),
            decides_from: me.decides_from.map(clock::to_proto),
            permissions: Permission::of(role).map(|one| one.as_str().to_owned()).collect(),
        }))
    }

    async fn list_members(&self, request: Request<ListMembersRequest>) -> Reply<ListMembersResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, convert::PAGE)?;
        let (members, next_cursor) = list_members(&self.app, &message.search, &page).await?;
        Ok(Response::new(ListMembersResponse { members: convert::users(members), next_cursor }))
    }

    async fn get_member(&self, request: Request<GetMemberRequest>) -> Reply<GetMemberResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let id = convert::id(&request.get_ref().user_id, "member")?;
        let member = get_member(&self.app, id).await?;
        Ok(Response::new(GetMemberResponse {
            member: Some(convert::user(member.user)),
            sessions: member.sessions.into_iter().map(|one| convert::session(one, None)).collect(),
            notes: member.notes.into_iter().map(convert::note).collect(),
            has_second_factor: member.has_factor,
            factor_reset_at: member.factor_reset_at.map(clock::to_proto),
        }))
    }

    async fn freeze_member(&self, request: Request<FreezeMemberRequest>) -> Reply<FreezeMemberResponse> {
        let staff = self.staff(request.metadata(), Permission::Freeze).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let FreezeMemberRequest { user_id, note, client, .. } = request.into_inner();
        let address = convert::device(client.as_ref()).address;
        let decision = FreezeMember { staff, user_id: member(&user_id)?, note, address, claim };
        let done = db::retrying(|| change_freeze(&self.app, &decision, FreezeChange::Freeze)).await?;
        Ok(answer(done.map(|user| FreezeMemberResponse { member: Some(convert::user(user)) })))
    }

    async fn unfreeze_member(&self, request: Request<UnfreezeMemberRequest>) -> Reply<UnfreezeMemberResponse> {
        let staff = self.staff(request.metadata(), Permission::Freeze).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let UnfreezeMemberRequest { user_id, note, client, .. } = request.into_inner();
        let address = convert::device(client.as_ref()).address;
        let decision = FreezeMember { staff, user_id: member(&user_id)?, note, address, claim };
        let done = db::retrying(|| change_freeze(&self.app, &decision, FreezeChange::Unfreeze)).await?;
        Ok(answer(done.map(|user| UnfreezeMemberResponse { member: Some(convert::user(user)) })))
    }

    async fn list_member_activity(
        &self,
        request: Request<ListMemberActivityRequest>,
    ) -> Reply<ListMemberActivityResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, convert::PAGE)?;
        let member = get_member(&self.app, member(&message.user_id)?).await?;
        let (events, next_cursor) = list_activity(&self.app, member.user.id, &page).await?;
        let events = events.into_iter().map(convert::security_event).collect();
        Ok(Response::new(ListMemberActivityResponse { events, next_cursor }))
    }

    async fn end_member_sessions(
        &self,
        request: Request<EndMemberSessionsRequest>,
    ) -> Reply<EndMemberSessionsResponse> {
        let staff = self.staff(request.metadata(), Permission::Freeze).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let EndMemberSessionsRequest { user_id, client, .. } = request.into_inner();
        let address = convert::device(client.as_ref()).address;
        let command = EndMemberSessions { staff, user_id: member(&user_id)?, address, claim };
        let done = db::retrying(|| end_member_sessions(&self.app, &command)).await?;
        let count = |ended| i32::try_from(ended).unwrap_or(i32::MAX);
        Ok(answer(done.map(|ended| EndMemberSessionsResponse { ended: count(ended) })))
    }

    async fn add_member_note(&self, request: Request<AddMemberNoteRequest>) -> Reply<AddMemberNoteResponse> {
        let staff = self.staff(request.metadata(), Permission::WriteNotes).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let AddMemberNoteRequest { user_id, text: note, client, .. } = request.into_inner();
        let address = convert::device(client.as_ref()).address;
        let decision = FreezeMember { staff, user_id: member(&user_id)?, note, address, claim };
        let done = db::retrying(|| add_member_note(&self.app, &decision)).await?;
        Ok(answer(done.map(|()| AddMemberNoteResponse {})))
    }

    async fn propose_factor_reset(
        &self,
        request: Request<ProposeFactorResetRequest>,
    ) -> Reply<ProposeFactorResetResponse> {
        let staff = self.staff(request.metadata(), Permission::ResetFactors).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let ProposeFactorResetRequest { user_id, note, client, .. } = request.into_inner();
        let address = convert::device(client.as_ref()).address;
        let decision = FreezeMember { staff, user_id: member(&user_id)?, note, address, claim };
        let done = db::retrying(|| propose_factor_reset(&self.app, &decision)).await?;
        Ok(answer(done.map(|proposal| ProposeFactorResetResponse { proposal: Some(proposal.into()) })))
    }

    async fn list_staff(&self, request: Request<ListStaffRequest>) -> Reply<ListStaffResponse> {
        self.staff(request.metadata(), Permission::SeeStaff).await?;
        let staff = list_staff(&self.app).await?;
        Ok(Response::new(ListStaffResponse { staff: convert::users(staff) }))
    }

    async fn propose_staff_change(
        &self,
        request: Request<ProposeStaffChangeRequest>,
    ) -> Reply<ProposeStaffChangeResponse> {
        let staff = self.staff(request.metadata(), Permission::ChangeStaff).await?;
        let claim = claim(&staff, &request, request.get_ref().idempotency.as_ref())?;
        let message = request.into_inner();
        let address = convert::device(message.client.as_ref()).address;
        let change = change(message.change)?;
        let command = ProposeStaffChange { staff, change, address, claim };
        let done = db::retrying(|| propose_staff_change(&self.app, &command)).await?;
        Ok(answer(done.map(|proposal| ProposeStaffChangeResponse { proposal: Some(proposal.into()) })))
    }
}

impl Decides for GrpcServer {
    const PERMISSIONS: &'static [Permission] = &[Permission::ChangeStaff, Permission::ResetFactors];
    type Error = Error;

    async fn decide(&self, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
        decide_proposal(&self.app, command).await
    }

    async fn check(&self, proposal: &Proposal, by: StaffId) -> Result<(), Error> {
        check_proposal(&self.app, proposal, by).await
    }
}

impl GrpcServer {
    /// The calling staff member, if they may.
    async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Refusal> {
        self.verifier.staff(metadata, permission).await
    }

    /// The session of staff of any role, enrolled or not.
    async fn colleague(&self, metadata: &MetadataMap) -> Result<(Session, Role), Refusal> {
        let session = self.verifier.session(metadata).await?;
        let staff = session.clone().colleague()?;
        Ok((session, staff.role))
    }
}

fn member(id: &str) -> Result<UserId, Error> {
    convert::id(id, "member")
}

/// The key under which a colleague asks for something.
fn claim<T>(staff: &Staff, request: &Request<T>, key: Option<&Idempotency>) -> Result<Option<Claim>, Refusal> {
    Claim::of(staff.id, key, request_id(request.metadata()))
}

fn change(message: Option<proto::auth::v1::propose_staff_change_request::Change>) -> Result<Change, Error> {
    use proto::auth::v1::propose_staff_change_request::Change as Message;
    match message {
        Some(Message::Invitation(invitation)) => {
            let mut errors = FieldErrors::default();
            let name = errors.check("name", parse_name(&invitation.name));
            let email = errors.check("email", Email::parse(&invitation.email));
            let role = errors.check("role", convert::role(&invitation.role));
            let (Some(name), Some(email), Some(role)) = (name, email, role) else { return Err(errors.into()) };
            Ok(Change::Invite(name, email, role))
        }
        Some(Message::EndAccount(id)) => Ok(Change::Disable(convert::id(&id, "staff account")?)),
        Some(Message::NewRole(StaffRole { user_id, role })) => {
            let id = convert::id(&user_id, "staff account")?;
            Ok(Change::Role(id, convert::role(&role).map_err(|sentence| Error::field("role", sentence))?))
        }
        None => Err(Error::field("change", "A change is required")),
    }
}
