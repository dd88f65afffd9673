//! What staff do with accounts.

mod invitations;
mod members;

use std::time::Duration;

use auth::app::SecondFactor;
use chassis::error::{Kind, Refusal, from_status};
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::propose_staff_change_request::Change;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, CheckSessionRequest, FreezeMemberRequest, GetMeRequest, GetMemberRequest, ListMembersRequest,
    ListStaffRequest, ProposeFactorResetRequest, ProposeStaffChangeRequest, ProposeStaffChangeResponse,
    StaffInvitation, StaffRole, UnfreezeMemberRequest,
};
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{
    ConfirmProposalRequest, Idempotency, ListAuditRowsRequest, ListProposalsRequest, Proposal, ProposalStatus,
    RejectProposalRequest,
};
use sqlx::PgPool;
use tonic::{Code, Response, Status};
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World, refusal};

/// [D-O1] Which role may what: every cell. What is allowed is not refused for its role, to an account that does not exist.
#[sqlx::test(migrations = false)]
async fn every_role_may_what_it_may(pool: PgPool) {
    use Role::{Admin, Auditor, Reviewer, Treasurer};
    let world = World::new(pool).await;
    let (_, member) = world.member("ada@example.com").await;
    let mut callers = vec![(None, member)];
    for &role in Role::ALL {
        callers.push((Some(role), world.staff(role).await.1));
    }
    let id = Uuid::new_v4().to_string();
    for (role, token) in &callers {
        let cells: [(&str, &[Role], bool); 12] = [
            (
                "ListMembers",
                Role::ALL,
                may(world.grpc.list_members(with_token(ListMembersRequest::default(), token)).await),
            ),
            (
                "GetMember",
                Role::ALL,
                may(world.grpc.get_member(with_token(GetMemberRequest { user_id: id.clone() }, token)).await),
            ),
            (
                "FreezeMember",
                &[Reviewer],
                may(world
                    .grpc
                    .freeze_member(with_token(FreezeMemberRequest { user_id: id.clone(), ..Default::default() }, token))
                    .await),
            ),
            (
                "UnfreezeMember",
                &[Reviewer],
                may(world
                    .grpc
                    .unfreeze_member(with_token(
                        UnfreezeMemberRequest { user_id: id.clone(), ..Default::default() },
                        token,
                    ))
                    .await),
            ),
            (
                "AddMemberNote",
                &[Reviewer, Treasurer],
                may(world
                    .grpc
                    .add_member_note(with_token(
                        AddMemberNoteRequest { user_id: id.clone(), text: "x".to_owned(), ..Default::default() },
                        token,
                    ))
                    .await),
            ),
            ("ListStaff", &[Admin, Auditor], may(world.grpc.list_staff(with_token(ListStaffRequest {}, token)).await)),
            (
                "ProposeStaffChange",
                &[Admin],
                may(world.grpc.propose_staff_change(with_token(Default::default(), token)).await),
            ),
            (
                "ListProposals",
                Role::ALL,
                may(world.grpc.proposals().list_proposals(with_token(Default::default(), token)).await),
            ),
            (
                "ProposeFactorReset",
                &[Reviewer],
                may(world.grpc.propose_factor_reset(with_token(ProposeFactorResetRequest::default(), token)).await),
            ),
            (
                "ConfirmProposal",
                &[Reviewer, Admin],
                may(world.grpc.proposals().confirm_proposal(with_token(Default::default(), token)).await),
            ),
            (
                "RejectProposal",
                &[Reviewer, Admin],
                may(world.grpc.proposals().reject_proposal(with_token(Default::default(), token)).await),
            ),
            (
                "ListAuditRows",
                &[Auditor, Admin],
                may(world.grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), token)).await),
            ),
        ];
        for (rpc, allowed, passed) in cells {
            assert_eq!(passed, role.is_some_and(|role| allowed.contains(&role)), "{rpc} by {role:?}");
        }
    }
}

fn may<T>(result: Result<Response<T>, Status>) -> bool {
    result.err().is_none_or(|status| status.code() != Code::PermissionDenied)
}

