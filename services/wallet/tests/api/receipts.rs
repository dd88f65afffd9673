//! Receipts: room and keys claimed before a file is stored, and which files have an owner.

use chassis::testing::with_token;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{Idempotency, ListOwnedFilesRequest};
use proto::wallet::v1::receipt_service_server::ReceiptService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{Member, World, code, deposit, key};

const MIB: i64 = 1024 * 1024;

async fn reserve(
    world: &World,
    member: &Member,
    (name, bytes): (&str, i64),
    idempotency: Option<Idempotency>,
) -> Result<ReserveReceiptResponse, Status> {
    let request = ReserveReceiptRequest { key: name.to_owned(), bytes, idempotency };
    Ok(world.grpc.reserve_receipt(with_token(request, &member.token)).await?.into_inner())
}

pub async fn owned(world: &World, keys: &[&str]) -> Vec<String> {
    let request = ListOwnedFilesRequest { keys: keys.iter().map(|&key| key.to_owned()).collect() };
    let credential = world.realm.service_token("gateway");
    let mut keys = world.grpc.list_owned_files(with_token(request, &credential)).await.unwrap().into_inner().keys;
    keys.sort_unstable();
    keys
}

fn paid_with(name: &str, idempotency: Option<Idempotency>) -> RequestDepositRequest {
    let mut request = RequestDepositRequest { idempotency, ..deposit(10_000) };
    request.receipt.as_mut().unwrap().key = name.to_owned();
    request
}

/// [D-V3] [C14] A payment stores one file however often it is sent: repetitions get the key of the first one, and no key
/// once the payment is recorded.
#[sqlx::test(migrations = false)]
async fn a_payment_stores_one_file(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let first = reserve(&world, &member, ("receipts/a.png", 10), key("k")).await.unwrap();
    let again = reserve(&world, &member, ("receipts/b.png", 10), key("k")).await.unwrap();
    assert_eq!((first.key.as_str(), again.key.as_str()), ("receipts/a.png", "receipts/a.png"));
    let other = reserve(&world, &member, ("receipts/c.png", 10), None).await.unwrap();
    assert_eq!(other.key, "receipts/c.png");
    // A payment that was sent with other fields after a mistake is another file's.
    let corrected = key("k").map(|key| Idempotency { fingerprint: vec![2], ..key });
    assert_eq!(
        reserve(&world, &member, ("receipts/d.png", 10), corrected.clone()).await.unwrap().key,
        "receipts/d.png"
    );
    world.deposit(&member, paid_with("receipts/a.png", key("k"))).await.unwrap();
    let late = reserve(&world, &member, ("receipts/e.png", 10), key("k")).await.unwrap();
    assert!(late.answered && late.key.is_empty());
    assert_eq!(code(reserve(&world, &member, ("receipts/f.png", 10), corrected).await), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(world.count("SELECT count(*) FROM receipts WHERE transaction_id IS NOT NULL").await, 1);
}

/// [D-V3] A member keeps at most 200 MiB of receipts; another member is not concerned.
#[sqlx::test(migrations = false)]
async fn receipts_have_limited_room(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    reserve(&world, &member, ("receipts/a.png", 196 * MIB), None).await.unwrap();
    world.deposit(&member, paid_with("receipts/a.png", None)).await.unwrap();
    assert_eq!(code(reserve(&world, &member, ("receipts/b.png", 5 * MIB), None).await), "RECEIPTS_FULL");
    reserve(&world, &member, ("receipts/b.png", 4 * MIB), None).await.unwrap();
    assert_eq!(code(reserve(&world, &member, ("receipts/c.png", 1), None).await), "RECEIPTS_FULL");
    reserve(&world, &world.member(), ("receipts/c.png", 5 * MIB), None).await.unwrap();
    // What nothing came of is no longer counted after some minutes.
    sqlx::query("UPDATE receipts SET reserved_at = clock_timestamp() - interval '11 minutes'")
        .execute(&world.pool)
        .await
        .unwrap();
    reserve(&world, &member, ("receipts/d.png", 4 * MIB), None).await.unwrap();
    assert_eq!(code(reserve(&world, &member, ("receipts/e.png", 0), None).await), "VALIDATION_FAILED");
}

/// [D-V3] A file has an owner once a payment names it, and while it is being stored; only the gateway may ask.
#[sqlx::test(migrations = false)]
async fn files_of_payments_have_an_owner(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let all = ["receipts/a.png", "receipts/b.png", "receipts/none.png"];
    // As the version before stores them: without a reservation.
    world.deposit(&member, paid_with("receipts/a.png", None)).await.unwrap();
    reserve(&world, &member, ("receipts/b.png", 10), None).await.unwrap();
    assert_eq!(owned(&world, &all).await, ["receipts/a.png", "receipts/b.png"]);
    sqlx::query("UPDATE receipts SET reserved_at = clock_timestamp() - interval '31 minutes'")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(owned(&world, &all).await, ["receipts/a.png"]);
    let request = || ListOwnedFilesRequest { keys: Vec::new() };
    for token in [world.realm.service_token("trade"), member.token.clone()] {
        assert_eq!(code(world.grpc.list_owned_files(with_token(request(), &token)).await), "PERMISSION_DENIED");
    }
}
