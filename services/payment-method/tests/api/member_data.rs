//! The member's own download.

use chassis::erasure::Erase;
use chassis::error::Kind;
use chassis::identity::{Role, Session};
use chassis::member_data::MemberData;
use chassis::testing::{session, with_token};
use payment_method::app::erase_members::MethodsAndQuotes;
use payment_method::store::member_data::MemberTables;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::{DeletePaymentMethodRequest, UpdatePaymentMethodRequest};
use serde_json::Value;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{EVM, EVM_2, TRON, World, fields, refused};
use crate::quotes::{self, expire_quotes, payout, rates};

pub async fn page(world: &World, token: &str, cursor: &str) -> Result<ListMemberDataResponse, Status> {
    let message = ListMemberDataRequest { cursor: cursor.to_owned() };
    Ok(MemberData::<MemberTables>::new(world.grpc.db.clone(), world.grpc.verifier.clone())
        .list_member_data(with_token(message, token))
        .await?
        .into_inner())
}

/// [D-A12] [S3] The download has every version of the member's own methods, also of deleted ones, and of nobody else's.
#[sqlx::test(migrations = false)]
async fn a_download_has_all_versions_of_the_own_methods(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, token), (_, other)) = (world.member(), world.member());
    world.platform("USDT", "TRC20", TRON).await;
    world.create(&other, fields("USDC", "ERC20", EVM)).await.unwrap();
    let id = world.create(&token, fields("USDT", "ERC20", EVM)).await.unwrap().id;
    let change =
        UpdatePaymentMethodRequest { id: id.clone(), fields: Some(fields("USDT", "ERC20", EVM_2)), keep_image: false };
    world.grpc.update_payment_method(with_token(change, &token)).await.unwrap();
    world.grpc.delete_payment_method(with_token(DeletePaymentMethodRequest { id }, &token)).await.unwrap();
    let told = page(&world, &token, "").await.unwrap();
    assert_eq!((told.table.as_str(), told.next_cursor.as_str()), ("payment_methods", "quotes/"));
    let rows: Vec<Value> = told.rows_json.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    let addresses: Vec<_> = rows.iter().map(|row| row["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, [EVM, EVM_2]);
    assert!(rows.iter().all(|row| row["deletedAt"].is_string() && row["currency"] == "USDT"));
    assert_eq!(refused(page(&world, &token, "nonsense").await).kind, Kind::Invalid);
}

/// [D-A12] [D-A3] The download takes a fresh second factor of members who have one. Frozen members get their data, too;
/// unverified ones and staff do not.
#[sqlx::test(migrations = false)]
async fn a_download_takes_a_fresh_factor(pool: PgPool) {
    let world = World::new(pool).await;
    let stale = Session { has_factor: true, ..session(None) };
    let fresh = Session { id: Uuid::new_v4().into(), stepped_up: true, ..stale.clone() };
    let frozen = Session { frozen: true, ..session(None) };
    let unverified = Session { verified: false, ..session(None) };
    for (session, refusal) in [
        (stale, Some("STEP_UP_REQUIRED")),
        (fresh, None),
        (frozen, None),
        (unverified, Some("EMAIL_NOT_VERIFIED")),
        (session(Some(Role::Admin)), Some("PERMISSION_DENIED")),
    ] {
        let answer = page(&world, &world.realm.sign_in(session), "").await;
        let code = answer.err().map(|status| chassis::error::from_status(&status).code);
        assert_eq!(code.as_deref(), refusal);
    }
}

/// [D-A12] The saved methods of a member are forgotten with every version, after the account was closed long ago, and their
/// quotes, some of which are for these methods; those of others and of the platform stay, and no platform method can be deleted.
#[sqlx::test(migrations = false)]
async fn saved_methods_and_quotes_go_with_the_personal_data(pool: PgPool) {
    let world = World::new(pool).await;
    let ((member, token), (_, other)) = (world.member(), world.member());
    world.platform("USDT", "TRC20", TRON).await;
    world.create(&other, fields("USDC", "ERC20", EVM)).await.unwrap();
    let id = world.create(&token, fields("USDT", "ERC20", EVM)).await.unwrap().id;
    rates(&world, "USDT", 1_000_000, 1_000_000).await;
    quotes::create(&world, payout(member, &id)).await.unwrap();
    let change = UpdatePaymentMethodRequest { id, fields: Some(fields("USDT", "ERC20", EVM_2)), keep_image: false };
    world.grpc.update_payment_method(with_token(change, &token)).await.unwrap();
    expire_quotes(&world, "2 days").await;
    let mut tx = world.grpc.db.begin().await.unwrap();
    MethodsAndQuotes.erase(&mut tx, &[member]).await.unwrap();
    MethodsAndQuotes.erase(&mut tx, &[member]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.list(&token).await.len(), 1, "the platform's");
    assert_eq!(world.list(&other).await.len(), 2);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM method_versions").fetch_one(&world.pool).await.unwrap();
    assert_eq!(left, 2);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM quotes").fetch_one(&world.pool).await.unwrap();
    assert_eq!(left, 0);
    for platform in
        ["DELETE FROM method_versions WHERE scope = 'platform'", "DELETE FROM methods WHERE scope = 'platform'"]
    {
        assert!(sqlx::query(platform).execute(&world.pool).await.unwrap_err().to_string().contains("stay"));
    }
}
