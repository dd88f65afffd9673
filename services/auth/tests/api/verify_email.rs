//! Confirming an address.

use futures::future::join_all;
use sqlx::PgPool;

use crate::fixture::{World, said};

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
    assert_eq!(world.count("SELECT max(attempts)::bigint FROM codes").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM users WHERE verified_at IS NOT NULL").await, 0);
}

/// [D-S5] S1: of fifty submissions at once five count, and then even the right one is dead.
#[sqlx::test(migrations = false)]
async fn a_code_has_five_submissions_however_concurrent(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let code = world.code("ada@example.com").await;
    let wrong = wrong(&code);
    let all = join_all((0..50).map(|_| world.verify("ada@example.com", &wrong))).await;
    assert!(all.into_iter().all(|result| result.unwrap_err().code == "INVALID_CODE"));
    assert_eq!(world.count("SELECT attempts::bigint FROM codes").await, 5);
    assert_eq!(world.verify("ada@example.com", &code).await.unwrap_err().code, "INVALID_CODE");
    assert_eq!(world.count("SELECT count(*) FROM users WHERE verified_at IS NOT NULL").await, 0);
}

/// [D-S5] S1: of fifty right submissions at once one confirms.
#[sqlx::test(migrations = false)]
async fn a_code_confirms_once_however_concurrent(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let code = world.code("ada@example.com").await;
    let all = join_all((0..50).map(|_| world.verify("ada@example.com", &code))).await;
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

/// Six digits that are not these.
pub fn wrong(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}