/// [D-O1] [D-O5] A staff account ends with its sessions, by two admins, never by itself.
#[sqlx::test(migrations = false)]
async fn a_staff_account_ends_by_two_admins(pool: PgPool) {
    let world = World::new(pool).await;
    let ((admin, one), (admin2, two)) =
        (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    let (manager, managers) = world.staff(Role::Manager).await;
    let (member, _) = world.member("ada@example.com").await;
    world.forget_events().await;
    let end = |id: &str| Change::EndAccount(id.to_owned());
    assert_eq!(world.propose(&one, end(&admin.to_string())).await.unwrap_err().code, "PERMISSION_DENIED");
    assert_eq!(world.propose(&one, end(&member.id)).await.unwrap_err().code, "NOT_FOUND");
    let proposal = world.propose(&one, end(&manager.to_string())).await.unwrap();
    world.grpc.check_session(with_token(CheckSessionRequest::default(), &managers)).await.unwrap();
    world.confirm_proposal(&two, &proposal.id).await.unwrap();
    assert_eq!(world.events().await, ["session_ended", "staff_changed"]);
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &managers)).await.is_err());
    assert_eq!(world.login("manager@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    assert_eq!(world.propose(&one, end(&manager.to_string())).await.unwrap_err().code, "NOT_FOUND");

    let own = world.propose(&one, end(&admin2.to_string())).await.unwrap();
    assert_eq!(world.confirm_proposal(&two, &own.id).await.unwrap_err().code, "PERMISSION_DENIED");
    let staff = world.grpc.list_staff(with_token(ListStaffRequest {}, &one)).await.unwrap().into_inner().staff;
    assert_eq!(staff.len(), 2);
}

/// [D-O5] Another role takes two admins too; it ends the sessions, and an account that changed meanwhile is proposed again.
#[sqlx::test(migrations = false)]
async fn a_role_changes_by_two_admins(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    let (id, token) = world.staff(Role::Reviewer).await;
    let role = |role: &str| Change::NewRole(StaffRole { user_id: id.to_string(), role: role.to_owned() });
    assert_eq!(world.propose(&one, role("reviewer")).await.unwrap_err().code, "VALIDATION_FAILED");
    assert_eq!(world.propose(&one, role("owner")).await.unwrap_err().code, "VALIDATION_FAILED");
    let (first, second) =
        (world.propose(&one, role("treasurer")).await.unwrap(), world.propose(&one, role("auditor")).await.unwrap());
    world.forget_events().await;
    world.confirm_proposal(&two, &first.id).await.unwrap();
    assert_eq!(world.events().await, ["session_ended", "staff_changed"]);
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &token)).await.is_err());
    let signed_in = world.login("reviewer@solvane.test", PASSWORD, HOME).await.unwrap();
    assert_eq!(signed_in.user.unwrap().role, "treasurer");
    // [U8] It is known before anybody tries.
    let request = with_token(ListProposalsRequest::default(), &two);
    let listed = world.grpc.proposals().list_proposals(request).await.unwrap().into_inner().proposals;
    let blocker = listed.into_iter().find(|one| one.id == second.id).unwrap().blocker.unwrap();
    assert_eq!(blocker.code, "STALE_REVISION");
    assert_eq!(world.confirm_proposal(&two, &second.id).await.unwrap_err().code, "STALE_REVISION");
    let request = RejectProposalRequest { proposal_id: second.id, ..Default::default() };
    let rejected = world.grpc.proposals().reject_proposal(with_token(request, &one)).await;
    assert_eq!(rejected.unwrap().into_inner().proposal.unwrap().status(), ProposalStatus::Rejected);
}

