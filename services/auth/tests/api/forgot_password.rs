use chassis::error::{Refusal, from_status};
use chassis::testing::with_token;
use futures::future::join_all;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{
    CheckSessionRequest, ForgotPasswordRequest, GetMailSecretRequest, ResetPasswordRequest, SessionEnded,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World, client, said};

const NEW: &str = "staple battery horse";

async fn forgot(world: &World, email: &str) {
    forgot_from(world, email, HOME).await;
}

async fn forgot_from(world: &World, email: &str, address: &str) {
    let request = ForgotPasswordRequest { email: email.to_owned(), client: Some(client(address)) };
    world.grpc.forgot_password(world.realm.visitor(request)).await.unwrap();
}

async fn reset(world: &World, token: &str, password: &str) -> Result<(), Refusal> {
    let request = ResetPasswordRequest {
        token: token.to_owned(),
        password: password.to_owned(),
        confirm_password: password.to_owned(),
        client: Some(client(HOME)),
    };
    world.grpc.reset_password(world.realm.visitor(request)).await.map(|_| ()).map_err(|status| from_status(&status))
}

/// [API-05] [API-06] [D-S6] The mailed link sets a new password once, ends every session and has a notice mailed.
#[sqlx::test(migrations = false)]
async fn the_link_sets_a_new_password_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world.forget_events().await;
    forgot(&world, "ADA@example.com").await;
    world.answer_mail_requests().await;
    assert_eq!(world.events().await, ["password_reset_requested"]);
    let link = world.link(&user.id).await;
    reset(&world, &link, NEW).await.unwrap();
    assert_eq!(world.events().await, ["password_reset_requested", "session_ended", "password_changed"]);
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &token)).await.is_err());
    assert_eq!(world.login("ada@example.com", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    world.login("ada@example.com", NEW, HOME).await.unwrap();
    assert_eq!(reset(&world, &link, "yet another battery").await.unwrap_err().code, "INVALID_RESET_TOKEN");
}

/// [D-M7] [S2] A new password also ends what outlives a session that is no longer used: the event names the account.
#[sqlx::test(migrations = false)]
async fn the_event_includes_sessions_that_are_no_longer_used(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    world.run("UPDATE sessions SET idle_until = created_at").await;
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    world.forget_events().await;
    reset(&world, &world.link(&user.id).await, NEW).await.unwrap();
    assert_eq!(world.events().await, ["session_ended", "password_changed"]);
    assert_eq!(world.ended().await, SessionEnded { all_of_user_id: user.id, ..SessionEnded::default() });
}

/// [D-S6] Known or not, the answer is the same and costs the same: one row, looked at later.
#[sqlx::test(migrations = false)]
async fn every_address_gets_the_same_answer(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    world.forget_events().await;
    forgot(&world, "ada@example.com").await;
    forgot(&world, "nobody@example.com").await;
    assert_eq!(world.count("SELECT count(*) FROM mail_requests WHERE kind = 'reset'").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 0);
    world.answer_mail_requests().await;
    assert_eq!(world.events().await, ["password_reset_requested"]);
    assert_eq!(world.count("SELECT count(*) FROM mail_requests").await, 0);
}

/// [D-S6] [D-S8] A link works for half an hour, also while newer ones do, until one of them was used; a session's token is
/// no link.
#[sqlx::test(migrations = false)]
async fn a_link_works_beside_newer_ones_until_one_is_used(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let refused = reset(&world, &token, NEW).await.unwrap_err();
    assert_eq!(refused.code, "INVALID_RESET_TOKEN");
    let mut links = Vec::new();
    for _ in 0..3 {
        forgot(&world, "ada@example.com").await;
        world.answer_mail_requests().await;
        links.push(world.link(&user.id).await);
    }
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM reset_tokens LIMIT 1").await,
        1_800
    );
    reset(&world, &links[0], NEW).await.unwrap();
    for link in &links {
        assert_eq!(reset(&world, link, "yet another battery").await.unwrap_err(), refused);
    }
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    let late = world.link(&user.id).await;
    world.run("UPDATE reset_tokens SET expires_at = clock_timestamp() WHERE consumed_at IS NULL").await;
    assert_eq!(reset(&world, &late, NEW).await.unwrap_err(), refused);
    world.login("ada@example.com", NEW, HOME).await.unwrap();
}

