//! Confirming an address.

use chassis::testing::with_token;
use futures::future::join_all;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{CheckSessionRequest, ResetPasswordRequest, VerifyEmailRequest};
use sqlx::PgPool;

use crate::fixture::{HOME, PASSWORD, World, client, said};

/// [API-02] [AUTH-12] The right code confirms the address, once.
#[sqlx::test(migrations = false)]
async fn the_right_code_confirms_the_address(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let code = world.code("ada@example.com").await;
    world.verify("ADA@example.com", &code).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM users WHERE verified_at IS NOT NULL").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE consumed_at IS NOT NULL").await, 1);
    assert_eq!(world.verify("ada@example.com", &code).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-S5] [D-R8] A wrong code, an unknown address, another's code: the same words. A malformed one does not count.
#[sqlx::test(migrations = false)]
async fn a_wrong_code_confirms_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.register("bob@example.com").await;
    let wrong = wrong(&world.code("ada@example.com").await);
    let refused = world.verify("ada@example.com", &wrong).await.unwrap_err();
    assert_eq!(refused.code, "INVALID_CODE");
    assert!(said(&refused, "otp").is_some());
    assert_eq!(world.verify("nobody@example.com", &wrong).await.unwrap_err(), refused);
    let foreign = world.code("bob@example.com").await;
    assert_eq!(world.verify("ada@example.com", &foreign).await.unwrap_err(), refused);
    let malformed = world.verify("ada@example.com", "12345").await.unwrap_err();
    assert_eq!(said(&malformed, "otp"), Some("OTP must be 6 digits"));
    assert_eq!(
        world.count("SELECT max(attempts)::bigint FROM codes").await,
        0,
        "a stranger's submission costs nothing"
    );
    assert_eq!(world.count("SELECT count(*) FROM users WHERE verified_at IS NOT NULL").await, 0);
}

/// [D-S5] [D-A2] S1: of fifty submissions of its owner at once five count, and then even the right one is dead.
#[sqlx::test(migrations = false)]
async fn a_code_has_five_submissions_however_concurrent(pool: PgPool) {
    let world = World::new(pool).await;
    let handle = world.register("ada@example.com").await.verification;
    let code = world.code("ada@example.com").await;
    let wrong = wrong(&code);
    let all = join_all((0..50).map(|_| world.verify_with("ada@example.com", &wrong, &handle, ""))).await;
    assert!(all.into_iter().all(|result| result.unwrap_err().code == "INVALID_CODE"));
    assert_eq!(world.count("SELECT attempts::bigint FROM codes").await, 5);
    assert_eq!(world.verify("ada@example.com", &code).await.unwrap_err().code, "INVALID_CODE");
    assert_eq!(world.count("SELECT count(*) FROM users WHERE verified_at IS NOT NULL").await, 0);
}

/// [D-S5] S1: of fifty right submissions at once one confirms.
#[sqlx::test(migrations = false)]
async fn a_code_confirms_once_however_concurrent(pool: PgPool) {
    let world = World::new(pool).await;
    let handle = world.register("ada@example.com").await.verification;
    let code = world.code("ada@example.com").await;
    let all = join_all((0..50).map(|_| world.verify_with("ada@example.com", &code, &handle, ""))).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 1);
}

