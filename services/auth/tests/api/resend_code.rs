//! Asking for another code.

use chassis::error::from_status;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{GetMailSecretRequest, ResendCodeRequest};
use sqlx::PgPool;
use tonic::Request;
use uuid::Uuid;

use crate::fixture::World;

async fn resend(world: &World, email: &str) {
    let request = ResendCodeRequest { email: email.to_owned() };
    world.door.resend_code(Request::new(request)).await.unwrap();
    world.answer_mail_requests().await;
}

async fn secret(world: &World, reference: Uuid) -> Result<String, String> {
    let token = world.realm.credential("mailer").token().unwrap();
    let request = chassis::testing::with_token(GetMailSecretRequest { reference: reference.to_string() }, &token);
    let answer = world.door.get_mail_secret(request).await;
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
