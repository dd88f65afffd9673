//! Members as staff see and change them.

use chassis::audit;
use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AddMemberNoteRequest, CheckSessionRequest, FreezeMemberRequest, GetMemberRequest, ListMembersRequest,
    UnfreezeMemberRequest,
};
use proto::common::v1::PageRequest;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{HOME, World, client, refusal};

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
    for (name, found) in [
        ("İbrahim Öz", vec!["İBRAHİM", "İbrahim", "ibrahim öz"]),
        ("ΜΑΡΙΑ ΠΑΠΑΔΟΠΟΥΛΟΣ", vec!["ΠΑΠΑΔΟΠΟΥΛΟΣ", "παπαδοπουλος", "παπαδοπουλοσ", "Μα", "μ"]),
        ("李明", vec!["李明", "李"]),
        ("Jö Lee", vec!["jö", "Jo\u{308}", "J"]),
    ] {
        sqlx::query("UPDATE users SET name = $2 WHERE id = $1::uuid")
            .bind(&ids[0])
            .bind(name)
            .execute(&world.pool)
            .await
            .unwrap();
        for text in found {
            let members = list(text, 0, "").await.members;
            assert_eq!(members.iter().map(|one| &one.id).collect::<Vec<_>>(), [&ids[0]], "{text}");
        }
    }
    assert_eq!(list("lo", 0, "").await.members.len(), 0, "no name begins so");
    let first = list("Ad", 3, "").await;
    assert_eq!((first.members.len(), list("Ad", 3, &first.next_cursor).await.members.len()), (3, 1));
    for phone in ["+49.30.555.0199", "４９３０５５５０１９９"] {
        assert_eq!(list(phone, 0, "").await.members.len(), 1, "{phone}");
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
