//! Forgetting what is over.

use auth::app::forget_expired::forget_expired;
use sqlx::PgPool;

use crate::fixture::World;

/// [D-S4] [D-S5] What ended long ago is forgotten, and nothing else.
#[sqlx::test(migrations = false)]
async fn what_is_over_is_forgotten(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.register("bob@example.com").await;
    assert!(world.login("nobody@example.com", "wrong horse battery", "").await.is_err());
    assert_eq!(forget_expired(&world.app).await.unwrap(), 0);
    world
        .run(
            "UPDATE sessions SET idle_until = now() - interval '31 days', expires_at = now() - interval '31 days'
             WHERE user_id = (SELECT id FROM users WHERE email = 'ada@example.com')",
        )
        .await;
    world.run("UPDATE codes SET expires_at = now() - interval '8 days' WHERE email = 'ada@example.com'").await;
    world.run("UPDATE login_throttles SET last_try_at = now() - interval '2 days' WHERE key LIKE 'account:%'").await;
    assert_eq!(forget_expired(&world.app).await.unwrap(), 3);
    assert_eq!(world.count("SELECT count(*) FROM sessions").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM codes").await, 1);
}
