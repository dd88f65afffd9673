//! What staff do with accounts.

use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{ConfirmProposalRequest, ListAuditRowsRequest, ListProposalsRequest, RejectProposalRequest};
use std::time::Duration;

use auth::app::SecondFactor;
use auth::app::staff::add_staff::{NewStaff, add_staff};
use auth::app::staff::bootstrap_staff::{Person, bootstrap_staff};
use chassis::audit;
use chassis::error::{Kind, Refusal, from_status};
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::propose_staff_change_request::Change;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, CheckSessionRequest, ForgotPasswordRequest, FreezeMemberRequest, GetMeRequest,
    GetMemberRequest, ListMembersRequest, ListStaffRequest, ProposeFactorResetRequest, ProposeStaffChangeRequest,
    ProposeStaffChangeResponse, ResetPasswordRequest, StaffInvitation, StaffRole, UnfreezeMemberRequest,
};
use proto::common::v1::{Idempotency, PageRequest, Proposal, ProposalStatus};
use sqlx::PgPool;
use tonic::{Code, Response, Status};
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World, client, refusal};

/// [D-O1] Which role may what: every cell. What is allowed is not refused for its role, to an account that does not exist.
#[sqlx::test(migrations = false)]
async fn every_role_may_what_it_may(pool: PgPool) {
    use Role::{Admin, Auditor, Reviewer, Treasurer};
    let world = World::new(pool).await;
    let (_, member) = world.member("ada@example.com").await;
    let mut callers = vec![(None, member)];
    for role in Role::ALL {
        callers.push((Some(role), world.staff(role).await.1));
    }
    let id = Uuid::new_v4().to_string();
    for (role, token) in &callers {
        let cells: [(&str, &[Role], bool); 12] = [
            (
                "ListMembers",
                &Role::ALL,
                may(world.grpc.list_members(with_token(ListMembersRequest::default(), token)).await),
            ),
            (
                "GetMember",
                &Role::ALL,
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
                &Role::ALL,
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

/// [D-O2] Members are found by name, however it is composed, by address, phone number and id, newest first, page by page; staff are not among them.
#[sqlx::test(migrations = false)]
async fn members_are_found(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.staff(Role::Auditor).await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(world.register(&format!("m{n}_x@example.com")).await.user.unwrap().id);
    }
    let list = async |search: &str, size: i32, cursor: &str| {
        let page = Some(PageRequest { size, cursor: cursor.to_owned() });
        let request = ListMembersRequest { search: search.to_owned(), page };
        world.grpc.list_members(with_token(request, &token)).await.unwrap().into_inner()
    };
    let first = list("", 3, "").await;
    let second = list("", 3, &first.next_cursor).await;
    assert!(second.next_cursor.is_empty());
    let seen: Vec<_> = first.members.into_iter().chain(second.members).map(|member| member.id).collect();
    ids.reverse();
    assert_eq!(seen, ids);
    assert_eq!(list("M3_X@", 0, "").await.members.len(), 1);
    assert_eq!(list("lovelace", 0, "").await.members.len(), 5);
    assert_eq!(list(&ids[0], 0, "").await.members.len(), 1);
    for nothing in ["%", "m%x", "\\", "staff", "m3-x"] {
        assert_eq!(list(nothing, 0, "").await.members.len(), 0, "{nothing}");
    }
    assert_eq!(list("\0", 0, "").await.members.len(), 5);
    // Stored before names were composed.
    sqlx::query("UPDATE users SET name = E'Jose\\u0301 O’Brien', phone = '+49 (30) 555-0199' WHERE id = $1::uuid")
        .bind(&ids[0])
        .execute(&world.pool)
        .await
        .unwrap();
    for found in ["jos\u{e9}", "JOSE\u{301}", "o'brien", "O’Brien", "+49 30 555", "(30) 5550199"] {
        let members = list(found, 0, "").await.members;
        assert_eq!(members.iter().map(|one| &one.id).collect::<Vec<_>>(), [&ids[0]], "{found}");
    }
    let odd = ListMembersRequest { page: Some(PageRequest { size: 501, cursor: String::new() }), ..Default::default() };
    assert_eq!(refusal(world.grpc.list_members(with_token(odd, &token)).await).kind, Kind::Invalid);
}

/// [D-R13] [D-O3] [D-E2] A freeze is notified, logged and lifted; sessions live on; twice is once.
#[sqlx::test(migrations = false)]
async fn a_member_is_frozen_and_freed(pool: PgPool) {
    let world = World::new(pool).await;
    let (reviewer, token) = world.staff(Role::Reviewer).await;
    let (member, members) = world.member("ada@example.com").await;
    world.run("DELETE FROM outbox").await;
    let freeze = || FreezeMemberRequest {
        user_id: member.id.clone(),
        note: "odd".to_owned(),
        client: Some(client(HOME)),
        ..Default::default()
    };
    for _ in 0..2 {
        let frozen = world.grpc.freeze_member(with_token(freeze(), &token)).await.unwrap().into_inner();
        assert!(frozen.member.unwrap().is_frozen);
    }
    assert_eq!(world.events().await, ["account_frozen"]);
    let checked =
        world.grpc.check_session(with_token(CheckSessionRequest::default(), &members)).await.unwrap().into_inner();
    assert!(checked.user.unwrap().is_frozen);
    let unfreeze = UnfreezeMemberRequest { user_id: member.id.clone(), note: "fine".to_owned(), ..Default::default() };
    let free = world.grpc.unfreeze_member(with_token(unfreeze, &token)).await.unwrap().into_inner();
    assert!(!free.member.unwrap().is_frozen);
    let rows: Vec<(Uuid, String, String, String)> = sqlx::query_as(
        "SELECT actor_id, action, after->>'note', address FROM audit_rows WHERE member_id IS NOT NULL ORDER BY id",
    )
    .fetch_all(&world.pool)
    .await
    .unwrap();
    let row =
        |action: &str, note: &str, address: &str| (reviewer, action.to_owned(), note.to_owned(), address.to_owned());
    assert_eq!(rows, [row("member.freeze", "odd", HOME), row("member.unfreeze", "fine", "unknown")]);
    assert_eq!(audit::broken_at(&mut *world.db().conn().await.unwrap()).await.unwrap(), None);
    for note in [String::new(), " \n".to_owned(), "a\0b".to_owned(), "a".repeat(2_001)] {
        let silent = FreezeMemberRequest { user_id: member.id.clone(), note, ..Default::default() };
        assert_eq!(refusal(world.grpc.freeze_member(with_token(silent, &token)).await).code, "VALIDATION_FAILED");
    }
    let staff = FreezeMemberRequest { user_id: reviewer.to_string(), note: "odd".to_owned(), ..Default::default() };
    assert_eq!(refusal(world.grpc.freeze_member(with_token(staff, &token)).await).code, "NOT_FOUND");
}

/// [D-O3] Notes are kept for staff to read; neither they nor the trail can be changed.
#[sqlx::test(migrations = false)]
async fn notes_are_kept_for_good(pool: PgPool) {
    let world = World::new(pool).await;
    let (reviewer, token) = world.staff(Role::Reviewer).await;
    let (member, _) = world.member("ada@example.com").await;
    let note =
        |text: &str| AddMemberNoteRequest { user_id: member.id.clone(), text: text.to_owned(), ..Default::default() };
    world.grpc.add_member_note(with_token(note(" called\nback "), &token)).await.unwrap();
    for text in ["", " ", "\0", &"x".repeat(2_001)] {
        assert_eq!(refusal(world.grpc.add_member_note(with_token(note(text), &token)).await).code, "VALIDATION_FAILED");
    }
    let request = GetMemberRequest { user_id: member.id.clone() };
    let seen = world.grpc.get_member(with_token(request, &token)).await.unwrap().into_inner();
    assert_eq!((seen.notes.len(), seen.sessions.len()), (1, 1));
    assert_eq!(
        (seen.notes[0].text.as_str(), seen.notes[0].author_id.as_str()),
        ("called\nback", reviewer.to_string().as_str())
    );
    for statement in [
        "UPDATE member_notes SET text = 'x'",
        "DELETE FROM member_notes",
        "DELETE FROM audit_rows",
        "TRUNCATE member_notes",
    ] {
        assert!(sqlx::query(statement).execute(&world.pool).await.is_err(), "{statement}");
    }
}

/// [D-O1] [D-O5] C3: one admin proposes an invitation, another confirms it; then its owner is mailed a link, all staff are
/// notified, and the password is set within 72 hours.
#[sqlx::test(migrations = false)]
async fn staff_are_invited_by_two_admins(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    world.forget_events().await;
    let first = world.propose_keyed(&one, invite("tess@solvane.test", "treasurer"), "k").await.unwrap();
    let again = world.propose_keyed(&one, invite("tess@solvane.test", "treasurer"), "k").await.unwrap();
    assert!(again.metadata().get(REPLAYED).is_some());
    let proposal = first.into_inner().proposal.unwrap();
    assert_eq!(again.into_inner().proposal.unwrap().id, proposal.id);
    assert_eq!((proposal.kind.as_str(), proposal.permission.as_str()), ("staff.invite", "changeStaff"));
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'tess@solvane.test'").await, 0);
    assert!(world.events().await.is_empty(), "nothing is mailed before a second admin confirms");

    assert_eq!(world.confirm_proposal(&one, &proposal.id).await.unwrap_err().code, "SELF_CONFIRMATION");
    let confirmed = world.confirm_proposal(&two, &proposal.id).await.unwrap();
    assert_eq!(world.confirm_proposal(&two, &proposal.id).await.unwrap_err().code, "PROPOSAL_CLOSED");
    assert_eq!(world.events().await, ["staff_invited", "staff_changed"]);
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM reset_tokens").await,
        72 * 3_600
    );
    assert_eq!(world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    let request = ResetPasswordRequest {
        token: world.link(&confirmed.subject_id).await,
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
        client: None,
    };
    world.grpc.reset_password(world.realm.visitor(request)).await.unwrap();
    let signed_in = world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap().user.unwrap();
    assert_eq!((signed_in.role.as_str(), signed_in.is_verified), ("treasurer", true));

    let bad = Change::Invitation(StaffInvitation { role: "owner".to_owned(), ..Default::default() });
    assert_eq!(world.propose(&one, bad).await.unwrap_err().fields.len(), 3);
    assert_eq!(world.propose(&one, invite("TESS@solvane.test", "auditor")).await.unwrap_err().code, "EMAIL_TAKEN");
    let actions = world.staff_actions(&one).await;
    assert_eq!(actions, ["staff.invite.confirm", "staff.invite.propose", "staff.add", "staff.add"]);
}

/// [D-A13] [D-S6] C7: anyone who asks for a reset link renews an invitation for no longer than it had to live; later, two
/// admins invite again.
#[sqlx::test(migrations = false)]
async fn an_invitation_is_not_renewed_by_strangers(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    let invited = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &invited.id).await.unwrap();
    world.run("UPDATE reset_tokens SET expires_at = expires_at - interval '70 hours'").await;
    let forgot = async || {
        let request = ForgotPasswordRequest { email: "tess@solvane.test".to_owned(), client: None };
        world.grpc.forgot_password(world.realm.visitor(request)).await.unwrap();
        world.answer_mail_requests().await;
    };
    forgot().await;
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 2);
    assert_eq!(world.count("SELECT count(DISTINCT expires_at) FROM reset_tokens").await, 1);
    world.run("UPDATE reset_tokens SET expires_at = clock_timestamp()").await;
    forgot().await;
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 2);
    let again = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &again.id).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'tess@solvane.test'").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens WHERE expires_at > clock_timestamp()").await, 1);
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

