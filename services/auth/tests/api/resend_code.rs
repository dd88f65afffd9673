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

/// [API-03] [D-S5] [D-S8] E3: a minute later there is a new code; the old one is taken, too, until one of them was. From then
/// on none of them is mailed or taken.
#[sqlx::test(migrations = false)]
async fn a_code_is_taken_beside_newer_ones_until_one_was(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    let (old_id, old) = (world.code_id("ada@example.com").await, world.code("ada@example.com").await);
    assert_eq!(secret(&world, old_id).await, Ok(old.clone()));
    world.age_codes(61).await;
    world.forget_events().await;
    world.resend("ADA@Example.com", &ada.verification).await;
    assert_eq!(world.events().await, ["verification_code_issued"]);
    assert_eq!(secret(&world, old_id).await, Ok(old.clone()));
    let new_id = world.code_id("ada@example.com").await;
    assert_ne!(new_id, old_id);
    world.verify_with("ada@example.com", &old, &ada.verification, "").await.unwrap();
    assert_eq!(secret(&world, new_id).await, Err("NOT_FOUND".to_owned()));
    let new = world.app.secrets.code(new_id.into());
    assert_eq!(world.verify("ada@example.com", &new).await.unwrap_err().code, "INVALID_CODE");
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

/// [D-S5] Five more codes an hour, of which the newest three are taken.
#[sqlx::test(migrations = false)]
async fn five_more_codes_an_hour(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    for _ in 0..8 {
        world.age_codes(61).await;
        world.resend("ada@example.com", &ada.verification).await;
    }
    assert_eq!(world.count("SELECT count(*) FROM codes").await, 6);
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE superseded_at IS NULL").await, 3);
}

/// [D-S8] [D-A2] Strangers who ask for codes use up neither the pause nor the hour of the account, nor end its codes; and they
/// get few, which the owner has in the mailbox and may use.
#[sqlx::test(migrations = false)]
async fn strangers_use_up_none_of_the_owners_codes(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    let first = world.code("ada@example.com").await;
    let mailed = "SELECT count(*) FROM codes";
    for minute in 0..8 {
        world.age_codes(61).await;
        for block in 0..3 {
            world.resend_from("ada@example.com", "", &format!("198.51.{block}.{minute}")).await;
        }
    }
    assert_eq!(world.count(mailed).await, 1 + 3);
    // A moment after the strangers' last try.
    world.resend("ada@example.com", &ada.verification).await;
    assert_eq!(world.count(mailed).await, 1 + 3 + 1);
    let live = world.live_codes("ada@example.com").await;
    assert_eq!(live.len(), 5);
    assert!(live.contains(&first));
    world.verify_with("ada@example.com", &first, &ada.verification, "").await.unwrap();
}

/// [D-A2] A stranger who asks a moment after a code does not take it over: the wrong tries with their handle cost it nothing.
/// The handle of another browser, which no code belongs to, does not make the right code wrong.
#[sqlx::test(migrations = false)]
async fn nobody_takes_a_code_over(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let code = world.code("ada@example.com").await;
    let strangers = world.resend_from("ada@example.com", "", crate::fixture::ABROAD).await;
    for _ in 0..3 {
        let wrong = crate::verify_email::wrong(&code);
        let refused = world.verify_with("ada@example.com", &wrong, &strangers, "").await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE");
    }
    assert_eq!(world.count("SELECT max(attempts + request_attempts)::bigint FROM codes").await, 0);
    let another_browsers = world.resend("ada@example.com", "").await;
    world.verify_with("ada@example.com", &code, &another_browsers, "").await.unwrap();
}

/// [D-A2] C5: a visitor's request gets a handle of its own, the same for known and unknown addresses in form, and keeps
/// it; the code is taken with it, also if it was mailed a moment before.
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
    let other = world.register("bob@example.com").await.verification;
    assert_eq!(world.verify_with("ada@example.com", &code, &other, "").await.unwrap_err().code, "INVALID_CODE");
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
