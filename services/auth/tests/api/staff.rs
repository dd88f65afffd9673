//! What staff do with accounts.

use auth::app::add_staff::{NewStaff, add_staff};
use chassis::audit;
use chassis::caller::Role;
use chassis::error::{Kind, from_status};
use chassis::grpc::REPLAYED;
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, CheckSessionRequest, DisableStaffRequest, FreezeMemberRequest, GetMemberRequest,
    InviteStaffRequest, ListAuditRowsRequest, ListMembersRequest, ListStaffRequest, ResetPasswordRequest,
    UnfreezeMemberRequest,
};
use proto::common::v1::{Idempotency, PageRequest};
use sqlx::PgPool;
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World, client, refusal};

/// [D-O1] Which role may what: every cell. What is allowed gets past the door, to an account that does not exist.
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
        let cells: [(&str, &[Role], bool); 9] = [
            (
                "ListMembers",
                &Role::ALL,
                may(world.door.list_members(with_token(ListMembersRequest::default(), token)).await),
            ),
            (
                "GetMember",
                &Role::ALL,
                may(world.door.get_member(with_token(GetMemberRequest { user_id: id.clone() }, token)).await),
            ),
            (
                "FreezeMember",
                &[Reviewer],
                may(world
                    .door
                    .freeze_member(with_token(FreezeMemberRequest { user_id: id.clone(), ..Default::default() }, token))
                    .await),
            ),
            (
                "UnfreezeMember",
                &[Reviewer],
                may(world
                    .door
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
                    .door
                    .add_member_note(with_token(
                        AddMemberNoteRequest { user_id: id.clone(), text: "x".to_owned(), client: None },
                        token,
                    ))
                    .await),
            ),
            ("ListStaff", &[Admin, Auditor], may(world.door.list_staff(with_token(ListStaffRequest {}, token)).await)),
            (
                "InviteStaff",
                &[Admin],
                may(world.door.invite_staff(with_token(InviteStaffRequest::default(), token)).await),
            ),
            (
                "DisableStaff",
                &[Admin],
                may(world
                    .door
                    .disable_staff(with_token(DisableStaffRequest { user_id: id.clone(), client: None }, token))
                    .await),
            ),
            (
                "ListAuditRows",
                &[Auditor, Admin],
                may(world.door.list_audit_rows(with_token(ListAuditRowsRequest::default(), token)).await),
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

/// [D-O2] Members are found by name, address and id, newest first, page by page; staff are not among them.
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
        world.door.list_members(with_token(request, &token)).await.unwrap().into_inner()
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
    let odd = ListMembersRequest { page: Some(PageRequest { size: 501, cursor: String::new() }), ..Default::default() };
    assert_eq!(refusal(world.door.list_members(with_token(odd, &token)).await).kind, Kind::Invalid);
}

/// [D-R13] [D-O3] [D-E2] A freeze is told, written down and lifted; sessions live on; twice is once.
#[sqlx::test(migrations = false)]
async fn a_member_is_frozen_and_freed(pool: PgPool) {
    let world = World::new(pool).await;
    let (reviewer, token) = world.staff(Role::Reviewer).await;
    let (member, members) = world.member("ada@example.com").await;
    world.run("DELETE FROM outbox").await;
    let freeze =
        || FreezeMemberRequest { user_id: member.id.clone(), note: "odd".to_owned(), client: Some(client(HOME)) };
    for _ in 0..2 {
        let frozen = world.door.freeze_member(with_token(freeze(), &token)).await.unwrap().into_inner();
        assert!(frozen.member.unwrap().is_frozen);
    }
    assert_eq!(world.events().await, ["account_frozen"]);
    let checked = world.door.check_session(with_token(CheckSessionRequest {}, &members)).await.unwrap().into_inner();
    assert!(checked.user.unwrap().is_frozen);
    let unfreeze = UnfreezeMemberRequest { user_id: member.id.clone(), note: "fine".to_owned(), client: None };
    let free = world.door.unfreeze_member(with_token(unfreeze, &token)).await.unwrap().into_inner();
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
    assert_eq!(audit::broken_at(&mut world.db().conn().await.unwrap()).await.unwrap(), None);
    for note in [String::new(), " \n".to_owned(), "a\0b".to_owned(), "a".repeat(2_001)] {
        let silent = FreezeMemberRequest { user_id: member.id.clone(), note, client: None };
        assert_eq!(refusal(world.door.freeze_member(with_token(silent, &token)).await).code, "VALIDATION_FAILED");
    }
    let staff = FreezeMemberRequest { user_id: reviewer.to_string(), note: "odd".to_owned(), client: None };
    assert_eq!(refusal(world.door.freeze_member(with_token(staff, &token)).await).code, "NOT_FOUND");
}

/// [D-O3] Notes are kept for staff to read; neither they nor the trail can be changed.
#[sqlx::test(migrations = false)]
async fn notes_are_kept_for_good(pool: PgPool) {
    let world = World::new(pool).await;
    let (reviewer, token) = world.staff(Role::Reviewer).await;
    let (member, _) = world.member("ada@example.com").await;
    let note = |text: &str| AddMemberNoteRequest { user_id: member.id.clone(), text: text.to_owned(), client: None };
    world.door.add_member_note(with_token(note(" called\nback "), &token)).await.unwrap();
    for text in ["", " ", "\0", &"x".repeat(2_001)] {
        assert_eq!(refusal(world.door.add_member_note(with_token(note(text), &token)).await).code, "VALIDATION_FAILED");
    }
    let request = GetMemberRequest { user_id: member.id.clone() };
    let seen = world.door.get_member(with_token(request, &token)).await.unwrap().into_inner();
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

/// [D-O1] Invited staff set their first password by the mailed link, within 72 hours, and sign in.
#[sqlx::test(migrations = false)]
async fn invited_staff_set_their_password(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.staff(Role::Admin).await;
    world.forget_events().await;
    let invite = |email: &str| {
        let idempotency =
            Idempotency { key: "k".to_owned(), route: "POST /v1/admin/staff".to_owned(), fingerprint: vec![1] };
        let request = InviteStaffRequest {
            name: "Tess".to_owned(),
            email: email.to_owned(),
            role: "treasurer".to_owned(),
            client: None,
            idempotency: Some(idempotency),
        };
        with_token(request, &token)
    };
    let invited = world.door.invite_staff(invite("tess@solvane.test")).await.unwrap().into_inner().staff.unwrap();
    assert_eq!((invited.role.as_str(), invited.is_verified), ("treasurer", false));
    let again = world.door.invite_staff(invite("tess@solvane.test")).await.unwrap();
    assert!(again.metadata().get(REPLAYED).is_some());
    assert_eq!(again.into_inner().staff.unwrap().id, invited.id);
    assert_eq!(world.events().await, ["staff_invited"]);
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM reset_tokens").await,
        72 * 3_600
    );
    assert_eq!(world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    let request = ResetPasswordRequest {
        token: world.link(&invited.id).await,
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
    };
    world.door.reset_password(Request::new(request)).await.unwrap();
    let signed_in = world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap().user.unwrap();
    assert_eq!((signed_in.role.as_str(), signed_in.is_verified), ("treasurer", true));
    let bad = InviteStaffRequest { role: "owner".to_owned(), ..Default::default() };
    assert_eq!(refusal(world.door.invite_staff(with_token(bad, &token)).await).fields.len(), 3);
}

/// [D-O1] A staff account ends with its sessions, by an admin, never by itself.
#[sqlx::test(migrations = false)]
async fn a_staff_account_ends(pool: PgPool) {
    let world = World::new(pool).await;
    let (admin, token) = world.staff(Role::Admin).await;
    let (manager, managers) = world.staff(Role::Manager).await;
    let (member, _) = world.member("ada@example.com").await;
    world.forget_events().await;
    let disable = |id: &str| with_token(DisableStaffRequest { user_id: id.to_owned(), client: None }, &token);
    world.door.disable_staff(disable(&manager.to_string())).await.unwrap();
    world.door.disable_staff(disable(&manager.to_string())).await.unwrap();
    assert_eq!(world.events().await, ["session_ended"]);
    assert!(world.door.check_session(with_token(CheckSessionRequest {}, &managers)).await.is_err());
    assert_eq!(world.login("manager@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    assert_eq!(refusal(world.door.disable_staff(disable(&admin.to_string())).await).code, "PERMISSION_DENIED");
    assert_eq!(refusal(world.door.disable_staff(disable(&member.id)).await).code, "NOT_FOUND");
    let staff = world.door.list_staff(with_token(ListStaffRequest {}, &token)).await.unwrap().into_inner().staff;
    assert_eq!(staff.len(), 1);
    let rows = world
        .door
        .list_audit_rows(with_token(ListAuditRowsRequest::default(), &token))
        .await
        .unwrap()
        .into_inner()
        .rows;
    let actions: Vec<_> = rows.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["staff.disable", "staff.add", "staff.add"]);
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

/// [D-O1] Nobody registers as staff, and staff are no members.
#[sqlx::test(migrations = false)]
async fn staff_are_no_members(pool: PgPool) {
    let world = World::new(pool).await;
    let (id, token) = world.staff(Role::Admin).await;
    let request = proto::auth::v1::UpdateImageRequest { user_id: id.to_string(), image_key: "x".to_owned() };
    let refused = world.door.update_image(with_token(request, &token)).await.unwrap_err();
    assert_eq!(from_status(&refused).code, "PERMISSION_DENIED");
}