/// [D-S8] [D-A13] Strangers who ask for links use up neither the owner's, who asks from where they have logged in before, nor
/// end them; and they get few, all of which the owner has in the mailbox.
#[sqlx::test(migrations = false)]
async fn strangers_use_up_none_of_the_owners_links(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    let mailed = "SELECT count(*) FROM reset_tokens";
    for block in 0..4 {
        for _ in 0..7 {
            forgot_from(&world, "ada@example.com", &format!("198.51.{block}.9")).await;
        }
    }
    world.answer_mail_requests().await;
    assert_eq!(world.count(mailed).await, 5);
    let strangers = world.link(&user.id).await;
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    assert_eq!(world.count(mailed).await, 6);
    let own = world.link(&user.id).await;
    assert_ne!(own, strangers);
    forgot_from(&world, "ada@example.com", "198.51.100.9").await;
    world.answer_mail_requests().await;
    reset(&world, &own, NEW).await.unwrap();
}

/// [D-S6] Of many uses at once one counts.
#[sqlx::test(migrations = false)]
async fn a_link_counts_once_however_concurrent(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    let link = world.link(&user.id).await;
    let passwords: Vec<String> = (0..8).map(|n| format!("staple battery {n}")).collect();
    let all = join_all(passwords.iter().map(|password| reset(&world, &link, password))).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 1);
}

/// [AUTH-09] [D-S7] The new password's rules; a refusal leaves the link alive.
#[sqlx::test(migrations = false)]
async fn a_bad_password_leaves_the_link_alive(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    let link = world.link(&user.id).await;
    let request = ResetPasswordRequest {
        token: link.clone(),
        password: "short".to_owned(),
        confirm_password: String::new(),
        client: None,
    };
    let refused = from_status(&world.grpc.reset_password(world.realm.visitor(request)).await.unwrap_err());
    assert_eq!(said(&refused, "password"), Some("Password must be at least 8 characters long"));
    assert_eq!(said(&refused, "confirmPassword"), Some("Passwords do not match"));
    assert!(said(&reset(&world, &link, "password1").await.unwrap_err(), "password").is_some());
    assert!(said(&reset(&world, &link, "Lovelace1815").await.unwrap_err(), "password").is_some());
    reset(&world, &link, NEW).await.unwrap();
}

/// [D-S6] Five links an hour.
#[sqlx::test(migrations = false)]
async fn five_links_an_hour(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    for _ in 0..7 {
        forgot(&world, "ada@example.com").await;
    }
    world.answer_mail_requests().await;
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 5);
}

/// [D-E1] The mailer fetches the link's token while it lives: 32 bytes in base64url, kept only as a hash.
#[sqlx::test(migrations = false)]
async fn the_mailer_fetches_the_token(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member("ada@example.com").await;
    forgot(&world, "ada@example.com").await;
    world.answer_mail_requests().await;
    let reference: Uuid = sqlx::query_scalar("SELECT id FROM reset_tokens").fetch_one(&world.pool).await.unwrap();
    let credential = world.realm.service_token("mailer");
    let fetch = async || {
        let request = GetMailSecretRequest { reference: reference.to_string() };
        world.grpc.get_mail_secret(with_token(request, &credential)).await
    };
    let mail = fetch().await.unwrap().into_inner();
    assert_eq!((mail.email.as_str(), mail.name.as_str()), ("ada@example.com", "Ada Lovelace"));
    assert_eq!(mail.secret, world.link(&user.id).await);
    assert_eq!(mail.secret.len(), 43);
    reset(&world, &mail.secret, NEW).await.unwrap();
    assert_eq!(from_status(&fetch().await.unwrap_err()).code, "NOT_FOUND");
}