/// [D-O6] A7, C4: a proposal lives seven days, and falls when its proposer loses the role or the account ended.
#[sqlx::test(migrations = false)]
async fn a_proposal_falls_with_its_proposer_and_after_a_week(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, one) = world.staff(Role::Admin).await;
    let (_, two) = world.staff_named("admin2", Role::Admin).await;
    let old = world.propose(&one, invite("old@solvane.test", "auditor")).await.unwrap();
    let orphan = world.propose(&one, invite("new@solvane.test", "auditor")).await.unwrap();
    let other = world.propose(&one, invite("other@solvane.test", "auditor")).await.unwrap();
    let age = "UPDATE proposals SET proposed_at = proposed_at - interval '7 days' WHERE change->>'email' = 'old@solvane.test'";
    world.run("ALTER TABLE proposals DISABLE TRIGGER USER").await;
    world.run(age).await;
    for (status, ids) in [(ProposalStatus::Open, vec![&other.id, &orphan.id]), (ProposalStatus::Expired, vec![&old.id])]
    {
        let request = ListProposalsRequest { status: status.into(), page: None };
        let listed =
            world.grpc.proposals().list_proposals(with_token(request, &two)).await.unwrap().into_inner().proposals;
        assert_eq!(listed.iter().map(|one| &one.id).collect::<Vec<_>>(), ids, "{status:?}");
        assert!(listed[0].expires_at.is_some());
    }
    assert_eq!(world.confirm_proposal(&two, &old.id).await.unwrap_err().code, "PROPOSAL_EXPIRED");
    let lost = ["disabled_at = now()", "disabled_at = NULL, role = 'auditor'"];
    for (lost, proposal) in lost.into_iter().zip([&orphan, &other]) {
        let statement = format!("UPDATE users SET {lost} WHERE email = 'admin@solvane.test'");
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&world.pool).await.unwrap();
        assert_eq!(world.confirm_proposal(&two, &proposal.id).await.unwrap_err().code, "PROPOSER_NOT_PERMITTED");
    }
    world.run("UPDATE users SET role = 'admin' WHERE email = 'admin@solvane.test'").await;
    assert_eq!(world.confirm_proposal(&two, &orphan.id).await.unwrap_err().code, "PROPOSAL_CLOSED");
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'staff.invite.drop'").await, 2);
}

/// [D-O5] C3: a new reviewer, treasurer or manager decides and proposes nothing for a day, no matter what they were before; an
/// admin may at once.
#[sqlx::test(migrations = false)]
async fn new_staff_decide_nothing_for_a_day(pool: PgPool) {
    let world = World::with_wait(pool, SecondFactor::Waived, Duration::from_secs(86_400)).await;
    let (_, admin) = world.staff(Role::Admin).await;
    let (_, reviewer) = world.staff(Role::Reviewer).await;
    let (member, _) = world.member("ada@example.com").await;
    let freeze = || FreezeMemberRequest { user_id: member.id.clone(), note: "odd".to_owned(), ..Default::default() };
    let refused = refusal(world.grpc.freeze_member(with_token(freeze(), &reviewer)).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Forbidden, "ROLE_TOO_NEW"));
    world.grpc.list_members(with_token(ListMembersRequest::default(), &reviewer)).await.unwrap();
    let me = world.grpc.get_me(with_token(GetMeRequest {}, &reviewer)).await.unwrap().into_inner();
    assert!(me.decides_from.is_some());
    world.propose(&admin, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.run("UPDATE users SET created_at = created_at - interval '1 day'").await;
    world.grpc.freeze_member(with_token(freeze(), &reviewer)).await.unwrap();
    world.run("UPDATE users SET role_since = clock_timestamp() WHERE role = 'reviewer'").await;
    assert_eq!(refusal(world.grpc.freeze_member(with_token(freeze(), &reviewer)).await).code, "ROLE_TOO_NEW");
}

fn invite(email: &str, role: &str) -> Change {
    Change::Invitation(StaffInvitation { name: "Tess".to_owned(), email: email.to_owned(), role: role.to_owned() })
}

