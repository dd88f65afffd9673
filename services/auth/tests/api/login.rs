use auth::domain::asker::Asker;
use chassis::error::{Kind, from_status};
use futures::future::join_all;
use metrics_exporter_prometheus::PrometheusBuilder;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{Client, LoginRequest, RegisterRequest};
use sqlx::PgPool;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, client, registration, said};

/// [API-04] [AUTH-03] The right password opens a session and says whether the address is confirmed.
#[sqlx::test(migrations = false)]
async fn the_right_password_opens_a_session(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    world.forget_events().await;
    let signed_in = world.login(" ADA@example.com", PASSWORD, HOME).await.unwrap();
    assert!(signed_in.user.unwrap().is_verified);
    assert_eq!(world.count("SELECT count(*) FROM sessions WHERE revoked_at IS NULL").await, 2);
    assert_eq!(world.events().await, [""; 0]);
}

/// [D-X1] A version that has added a column stops nobody who still runs the one before: their connections keep statements.
#[sqlx::test(migrations = false)]
async fn a_new_column_stops_nobody(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    world.run("ALTER TABLE users ADD COLUMN later text NOT NULL DEFAULT ''").await;
    world.run("ALTER TABLE sessions ADD COLUMN later text NOT NULL DEFAULT ''").await;
    for _ in 0..5 {
        world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    }
}

/// [AUTH-07] [D-S7] A wrong password and an unknown account are answered alike, and malformed fields by name.
#[sqlx::test(migrations = false)]
async fn what_is_wrong_is_not_said(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let wrong = world.login("ada@example.com", "wrong horse battery", HOME).await.unwrap_err();
    assert_eq!((wrong.kind, wrong.code.as_str()), (Kind::Unauthenticated, "INVALID_CREDENTIALS"));
    assert_eq!(world.login("nobody@example.com", "wrong horse battery", HOME).await.unwrap_err(), wrong);
    let malformed = world.login("ada", "short", HOME).await.unwrap_err();
    assert_eq!(said(&malformed, "email"), Some("Invalid email address"));
    assert_eq!(said(&malformed, "password"), Some("Password must be at least 8 characters long"));
    assert_eq!(world.count("SELECT count(*) FROM sessions").await, 1);
}

/// [D-S5] An unverified login sends a code if none is alive.
#[sqlx::test(migrations = false)]
async fn an_unverified_login_sends_a_code_if_none_is_alive(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.forget_events().await;
    assert!(!world.login("ada@example.com", PASSWORD, HOME).await.unwrap().user.unwrap().is_verified);
    assert_eq!(world.events().await, [""; 0]);
    world.run("UPDATE codes SET expires_at = clock_timestamp()").await;
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    assert_eq!(world.events().await, ["verification_code_issued"]);
    let code = world.code("ada@example.com").await;
    world.verify("ada@example.com", &code).await.unwrap();
}

/// [D-R12] A device is reported once, and the registration's own not at all.
#[sqlx::test(migrations = false)]
async fn a_new_device_is_told_of_once(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    world.forget_events().await;
    world.login("ada@example.com", PASSWORD, "203.0.113.200").await.unwrap();
    assert_eq!(world.events().await, [""; 0], "the same block");
    world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap();
    world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap();
    assert_eq!(world.events().await, ["new_device_signed_in"]);
    let request = LoginRequest {
        email: "ada@example.com".to_owned(),
        password: PASSWORD.to_owned(),
        totp: String::new(),
        client: Some(Client { address: HOME.to_owned(), user_agent: "curl/8".to_owned(), device_key: String::new() }),
    };
    world.grpc.login(world.realm.visitor(request)).await.unwrap();
    assert_eq!(world.events().await, ["new_device_signed_in"; 2]);
}

/// [D-S8] [D-A9] Wrong passwords slow an account down, the right one too, until the delay is over; then all is forgotten. A
/// try that is turned away is counted.
#[sqlx::test(migrations = false)]
async fn an_account_is_slowed_but_not_locked(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    for _ in 0..6 {
        assert_eq!(
            world.login("ada@example.com", "wrong horse battery", ABROAD).await.unwrap_err().code,
            "INVALID_CREDENTIALS"
        );
    }
    let delay = "SELECT round(extract(epoch FROM open_at - last_try_at))::bigint FROM login_throttles WHERE key LIKE 'account:%'";
    assert_eq!(world.count(delay).await, 1);
    assert_eq!(world.hold_delays().await, 1);
    let recorder = PrometheusBuilder::new().build_recorder();
    let recording = metrics::set_default_local_recorder(&recorder);
    let slowed = world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap_err();
    drop(recording);
    let counted = r#"security_events_total{kind="sign_in",outcome="throttled",caller="member"} 1"#;
    assert!(recorder.handle().render().contains(counted), "{}", recorder.handle().render());
    assert_eq!((slowed.kind, slowed.code.as_str()), (Kind::RateLimited, "TOO_MANY_REQUESTS"));
    assert!(slowed.retry_after.is_some_and(|delay| delay.as_secs() <= 61));
    // From a place the account knows, its owner has a counter of their own.
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    world
        .run("UPDATE login_throttles SET failures = 1000, open_at = clock_timestamp() WHERE key LIKE 'account:%'")
        .await;
    assert_eq!(
        world.login("ada@example.com", "wrong horse battery", ABROAD).await.unwrap_err().code,
        "INVALID_CREDENTIALS"
    );
    assert_eq!(world.count(delay).await, 30, "the longest");
    world.run("UPDATE login_throttles SET open_at = clock_timestamp()").await;
    world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM login_throttles WHERE key LIKE 'account:%'").await, 0);
}

