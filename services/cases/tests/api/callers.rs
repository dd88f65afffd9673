use chassis::testing::assert_callers_are_known;
use sqlx::PgPool;

use crate::fixture::World;

/// [K12] [D-A11] No call is answered without a credential for this service.
#[sqlx::test(migrations = false)]
async fn nobody_calls_without_a_credential(pool: PgPool) {
    let world = World::new(pool).await;
    assert_callers_are_known(world.grpc.clone().routes(), &world.realm, "cases").await;
}
