//! What a member's own download has.

use cases::store::member_data::MemberTables;
use chassis::identity::Role;
use chassis::member_data::MemberData;
use chassis::testing::with_token;
use proto::common::v1::ListMemberDataRequest;
use proto::common::v1::member_data_service_server::MemberDataService;
use serde_json::Value;
use sqlx::PgPool;

use crate::fixture::World;

/// [D-A12] [S3] A member gets their own cases with the answers, without the names of staff, and no other's.
#[sqlx::test(migrations = false)]
async fn a_member_gets_their_own_cases(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other, staff) = (world.member(), world.member(), world.staff(Role::Reviewer));
    let case = world.open(&member, "Mine").await.unwrap();
    world.open(&other, "Theirs").await.unwrap();
    world.answer(&staff, &case, 1).await.unwrap();
    let data = MemberData::<MemberTables>::new(world.grpc.db.clone(), world.grpc.verifier.clone());
    let page = async |cursor: &str| {
        let request = with_token(ListMemberDataRequest { cursor: cursor.to_owned() }, &member.token);
        data.list_member_data(request).await.unwrap().into_inner()
    };
    let cases = page("").await;
    assert_eq!((cases.table.as_str(), cases.rows_json.len()), ("cases", 1));
    let messages = page(&cases.next_cursor).await;
    let rows: Vec<Value> = messages.rows_json.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    let texts: Vec<_> = rows.iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Mine", "It is on its way."]);
    assert!(!messages.rows_json.concat().contains(&staff.id.to_string()));
}