/// [D-S5] A code lives ten minutes.
#[sqlx::test(migrations = false)]
async fn a_code_dies_after_ten_minutes(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    assert_eq!(world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM codes").await, 600);
    world.run("UPDATE codes SET expires_at = clock_timestamp()").await;
    let code = world.code("ada@example.com").await;
    assert_eq!(world.verify("ada@example.com", &code).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-A2] C5: anyone who has neither session nor handle never uses up a code, and is slowed down by the email and by their
/// address; the owner confirms with session or handle all the while.
#[sqlx::test(migrations = false)]
async fn a_stranger_cannot_keep_the_owner_from_verifying(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    let code = world.code("ada@example.com").await;
    let wrong = wrong(&code);
    for _ in 0..5 {
        assert_eq!(world.verify("ada@example.com", &wrong).await.unwrap_err().code, "INVALID_CODE");
    }
    world.verify("ada@example.com", &wrong).await.unwrap_err();
    world.hold_delays().await;
    assert_eq!(world.verify("ada@example.com", &wrong).await.unwrap_err().code, "TOO_MANY_REQUESTS");
    assert_eq!(world.verify("ada@example.com", &code).await.unwrap_err().code, "TOO_MANY_REQUESTS");
    for _ in 0..5 {
        world.verify("nobody@example.com", &wrong).await.unwrap_err();
    }
    world.verify("nobody@example.com", &wrong).await.unwrap_err();
    world.hold_delays().await;
    let unknown = world.verify("nobody@example.com", &wrong).await.unwrap_err();
    assert_eq!(unknown.code, "TOO_MANY_REQUESTS", "an unknown address is answered alike");
    world.verify_with("ada@example.com", &code, &ada.verification, "").await.unwrap();
}

/// [D-A2] C5: with a session no handle is needed, and a wrong handle beside it does no harm; a handle that is not ours,
/// or another account's, confirms nothing.
#[sqlx::test(migrations = false)]
async fn a_code_belongs_to_session_or_handle(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    let bob = world.register("bob@example.com").await;
    let code = world.code("ada@example.com").await;
    for handle in ["nonsense", &ada.verification.to_lowercase(), &bob.verification] {
        let refused = world.verify_with("ada@example.com", &code, handle, "").await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE", "{handle}");
    }
    assert!(world.verify_with("ada@example.com", &wrong(&code), "", &bob.token).await.is_err());
    assert_eq!(world.count("SELECT max(attempts)::bigint FROM codes").await, 0);
    world.verify_with("ada@example.com", &code, &bob.verification, &ada.token).await.unwrap();
    let login = world.login("bob@example.com", PASSWORD, HOME).await.unwrap();
    assert_eq!(login.verification, bob.verification);
    let login = world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    assert_eq!(login.verification, "", "a confirmed address waits for no code");
}

/// [D-A2] C5: the code that a stranger has sent belongs to them and to the owner; each has submissions of their own.
#[sqlx::test(migrations = false)]
async fn a_strangers_request_leaves_the_owner_five_submissions(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    world.age_codes(61).await;
    let strangers = world.resend_from("ada@example.com", "", crate::fixture::ABROAD).await;
    let code = world.code("ada@example.com").await;
    for _ in 0..6 {
        let refused = world.verify_with("ada@example.com", &wrong(&code), &strangers, "").await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE");
    }
    let tried = "SELECT request_attempts::bigint * 10 + attempts FROM codes WHERE is_strangers";
    assert_eq!(world.count(tried).await, 50);
    world.hold_delays().await;
    let slowed = world.verify_with("ada@example.com", &code, &strangers, "").await.unwrap_err();
    assert_eq!(slowed.code, "TOO_MANY_REQUESTS", "then as without a handle");
    world.verify_with("ada@example.com", &code, "", &ada.token).await.unwrap();
}

/// [D-A2] Anyone who enters the code of a registration without its session or handle reads the mailbox, and may not be who
/// registered: the address is confirmed, and the account is theirs by a password that they set. The password of the
/// registration and its sessions are dead. A handle of a visitor's own request changes nothing about that.
#[sqlx::test(migrations = false)]
async fn an_account_belongs_to_whoever_reads_the_mailbox(pool: PgPool) {
    let world = World::new(pool).await;
    for (email, with_handle) in [("ada@example.com", false), ("bob@example.com", true)] {
        let stranger = world.register(email).await;
        world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
        let verification = if with_handle { world.resend(email, "").await } else { String::new() };
        let request = VerifyEmailRequest {
            email: email.to_owned(),
            code: world.code(email).await,
            verification,
            client: Some(client(HOME)),
        };
        let answer = world.grpc.verify_email(world.realm.visitor(request)).await.unwrap().into_inner();
        let live = with_token(CheckSessionRequest::default(), &stranger.token);
        assert!(world.grpc.check_session(live).await.is_err(), "the stranger's session");
        assert_eq!(world.login(email, PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
        let password = "staple battery horse".to_owned();
        let (token, confirm_password) = (answer.reset_token, password.clone());
        let reset = ResetPasswordRequest { token, password: password.clone(), confirm_password, client: None };
        world.grpc.reset_password(world.realm.visitor(reset.clone())).await.unwrap();
        assert!(world.grpc.reset_password(world.realm.visitor(reset)).await.is_err(), "once");
        let user = world.login(email, &password, HOME).await.unwrap().user.unwrap();
        assert!(user.is_verified);
    }
}

/// [D-A2] Anyone who registered, or logged in, keeps password and session.
#[sqlx::test(migrations = false)]
async fn the_owner_of_a_session_or_handle_keeps_the_password(pool: PgPool) {
    let world = World::new(pool).await;
    let ada = world.register("ada@example.com").await;
    world.verify_with("ada@example.com", &world.code("ada@example.com").await, &ada.verification, "").await.unwrap();
    let bob = world.register("bob@example.com").await;
    world.verify_with("bob@example.com", &world.code("bob@example.com").await, "", &bob.token).await.unwrap();
    for (email, token) in [("ada@example.com", &ada.token), ("bob@example.com", &bob.token)] {
        assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), token)).await.is_ok());
        world.login(email, PASSWORD, HOME).await.unwrap();
    }
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 0);
}

/// Six digits that are not these.
pub fn wrong(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}
