//! What happened to the security of an account: for its owner, for staff, and by mail.

use std::time::Duration;

use chassis::identity::Role;
use chassis::testing::with_token;
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    ChangePasswordRequest, CheckSessionRequest, EndMemberSessionsRequest, ListActivityRequest,
    ListMemberActivityRequest, SecurityEvent, SignInsRefused,
};
use proto::common::v1::{Idempotency, PageRequest};
use sqlx::PgPool;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, client, refusal};

async fn activity(world: &World, token: &str, page: Option<PageRequest>) -> (Vec<SecurityEvent>, String) {
    let answer = world.grpc.list_activity(with_token(ListActivityRequest { page }, token)).await.unwrap().into_inner();
    (answer.events, answer.next_cursor)
}

/// Refusals are noted behind the answer.
pub async fn until_there_are(world: &World, refusals: i64) {
    let limit = tokio::time::Instant::now() + Duration::from_secs(10);
    while world.count("SELECT count(*) FROM security_events WHERE refused").await < refusals {
        assert!(tokio::time::Instant::now() < limit, "the refusal was not noted");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// [D-A7] [C15] The owner sees each login, refusal and change with its device and address block, newest first and page by
/// page; nobody else sees it.
#[sqlx::test(migrations = false)]
async fn the_owner_sees_what_happened(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    world.login("ada@example.com", "a wrong password", ABROAD).await.unwrap_err();
    until_there_are(&world, 1).await;
    let token = world.login("ada@example.com", PASSWORD, HOME).await.unwrap().token;
    let change = ChangePasswordRequest {
        user_id: user.id.clone(),
        old_password: PASSWORD.to_owned(),
        new_password: "another battery staple".to_owned(),
    };
    world.grpc.change_password(with_token(change, &token)).await.unwrap();

    let (events, next) = activity(&world, &token, None).await;
    let told: Vec<_> = events.iter().map(|one| (one.kind.as_str(), one.refused, one.address_block.as_str())).collect();
    let expected = [
        ("password_changed", false, "203.0.113.0/24"),
        ("sign_in", false, "203.0.113.0/24"),
        ("sign_in", true, "198.51.100.0/24"),
        ("sign_in", false, "203.0.113.0/24"),
    ];
    assert_eq!((told.as_slice(), next.as_str()), (expected.as_slice(), ""));
    assert!(events.iter().all(|one| one.device == "Firefox on Linux" && one.at.is_some()), "{events:?}");

    let page = |cursor: String| Some(PageRequest { size: 3, cursor });
    let (first, next) = activity(&world, &token, page(String::new())).await;
    let (second, end) = activity(&world, &token, page(next)).await;
    assert_eq!(([first, second].concat(), end.as_str()), (events, ""));

    let (_, other) = world.member("grace@example.com").await;
    assert_eq!(activity(&world, &other, None).await.0.len(), 1, "their own login");
}

/// [D-A9] [C15] Ten refusals in a row mail the owner once; a login that works begins the count again.
#[sqlx::test(migrations = false)]
async fn ten_refusals_in_a_row_mail_the_owner_once(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let mailed = async || world.events().await.iter().filter(|key| *key == "sign_ins_refused").count();
    for refusals in 1..=9 {
        world.login("ada@example.com", "a wrong password", HOME).await.unwrap_err();
        until_there_are(&world, refusals).await;
    }
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    for refusals in 10..=18 {
        world.login("ada@example.com", "a wrong password", HOME).await.unwrap_err();
        until_there_are(&world, refusals).await;
    }
    assert_eq!(mailed().await, 0, "nine, twice");
    for refusals in 19..=20 {
        world.login("ada@example.com", "a wrong password", HOME).await.unwrap_err();
        until_there_are(&world, refusals).await;
    }
    assert_eq!(mailed().await, 1, "the tenth, not the eleventh");
}

/// [D-A13] A refused login of an unknown address leaves no row, and is answered like one of a known address.
#[sqlx::test(migrations = false)]
async fn an_unknown_address_leaves_no_row(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let known = world.login("ada@example.com", "a wrong password", ABROAD).await.unwrap_err();
    until_there_are(&world, 1).await;
    let unknown = world.login("nobody@example.com", "a wrong password", ABROAD).await.unwrap_err();
    assert_eq!((known.code, known.message), (unknown.code, unknown.message));
    assert_eq!(world.count("SELECT count(*) FROM security_events WHERE refused").await, 1);
}

/// [D-A7] [D-O3] Staff of any role see a member's activity; a reviewer ends all sessions, once under a key, which the member
/// sees and the audit log names.
#[sqlx::test(migrations = false)]
async fn a_reviewer_signs_a_member_out_everywhere(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let (_, reviewer) = world.staff(Role::Reviewer).await;
    let (_, auditor) = world.staff(Role::Auditor).await;
    let request = || EndMemberSessionsRequest {
        user_id: user.id.clone(),
        client: Some(client(HOME)),
        idempotency: Some(Idempotency { key: "out".to_owned(), route: "r".to_owned(), fingerprint: vec![1; 32] }),
    };
    let no = refusal(world.grpc.end_member_sessions(with_token(request(), &auditor)).await);
    assert_eq!(no.code, "PERMISSION_DENIED");
    world.forget_events().await;
    for _ in 0..2 {
        let done = world.grpc.end_member_sessions(with_token(request(), &reviewer)).await.unwrap().into_inner();
        assert_eq!(done.ended, 1);
    }
    assert_eq!(world.events().await, ["session_ended"]);
    assert_eq!(
        refusal(world.grpc.check_session(with_token(CheckSessionRequest::default(), &token)).await).code,
        "UNAUTHENTICATED"
    );
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'member.end_sessions'").await, 1);

    let list = ListMemberActivityRequest { user_id: user.id.clone(), page: None };
    let seen = world.grpc.list_member_activity(with_token(list, &auditor)).await.unwrap().into_inner().events;
    let kinds: Vec<_> = seen.iter().map(|one| (one.kind.as_str(), one.device.as_str())).collect();
    assert_eq!(kinds, [("session_ended", ""), ("sign_in", "Firefox on Linux")]);
}

/// [D-A7] Events are forgotten after 13 months.
#[sqlx::test(migrations = false)]
async fn events_are_kept_for_13_months(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    world.run("INSERT INTO security_events (user_id, at, kind, refused, device, block)
        SELECT user_id, at - days * interval '1 day', kind, false, '', '' FROM security_events, unnest(ARRAY[395, 397]) AS days").await;
    auth::app::forget_expired::forget_expired(&world.app).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM security_events").await, 2);
}

/// [D-A9] [D-S8] Wrong passwords and second factors inside sessions count with the refused logins: the tenth in a row mails the
/// owner. The tenth in one session ends it, and the mail has a link that takes the account back.
#[sqlx::test(migrations = false)]
async fn ten_wrong_proofs_in_a_session_end_it(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let other = world.login("ada@example.com", PASSWORD, HOME).await.unwrap().token;
    let guess = async |password: &str, token: &str| {
        world.run("UPDATE login_throttles SET failures = 0, open_at = clock_timestamp()").await;
        let change = ChangePasswordRequest {
            user_id: user.id.clone(),
            old_password: password.to_owned(),
            new_password: "another battery staple".to_owned(),
        };
        refusal(world.grpc.change_password(with_token(change, token)).await).code
    };
    let mails = async || {
        let sql = "SELECT payload FROM outbox WHERE key = 'auth.v1.sign_ins_refused' ORDER BY id";
        let payloads: Vec<Vec<u8>> = sqlx::query_scalar(sql).fetch_all(&world.pool).await.unwrap();
        payloads.iter().map(|payload| SignInsRefused::decode(payload.as_slice()).unwrap()).collect::<Vec<_>>()
    };
    for _ in 0..4 {
        assert_eq!(guess("a wrong password", &token).await, "WRONG_PASSWORD");
    }
    for refusals in 5..=9 {
        world.run("DELETE FROM login_throttles").await;
        world.login("ada@example.com", "a wrong password", HOME).await.unwrap_err();
        until_there_are(&world, refusals).await;
    }
    assert_eq!(mails().await.len(), 0);
    assert_eq!(guess("a wrong password", &token).await, "WRONG_PASSWORD");
    let [mail] = mails().await.try_into().unwrap();
    assert_eq!((mail.count, mail.link_reference.as_str()), (10, ""));

    world.forget_events().await;
    for _ in 0..5 {
        assert_eq!(guess("a wrong password", &token).await, "WRONG_PASSWORD");
    }
    assert_eq!(guess("a wrong password", &token).await, "UNAUTHENTICATED", "the session has ended");
    let [mail] = mails().await.try_into().unwrap();
    assert_eq!(mail.count, 10);
    assert!(!mail.link_reference.is_empty());
    assert_eq!(world.events().await.iter().filter(|key| *key == "session_ended").count(), 1);
    // The owner's own goes on.
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &other)).await.is_ok());
}
