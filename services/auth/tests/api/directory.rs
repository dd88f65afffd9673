//! What other services ask.

use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{
    GetMailSecretRequest, GetSessionRequest, GetSessionsRequest, GetUsersRequest, ListPermittedStaffRequest,
    ListSessionsRequest, ListStaffContactsRequest,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{World, refusal};

async fn session_of(world: &World, token: &str) -> String {
    let list = world.grpc.list_sessions(with_token(ListSessionsRequest {}, token)).await.unwrap().into_inner().sessions;
    list.into_iter().find(|session| session.current).unwrap().id
}

/// [D-S4] K12: a service learns the state of a session from its row; a member's token is no credential.
#[sqlx::test(migrations = false)]
async fn a_service_learns_the_state_of_a_session(pool: PgPool) {
    let world = World::new(pool).await;
    let registered = world.register("ada@example.com").await;
    let session_id = session_of(&world, &registered.token).await;
    let credential = world.realm.service_token("wallet");
    let ask = async |token: &str| {
        world.grpc.get_session(with_token(GetSessionRequest { session_id: session_id.clone() }, token)).await
    };
    let state = ask(&credential).await.unwrap().into_inner();
    assert!(
        !state.is_verified
            && !state.is_frozen
            && state.role.is_empty()
            && !state.is_stepped_up
            && !state.must_enrol_totp
    );
    assert_eq!(state.user_id, registered.user.unwrap().id);
    world.run("UPDATE users SET verified_at = now(), frozen_at = now()").await;
    let state = ask(&credential).await.unwrap().into_inner();
    assert!(state.is_verified && state.is_frozen);
    assert_eq!(refusal(ask(&registered.token).await).code, "PERMISSION_DENIED");
    assert_eq!(refusal(ask("").await).code, "PERMISSION_DENIED");
    world.run("UPDATE sessions SET revoked_at = now()").await;
    assert_eq!(refusal(ask(&credential).await).code, "UNAUTHENTICATED");
    let odd = GetSessionRequest { session_id: "x".to_owned() };
    assert_eq!(refusal(world.grpc.get_session(with_token(odd, &credential)).await).code, "UNAUTHENTICATED");
}

/// [D-S4] S2: many sessions are read at once, the living alone, each as when it is asked for by itself; asking is using.
#[sqlx::test(migrations = false)]
async fn many_sessions_are_told_at_once(pool: PgPool) {
    let world = World::new(pool).await;
    let mut ids = vec![Uuid::new_v4().to_string(), "x".to_owned()];
    for email in ["ada@example.com", "bob@example.com", "eve@example.com"] {
        ids.push(session_of(&world, &world.register(email).await.token).await);
    }
    world.run("UPDATE users SET frozen_at = now() WHERE email = 'bob@example.com'").await;
    world
        .run("UPDATE sessions SET revoked_at = now() FROM users WHERE users.id = user_id AND email = 'eve@example.com'")
        .await;
    world
        .run(
            "UPDATE sessions SET last_seen_at = now() - interval '2 minutes', idle_until = now() + interval '1 minute'",
        )
        .await;
    let credential = world.realm.service_token("wallet");
    let ask = async |session_ids: Vec<String>, token: &str| {
        world.grpc.get_sessions(with_token(GetSessionsRequest { session_ids }, token)).await
    };
    let found = ask(ids.clone(), &credential).await.unwrap().into_inner().sessions;
    assert_eq!(found.len(), 2);
    assert_eq!((found[&ids[2]].is_frozen, found[&ids[3]].is_frozen), (false, true));
    assert_eq!(world.count("SELECT count(*) FROM sessions WHERE idle_until > now() + interval '20 minutes'").await, 2);
    for id in &ids[2..4] {
        let request = GetSessionRequest { session_id: id.clone() };
        let alone = world.grpc.get_session(with_token(request, &credential)).await.unwrap().into_inner();
        assert_eq!((&alone.user_id, alone.expires_at), (&found[id].user_id, found[id].expires_at));
    }
    assert_eq!(refusal(ask(ids.clone(), "").await).code, "PERMISSION_DENIED");
    assert_eq!(refusal(ask(vec![ids[2].clone(); 501], &credential).await).code, "VALIDATION_FAILED");
}

/// [D-O1] Where the second factor is waived, staff count as stepped up.
#[sqlx::test(migrations = false)]
async fn waived_staff_count_as_stepped_up(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.staff(Role::Reviewer).await;
    let credential = world.realm.service_token("wallet");
    let request = GetSessionRequest { session_id: session_of(&world, &token).await };
    let state = world.grpc.get_session(with_token(request, &credential)).await.unwrap().into_inner();
    assert_eq!(state.role, "reviewer");
    assert!(state.is_stepped_up && !state.must_enrol_totp);
}

/// Accounts by id: unknown ids are left out, and 500 are the most.
#[sqlx::test(migrations = false)]
async fn accounts_are_found_by_id(pool: PgPool) {
    let world = World::new(pool).await;
    let (ada, member) = world.member("ada@example.com").await;
    let credential = world.realm.service_token("wallet");
    let ask = async |ids: Vec<String>, token: &str| {
        world.grpc.get_users(with_token(GetUsersRequest { user_ids: ids }, token)).await
    };
    let ids = vec![Uuid::new_v4().to_string(), ada.id.clone(), "x".to_owned()];
    let found = ask(ids.clone(), &credential).await.unwrap().into_inner().users;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].id.as_str(), found[0].is_verified), (ada.id.as_str(), true));
    assert_eq!(refusal(ask(ids, &member).await).code, "PERMISSION_DENIED");
    let many = (0..501).map(|_| Uuid::new_v4().to_string()).collect();
    assert_eq!(refusal(ask(many, &credential).await).code, "VALIDATION_FAILED");
}