/// [D-O1] The command line makes an account once, and takes no member's address.
#[sqlx::test(migrations = false)]
async fn the_command_line_adds_staff_once(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let add = async |email: &str, role: Role| {
        let new = NewStaff { name: "Sam", email, role, password: "solvane-local-staff" };
        add_staff(world.db(), &world.app.hasher, &new).await.map_err(|error| error.to_string())
    };
    assert_eq!(add("sam@solvane.test", Role::Reviewer).await, Ok(true));
    assert_eq!(add("SAM@solvane.test", Role::Reviewer).await, Ok(false));
    assert!(add("sam@solvane.test", Role::Admin).await.is_err());
    assert!(add("ada@example.com", Role::Reviewer).await.is_err());
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role IS NOT NULL").await, 1);
    assert_eq!(world.events().await, ["user_registered", "verification_code_issued"]);
}

/// [D-H7] [D-O1] [D-O5] O10: the command line invites the first two admins by mail, again as long as one of them has not set a
/// password; they invite the others.
#[sqlx::test(migrations = false)]
async fn the_command_line_invites_the_first_admins(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.forget_events().await;
    let bootstrap = async |people: &[&str]| {
        let people: Vec<Person> = people.iter().map(|person| person.parse().unwrap()).collect();
        bootstrap_staff(world.db(), &world.app.secrets, &people).await.map_err(|error| error.to_string())
    };
    let (first, second) = ("Ann First <ann@solvane.test>", "Ben Second <ben@solvane.test>");
    for wrong in [vec![first], vec![first, first], vec![first, "Ada <ada@example.com>"]] {
        assert!(bootstrap(&wrong).await.is_err(), "{wrong:?}");
    }
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role IS NOT NULL").await, 0);
    assert!(world.events().await.is_empty());

    bootstrap(&[first, second]).await.unwrap();
    assert_eq!(world.events().await, ["staff_invited", "staff_invited"]);
    let set_password = async |email: &'static str| {
        let id: Uuid = sqlx::query_scalar("SELECT id FROM users WHERE email = $1")
            .bind(email)
            .fetch_one(&world.pool)
            .await
            .unwrap();
        let request = ResetPasswordRequest {
            token: world.link(&id.to_string()).await,
            password: PASSWORD.to_owned(),
            confirm_password: PASSWORD.to_owned(),
            client: None,
        };
        world.grpc.reset_password(world.realm.visitor(request)).await.unwrap();
        world.login(email, PASSWORD, HOME).await.unwrap().token
    };
    let one = set_password("ann@solvane.test").await;
    world.run("UPDATE reset_tokens SET expires_at = clock_timestamp()").await;
    bootstrap(&[first, second]).await.unwrap();
    let two = set_password("ben@solvane.test").await;
    let invited = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &invited.id).await.unwrap();

    assert!(bootstrap(&["Cy Third <cy@solvane.test>"]).await.unwrap_err().contains("on /admin"));
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role = 'admin'").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'staff.bootstrap'").await, 3);
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