/// [D-S8] An unknown account is slowed alike, so that the delay reveals nothing.
#[sqlx::test(migrations = false)]
async fn an_unknown_account_is_slowed_alike(pool: PgPool) {
    let world = World::new(pool).await;
    for _ in 0..6 {
        let refused = world.login("nobody@example.com", PASSWORD, ABROAD).await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CREDENTIALS");
    }
    assert_eq!(world.hold_delays().await, 1);
    let slowed = world.login("nobody@example.com", PASSWORD, ABROAD).await.unwrap_err();
    assert_eq!(slowed.code, "TOO_MANY_REQUESTS");
}

/// [D-S8] However many try at once, few are compared.
#[sqlx::test(migrations = false)]
async fn concurrent_tries_count_before_they_are_compared(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let all = join_all((0..50).map(|_| world.login("ada@example.com", "wrong horse battery", ABROAD))).await;
    let compared =
        all.iter().filter(|result| result.as_ref().is_err_and(|refused| refused.code == "INVALID_CREDENTIALS"));
    // Six at once, and one each second or so afterwards.
    assert!(compared.count() <= 9);
    assert!(all.iter().all(Result::is_err));
}

/// [D-S7] [D-S8] While too many passwords wait, further callers are sent away before anything is counted.
#[sqlx::test(migrations = false)]
async fn being_sent_away_is_no_try(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let visitor = |block: usize| Asker::Visitor { block: block.to_string(), address: String::new() };
    let places: Vec<_> = (0..).map_while(|block| world.app.hasher.place(visitor(block)).ok()).collect();
    let counted = world.count("SELECT count(*) FROM login_throttles").await;
    let refused = world.login("ada@example.com", "wrong horse battery", ABROAD).await.unwrap_err();
    assert_eq!(refused.kind, Kind::RateLimited);
    assert!(refused.retry_after.is_some(), "when to come back");
    assert_eq!(world.count("SELECT count(*) FROM login_throttles").await, counted);
    drop(places);
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
}

