//! Asking for another code.

use chassis::error::from_status;
use proto::auth::v1::GetMailSecretRequest;
use proto::auth::v1::directory_service_server::DirectoryService;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::World;

async fn resend(world: &World, email: &str) {
    world.resend(email, "").await;
}

async fn secret(world: &World, reference: Uuid) -> Result<String, String> {
    let token = world.realm.service_token("mailer");
    let request = chassis::testing::with_token(GetMailSecretRequest { reference: reference.to_string() }, &token);
    let answer = world.grpc.get_mail_secret(request).await;
    answer.map(|answer| answer.into_inner().secret).map_err(|status| from_status(&status).code)
}

/// [API-03] [D-S5] E3: a minute later a new code takes the place of the old, which is neither mailed nor taken any more.
#[sqlx::test(migrations = false)]
async fn a_new_code_kills_the_old(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let (old_id, old) = (world.code_id("ada@example.com").await, world.code("ada@example.com").await);
    assert_eq!(secret(&world, old_id).await, Ok(old.clone()));
    world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
    world.forget_events().await;
    resend(&world, "ADA@Example.com").await;
    assert_eq!(world.events().await, ["verification_code_issued"]);
    assert_eq!(secret(&world, old_id).await, Err("NOT_FOUND".to_owned()));
    let new = world.code("ada@example.com").await;
    if new != old {
        assert_eq!(world.verify("ada@example.com", &old).await.unwrap_err().code, "INVALID_CODE");
    }
    world.verify("ada@example.com", &new).await.unwrap();
}

/// [D-R8] [D-S5] Within a minute of any code, for a confirmed or an unknown address: the same answer and no mail.
#[sqlx::test(migrations = false)]
async fn no_mail_without_need(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.member("bob@example.com").await;
    world.run("UPDATE codes SET created_at = created_at - interval '1 hour' WHERE email = 'bob@example.com'").await;
    world.forget_events().await;
    for email in ["ada@example.com", "bob@example.com", "nobody@example.com"] {
        resend(&world, email).await;
    }
    assert_eq!(world.events().await, [""; 0]);
    assert_eq!(world.count("SELECT count(*) FROM mail_requests").await, 0);
}

/// [D-S5] Five more codes an hour.
#[sqlx::test(migrations = false)]
async fn five_more_codes_an_hour(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    for _ in 0..8 {
        world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
        resend(&world, "ada@example.com").await;
    }
    assert_eq!(world.count("SELECT count(*) FROM codes").await, 6);
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE superseded_at IS NULL").await, 1);
}

/// [D-A2] C5: a visitor's request gets a handle of its own, the same for known and unknown addresses in form, and keeps
/// it; the code asked with it is taken with it, also if it was mailed a moment before.
#[sqlx::test(migrations = false)]
async fn a_request_without_session_gets_a_handle(pool: PgPool) {
    let world = World::new(pool).await;
    let registered = world.register("ada@example.com").await;
    let handle = world.resend("ada@example.com", "").await;
    let unknown = world.resend("nobody@example.com", "").await;
    assert_eq!(handle.len(), unknown.len());
    assert_ne!(handle, unknown);
    assert_eq!(world.resend("ada@example.com", &handle).await, handle);
    assert_eq!(world.resend("ada@example.com", &registered.verification).await, registered.verification);
    let code = world.code("ada@example.com").await;
    assert_eq!(world.verify_with("ada@example.com", &code, &unknown, "").await.unwrap_err().code, "INVALID_CODE");
    world.verify_with("ada@example.com", &code, &handle, "").await.unwrap();
}

/// [D-A2] C5: the account's own registration comes before those who change to its address.
#[sqlx::test(migrations = false)]
async fn a_registration_comes_before_pending_changes(pool: PgPool) {
    let world = World::new(pool).await;
    for name in ["one", "two", "three"] {
        let (user, token) = world.member(&format!("{name}@example.com")).await;
        crate::profile::change_email(&world, &token, &user, "ada@example.com").await.unwrap();
    }
    world.register("ada@example.com").await;
    world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
    world.forget_events().await;
    world.resend("ada@example.com", "").await;
    assert_eq!(world.events().await, ["verification_code_issued"]);
    let purpose: String = sqlx::query_scalar("SELECT purpose FROM codes ORDER BY created_at DESC LIMIT 1")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(purpose, "registration");
}
