//! What a member's own download has.

use chassis::erasure::Erase;
use chassis::member_data::MemberData;
use chassis::testing::with_token;
use course::app::erase_members::MemberRecords;
use course::store::member_data::MemberTables;
use proto::common::v1::ListMemberDataRequest;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::course::v1::PutProgressRequest;
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{SOLD, World};

/// [D-A12] [S3] A member gets their own progress and no other's.
#[sqlx::test(migrations = false)]
async fn a_member_gets_their_own_progress(pool: PgPool) {
    let world = World::new(pool).await;
    let (buyer, other) = (world.buyer(), world.buyer());
    for (member, position_seconds) in [(&buyer, 1), (&other, 2)] {
        let lesson_id = SOLD.to_owned();
        let report = PutProgressRequest { lesson_id, position_seconds, ..Default::default() };
        world.put(member, report).await.unwrap();
    }
    let request = with_token(ListMemberDataRequest { cursor: String::new() }, &buyer.token);
    let page = MemberData::<MemberTables>::new(world.grpc.db.clone(), world.grpc.verifier.clone())
        .list_member_data(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!((page.table.as_str(), page.rows_json.len()), ("progress", 1));
    let row: Value = serde_json::from_str(&page.rows_json[0]).unwrap();
    assert_eq!((&row["lessonId"], &row["positionSeconds"]), (&SOLD.into(), &1.into()));
}

/// [D-A12] The progress of a member goes with the rest of their personal data, and that of others stays.
#[sqlx::test(migrations = false)]
async fn progress_goes_with_the_personal_data(pool: PgPool) {
    let world = World::new(pool).await;
    let (buyer, other) = (world.buyer(), world.buyer());
    for member in [&buyer, &other] {
        let report = PutProgressRequest { lesson_id: SOLD.to_owned(), done: Some(true), ..Default::default() };
        world.put(member, report).await.unwrap();
    }
    let mut tx = world.db.begin().await.unwrap();
    MemberRecords.erase(&mut tx, &[buyer.id.into()]).await.unwrap();
    MemberRecords.erase(&mut tx, &[buyer.id.into()]).await.unwrap();
    tx.commit().await.unwrap();
    let left: Vec<Uuid> = sqlx::query_scalar("SELECT user_id FROM progress").fetch_all(&world.pool).await.unwrap();
    assert_eq!(left, [other.id]);
}
