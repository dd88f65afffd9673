use std::collections::HashSet;

use chassis::error::{Kind, from_status};
use chassis::grpc::REPLAYED;
use chassis::testing::{SERVICE, with_token};
use futures::future::join_all;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{CheckSessionRequest, RegisterRequest};
use proto::common::v1::Idempotency;
use sqlx::PgPool;
use tonic::Request;

use crate::fixture::{World, refusal, registration, said};

/// [API-01] [AUTH-06] Makes an unverified account with a session, and issues a code.
#[sqlx::test(migrations = false)]
async fn a_registration_makes_an_unverified_account_with_a_session(pool: PgPool) {
    let world = World::new(pool).await;
    let registered = world.register("  Ada@Example.com ").await;
    let user = registered.user.unwrap();
    assert_eq!(
        (user.name.as_str(), user.email.as_str(), user.country.as_str()),
        ("Ada Lovelace", "Ada@Example.com", "United Kingdom")
    );
    assert!(!user.is_verified && !user.is_frozen && user.role.is_empty() && user.pending_email.is_empty());
    assert_eq!(world.events().await, ["user_registered", "verification_code_issued"]);
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE purpose = 'registration' AND attempts = 0").await, 1);
    let hash: String = sqlx::query_scalar("SELECT password_hash FROM users").fetch_one(&world.pool).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    let checked = world
        .grpc
        .check_session(with_token(CheckSessionRequest::default(), &registered.token))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(checked.user.unwrap().id, user.id);
}