/// [D-S8] One address that tries many accounts is slowed.
#[sqlx::test(migrations = false)]
async fn an_address_is_slowed_over_many_accounts(pool: PgPool) {
    let world = World::new(pool).await;
    for n in 0..3 {
        let email = format!("nobody{n}@example.com");
        assert_eq!(world.login(&email, PASSWORD, ABROAD).await.unwrap_err().code, "INVALID_CREDENTIALS");
        world.run("UPDATE login_throttles SET failures = failures + 49 WHERE key LIKE 'address:%'").await;
    }
    assert_eq!(world.hold_delays().await, 1);
    assert_eq!(
        world.login("another@example.com", PASSWORD, "198.51.100.200").await.unwrap_err().code,
        "TOO_MANY_REQUESTS"
    );
    assert_eq!(world.login("another@example.com", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
}

/// [D-S8] The failed logins of an address block, which many people may share, decrease by one every 30 seconds. Those of
/// an account do not.
#[sqlx::test(migrations = false)]
async fn the_tries_from_an_address_fade(pool: PgPool) {
    let world = World::new(pool).await;
    let failures = "SELECT failures::bigint FROM login_throttles WHERE key LIKE 'address:%'";
    let failed_login = async || world.login("nobody@example.com", PASSWORD, ABROAD).await.unwrap_err().code;
    failed_login().await;
    world
        .run(
            "UPDATE login_throttles SET failures = 130, open_at = clock_timestamp(),
                faded_at = clock_timestamp() - interval '619 seconds' WHERE key LIKE 'address:%'",
        )
        .await;
    assert_eq!(failed_login().await, "INVALID_CREDENTIALS");
    assert_eq!(world.count(failures).await, 130 - 20 + 1);
    assert_eq!(failed_login().await, "TOO_MANY_REQUESTS", "still more than are free");
    // The 19 s that had passed are not lost.
    let second = "UPDATE login_throttles SET faded_at = faded_at - interval '11 seconds', open_at = clock_timestamp()";
    world.run(second).await;
    assert_eq!(failed_login().await, "INVALID_CREDENTIALS");
    assert_eq!(world.count(failures).await, 130 - 20 + 1 - 1 + 1);
    world
        .run("UPDATE login_throttles SET faded_at = clock_timestamp() - interval '1 hour', open_at = clock_timestamp()")
        .await;
    assert_eq!(failed_login().await, "INVALID_CREDENTIALS");
    assert_eq!(world.count(failures).await, 1);
    let account = "SELECT failures::bigint FROM login_throttles WHERE key LIKE 'account:%'";
    assert_eq!(world.count(account).await, 4);
}

const KEY: &str = "thumbprint-of-the-own-key";

/// With a device key.
async fn login_with_key(world: &World, password: &str, address: &str, key: &str) -> Result<(), String> {
    let request = LoginRequest {
        email: "ada@example.com".to_owned(),
        password: password.to_owned(),
        totp: String::new(),
        client: Some(Client { device_key: key.to_owned(), ..client(address) }),
    };
    let answer = world.grpc.login(world.realm.visitor(request)).await;
    answer.map(drop).map_err(|status| from_status(&status).code)
}

/// [D-S8] [D-R12] While neighbours use up the tries of a block and of the account, the right password lets in from a place
/// that the account knows: by family and block, and by the device key from anywhere.
#[sqlx::test(migrations = false)]
async fn neighbours_never_lock_a_known_place_out(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    login_with_key(&world, PASSWORD, HOME, KEY).await.unwrap();
    world.login("neighbour@example.com", "wrong horse battery", HOME).await.unwrap_err();
    world.login("neighbour@example.com", "wrong horse battery", ABROAD).await.unwrap_err();
    world.login("ada@example.com", "wrong horse battery", ABROAD).await.unwrap_err();
    let close = "UPDATE login_throttles SET failures = 1000, open_at = clock_timestamp() + interval '1 minute'
                 WHERE key LIKE 'address:%' OR key LIKE 'account:%'";
    world.run(close).await;
    let refused = world.login("neighbour@example.com", PASSWORD, HOME).await.unwrap_err();
    assert_eq!(refused.code, "TOO_MANY_REQUESTS");
    for _ in 0..25 {
        world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    }
    for _ in 0..25 {
        login_with_key(&world, PASSWORD, ABROAD, KEY).await.unwrap();
    }
    for (key, address) in [("", ABROAD), ("another-key", HOME), ("another-key", ABROAD)] {
        let refused = login_with_key(&world, PASSWORD, address, key).await;
        assert_eq!(refused, Err("TOO_MANY_REQUESTS".to_owned()), "{key} {address}");
    }
}

/// [D-A13] From the member's own block, with their browser family, the wrong password of a known account is answered as that
/// of an unknown one: so often, and then with the same delays.
#[sqlx::test(migrations = false)]
async fn a_known_place_tells_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let mut answers = Vec::new();
    for email in ["ada@example.com", "nobody@example.com"] {
        let mut codes = Vec::new();
        for _ in 0..12 {
            codes.push(world.login(email, "wrong horse battery", HOME).await.unwrap_err().code);
            world.hold_delays().await;
        }
        world
            .run("UPDATE login_throttles SET failures = 30, open_at = clock_timestamp() WHERE key LIKE 'place:%'")
            .await;
        for _ in 0..2 {
            codes.push(world.login(email, "wrong horse battery", HOME).await.unwrap_err().code);
        }
        answers.push(codes);
        world.run("DELETE FROM login_throttles").await;
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].iter().filter(|code| *code == "INVALID_CREDENTIALS").count(), 6);
}

/// [D-R12] With a device key the key is the device: wherever it is used it is known, and any other device, or none, is reported
/// of, also in the same block and with the same browser.
#[sqlx::test(migrations = false)]
async fn the_key_is_the_device(pool: PgPool) {
    let world = World::new(pool).await;
    let request = RegisterRequest {
        client: Some(Client { device_key: KEY.to_owned(), ..client(HOME) }),
        ..registration("ada@example.com")
    };
    let ada = world.grpc.register(world.realm.visitor(request)).await.unwrap().into_inner();
    let code = world.code("ada@example.com").await;
    world.verify_with("ada@example.com", &code, &ada.verification, "").await.unwrap();
    world.forget_events().await;
    login_with_key(&world, PASSWORD, HOME, KEY).await.unwrap();
    login_with_key(&world, PASSWORD, ABROAD, KEY).await.unwrap();
    assert_eq!(world.events().await, [""; 0]);
    login_with_key(&world, PASSWORD, HOME, "another-key").await.unwrap();
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    assert_eq!(world.events().await, ["new_device_signed_in"; 2]);
    login_with_key(&world, PASSWORD, ABROAD, "another-key").await.unwrap();
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    assert_eq!(world.events().await.len(), 2, "once each");
}