/// [D-O1] [D-M8] A service learns which staff have a permission, and nothing else about them.
#[sqlx::test(migrations = false)]
async fn permitted_staff_are_found(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, member) = world.member("ada@example.com").await;
    for &role in Role::ALL {
        world.staff(role).await;
    }
    let credential = world.realm.service_token("cases");
    let ask = async |permission: &str, token: &str| {
        let message = ListPermittedStaffRequest { permission: permission.to_owned() };
        world.grpc.list_permitted_staff(with_token(message, token)).await
    };
    assert_eq!(ask("answerCases", &credential).await.unwrap().into_inner().user_ids.len(), 2);
    assert_eq!(refusal(ask("fly", &credential).await).code, "PERMISSION_DENIED");
    assert_eq!(refusal(ask("answerCases", &member).await).code, "PERMISSION_DENIED");
}

/// [D-E1] Only the mailer learns the secret of a mail, and the addresses of staff.
#[sqlx::test(migrations = false)]
async fn only_the_mailer_learns_secrets(pool: PgPool) {
    let world = World::new(pool).await;
    let registered = world.register("ada@example.com").await;
    world.staff(Role::Admin).await;
    let reference = world.code_id("ada@example.com").await.to_string();
    let (mailer, wallet) = (world.realm.service_token("mailer"), world.realm.service_token("wallet"));
    let request = || GetMailSecretRequest { reference: reference.clone() };
    let mail = world.grpc.get_mail_secret(with_token(request(), &mailer)).await.unwrap().into_inner();
    assert_eq!((mail.email.as_str(), mail.name.as_str()), ("ada@example.com", "Ada Lovelace"));
    assert_eq!(mail.secret, world.code("ada@example.com").await);
    assert!(mail.secret.len() == 6 && mail.expires_at.is_some());
    for token in [&wallet, &registered.token] {
        assert_eq!(refusal(world.grpc.get_mail_secret(with_token(request(), token)).await).code, "PERMISSION_DENIED");
        let contacts = world.grpc.list_staff_contacts(with_token(ListStaffContactsRequest {}, token)).await;
        assert_eq!(refusal(contacts).code, "PERMISSION_DENIED");
    }
    let contacts = world.grpc.list_staff_contacts(with_token(ListStaffContactsRequest {}, &mailer)).await.unwrap();
    assert_eq!(contacts.into_inner().staff[0].email, "admin@solvane.test");
    for reference in [Uuid::new_v4().to_string(), "x".to_owned()] {
        let unknown = world.grpc.get_mail_secret(with_token(GetMailSecretRequest { reference }, &mailer)).await;
        assert_eq!(from_status(&unknown.unwrap_err()).code, "NOT_FOUND");
    }
    world.verify("ada@example.com", &mail.secret).await.unwrap();
    assert_eq!(refusal(world.grpc.get_mail_secret(with_token(request(), &mailer)).await).code, "NOT_FOUND");
}