/// [AUTH-05] [D-S7] Everything wrong is said at once, by field, in the exact words; nothing is kept.
#[sqlx::test(migrations = false)]
async fn wrong_fields_are_named_at_once(pool: PgPool) {
    let world = World::new(pool).await;
    let request = RegisterRequest { password: "short".to_owned(), ..RegisterRequest::default() };
    let refused = refusal(world.grpc.register(world.realm.visitor(request)).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"));
    assert_eq!(said(&refused, "name"), Some("Name is required"));
    assert_eq!(said(&refused, "email"), Some("Invalid email address"));
    assert_eq!(said(&refused, "phone"), Some("Phone number is required"));
    assert_eq!(said(&refused, "country"), Some("Country is required"));
    assert_eq!(said(&refused, "password"), Some("Password must be at least 8 characters long"));
    for password in ["password1", "Lovelace1815", "solvane2026"] {
        let request = RegisterRequest { password: password.to_owned(), ..registration("ada@example.com") };
        assert!(
            said(&refusal(world.grpc.register(world.realm.visitor(request)).await), "password").is_some(),
            "{password}"
        );
    }
    let request = RegisterRequest { country: "Atlantis".to_owned(), ..registration("ada@example.com") };
    assert!(said(&refusal(world.grpc.register(world.realm.visitor(request)).await), "country").is_some());
    assert_eq!(world.count("SELECT count(*) FROM users").await, 0);
}

/// [D-S7] S4: one address is one account, regardless of its case, however many register at once.
#[sqlx::test(migrations = false)]
async fn of_many_at_once_one_gets_the_address(pool: PgPool) {
    let world = World::new(pool).await;
    let tries = (0..20).map(|n| {
        let email = if n % 2 == 0 { "ada@example.com" } else { "ADA@Example.COM" };
        world.grpc.register(world.realm.visitor(registration(email)))
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(tries).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for status in lost {
        let refused = refusal(status);
        assert_eq!((refused.kind, refused.code.as_str()), (Kind::Conflict, "EMAIL_TAKEN"));
    }
    assert_eq!(world.count("SELECT count(*) FROM users").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM sessions").await, 1);
    assert_eq!(world.events().await, ["user_registered", "verification_code_issued"]);
}

fn keyed(world: &World, email: &str, key: &str, fingerprint: u8) -> Request<RegisterRequest> {
    let idempotency = Idempotency {
        key: key.to_owned(),
        route: "POST /v1/auth/register".to_owned(),
        fingerprint: vec![fingerprint; 32],
    };
    let mut request = world.realm.visitor(RegisterRequest { idempotency: Some(idempotency), ..registration(email) });
    request.metadata_mut().insert("x-request-id", "first".parse().unwrap());
    request
}

/// [D-G4] The same key answers the same account with a token of the same session; the token itself is not kept.
#[sqlx::test(migrations = false)]
async fn the_same_key_answers_the_same_account(pool: PgPool) {
    let world = World::new(pool).await;
    let first = world.grpc.register(keyed(&world, "ada@example.com", "k", 1)).await.unwrap();
    assert!(first.metadata().get(REPLAYED).is_none());
    let first = first.into_inner();
    let again = world.grpc.register(keyed(&world, "ADA@example.com", "k", 1)).await.unwrap();
    assert_eq!(again.metadata().get(REPLAYED).unwrap(), "first");
    let again = again.into_inner();
    assert_eq!(again.user, first.user);
    let shown = world.realm.shown_to(SERVICE, &again.token);
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &shown)).await.is_ok());
    assert_eq!(world.count("SELECT count(*) FROM sessions").await, 1);
    let kept: String =
        sqlx::query_scalar("SELECT outcome::text FROM idempotency_keys").fetch_one(&world.pool).await.unwrap();
    assert!(!kept.contains(&first.token) && !kept.contains("eyJ"));
    let digests = "SELECT count(*) FROM idempotency_keys WHERE fingerprint = decode(repeat('01', 32), 'hex')";
    assert_eq!(world.count(digests).await, 0, "a digest of the body would let its password be tried out");
    let other = refusal(world.grpc.register(keyed(&world, "ada@example.com", "k", 2)).await);
    assert_eq!(other.code, "IDEMPOTENCY_KEY_REUSED");
}

/// [D-G4] A refusal is an answer too, and fifty at once have one effect.
#[sqlx::test(migrations = false)]
async fn a_refusal_is_replayed_and_fifty_are_one(pool: PgPool) {
    let world = World::new(pool).await;
    let all = join_all((0..50).map(|_| world.grpc.register(keyed(&world, "ada@example.com", "k", 1)))).await;
    for result in all {
        if let Err(status) = result {
            let code = from_status(&status).code;
            // On a busy machine some wait longer than they may for their turn.
            assert!(
                ["IDEMPOTENCY_KEY_IN_FLIGHT", "TOO_MANY_REQUESTS", "UNAVAILABLE"].contains(&code.as_str()),
                "{code}"
            );
        }
    }
    assert_eq!(world.count("SELECT count(*) FROM users").await, 1);
    assert_eq!(refusal(world.grpc.register(keyed(&world, "ada@example.com", "other", 1)).await).code, "EMAIL_TAKEN");
    world.run("DELETE FROM sessions").await;
    world.run("DELETE FROM codes").await;
    world.run("DELETE FROM known_devices").await;
    world.run("DELETE FROM security_events").await;
    world.run("DELETE FROM users").await;
    let status = world.grpc.register(keyed(&world, "ada@example.com", "other", 1)).await.unwrap_err();
    assert_eq!(from_status(&status).code, "EMAIL_TAKEN");
    assert_eq!(status.metadata().get(REPLAYED).unwrap(), "first");
}

/// [D-S4] Tokens of different sessions differ, and so do those of one session.
#[sqlx::test(migrations = false)]
async fn no_two_tokens_are_alike(pool: PgPool) {
    let world = World::new(pool).await;
    let mut tokens = HashSet::new();
    for _ in 0..3 {
        tokens.insert(world.grpc.register(keyed(&world, "ada@example.com", "k", 1)).await.unwrap().into_inner().token);
    }
    assert_eq!(tokens.len(), 3);
}

/// [D-S8] Registrations of addresses that are taken are slowed by address block, before a password is hashed; the block's
/// registrations that succeed are not.
#[sqlx::test(migrations = false)]
async fn vain_registrations_of_a_block_are_slowed(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let failures = "SELECT failures::bigint FROM login_throttles WHERE key LIKE 'registrations:%'";
    assert_eq!(world.count(failures).await, 0);
    let again = async || world.grpc.register(world.realm.visitor(registration("ada@example.com"))).await;
    assert_eq!(refusal(again().await).code, "EMAIL_TAKEN");
    assert_eq!(world.count(failures).await, 1);
    world.run("UPDATE login_throttles SET failures = 200 WHERE key LIKE 'registrations:%'").await;
    assert_eq!(refusal(again().await).code, "EMAIL_TAKEN");
    world.hold_delays().await;
    assert_eq!(refusal(again().await).code, "TOO_MANY_REQUESTS");
    let mut elsewhere = registration("grace@example.com");
    elsewhere.client = Some(crate::fixture::client(crate::fixture::ABROAD));
    world.grpc.register(world.realm.visitor(elsewhere)).await.unwrap();
}
