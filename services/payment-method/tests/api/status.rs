//! What everybody may know of the chains.

use payment_method::app::list_chains::list_chains;
use sqlx::PgPool;

use crate::fixture::World;

/// [D-M7] The view of a chain is fresh for a minute, unless the newest look failed; a chain that was never seen is not.
#[sqlx::test(migrations = false)]
async fn the_view_of_a_chain_is_fresh_for_a_minute(pool: PgPool) {
    let world = World::new(pool).await;
    for sql in [
        "UPDATE chain_cursors SET observed_at = clock_timestamp() - interval '50 seconds' WHERE chain = 'bitcoin'",
        "UPDATE chain_cursors SET observed_at = clock_timestamp(), trouble = 'no answer' WHERE chain = 'tron'",
    ] {
        sqlx::query(sql).execute(&world.pool).await.unwrap();
    }
    let list = async || {
        let chains = list_chains(&world.grpc.db, ["bitcoin", "tron", "ethereum"].into_iter()).await.unwrap();
        chains.into_iter().map(|one| (one.chain, one.observed_at.is_some(), one.is_fresh)).collect::<Vec<_>>()
    };
    assert_eq!(list().await, [("bitcoin", true, true), ("tron", true, false), ("ethereum", false, false)]);
    sqlx::query("UPDATE chain_cursors SET observed_at = observed_at - interval '20 seconds' WHERE chain = 'bitcoin'")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(list().await[0], ("bitcoin", true, false));
}