impl World {
    async fn propose_keyed(
        &self,
        token: &str,
        change: Change,
        key: &str,
    ) -> Result<Response<ProposeStaffChangeResponse>, Status> {
        let idempotency =
            Idempotency { key: key.to_owned(), route: "POST /v1/admin/staff".to_owned(), fingerprint: vec![1] };
        let request = ProposeStaffChangeRequest { change: Some(change), client: None, idempotency: Some(idempotency) };
        self.grpc.propose_staff_change(with_token(request, token)).await
    }

    async fn propose(&self, token: &str, change: Change) -> Result<Proposal, Refusal> {
        let answer = self.propose_keyed(token, change, &Uuid::new_v4().to_string()).await;
        answer.map(|answer| answer.into_inner().proposal.unwrap()).map_err(|status| from_status(&status))
    }

    pub async fn confirm_proposal(&self, token: &str, id: &str) -> Result<Proposal, Refusal> {
        let request = ConfirmProposalRequest { proposal_id: id.to_owned(), ..Default::default() };
        let answer = self.grpc.proposals().confirm_proposal(with_token(request, token)).await;
        answer.map(|answer| answer.into_inner().proposal.unwrap()).map_err(|status| from_status(&status))
    }

    /// What the audit log says of staff accounts, newest first.
    async fn staff_actions(&self, token: &str) -> Vec<String> {
        let request = with_token(ListAuditRowsRequest::default(), token);
        let rows = self.grpc.audit_log().list_audit_rows(request).await.unwrap().into_inner().rows;
        rows.into_iter().map(|row| row.action).collect()
    }
}

/// [D-O1] Nobody registers as staff, and staff are no members.
#[sqlx::test(migrations = false)]
async fn staff_are_no_members(pool: PgPool) {
    let world = World::new(pool).await;
    let (id, token) = world.staff(Role::Admin).await;
    let request = proto::auth::v1::UpdateImageRequest { user_id: id.to_string(), image_key: "x".to_owned() };
    let refused = world.grpc.update_image(with_token(request, &token)).await.unwrap_err();
    assert_eq!(from_status(&refused).code, "PERMISSION_DENIED");
}

/// [D-G4] [D-O6] A note, a freeze, its end, and the confirmed end of an account are answered again under their keys.
#[sqlx::test(migrations = false)]
async fn acts_of_staff_replay_under_their_keys(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, reviewer) = world.staff(Role::Reviewer).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    let (manager, _) = world.staff(Role::Manager).await;
    let (member, _) = world.member("ada@example.com").await;
    let ending = world.propose(&one, Change::EndAccount(manager.to_string())).await.unwrap();
    world.forget_events().await;
    let key = |route: &str| Some(Idempotency { key: "k".to_owned(), route: route.to_owned(), fingerprint: vec![1] });
    let (user_id, client) = (member.id.clone(), None);
    let note =
        AddMemberNoteRequest { user_id: user_id.clone(), text: "called".into(), client, idempotency: key("note") };
    let freeze =
        FreezeMemberRequest { user_id: user_id.clone(), note: "odd".into(), client: None, idempotency: key("freeze") };
    let free = UnfreezeMemberRequest { user_id, note: "fine".into(), client: None, idempotency: key("free") };
    let end = ConfirmProposalRequest { proposal_id: ending.id, idempotency: key("end"), ..Default::default() };
    for replayed in [false, true] {
        let told = [
            world.grpc.add_member_note(with_token(note.clone(), &reviewer)).await.unwrap().metadata().clone(),
            world.grpc.freeze_member(with_token(freeze.clone(), &reviewer)).await.unwrap().metadata().clone(),
            world.grpc.unfreeze_member(with_token(free.clone(), &reviewer)).await.unwrap().metadata().clone(),
            world.grpc.proposals().confirm_proposal(with_token(end.clone(), &two)).await.unwrap().metadata().clone(),
        ];
        assert!(told.iter().all(|metadata| metadata.contains_key(REPLAYED) == replayed));
    }
    assert_eq!(world.events().await, ["account_frozen", "session_ended", "staff_changed"]);
    assert_eq!(world.count("SELECT count(*) FROM member_notes").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action NOT LIKE 'staff.add'").await, 5);
}
