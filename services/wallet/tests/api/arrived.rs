//! Deposits of payments that arrived at own addresses before there was a request.

use chassis::testing::with_token;
use futures::future::join_all;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{Member, PLATFORM, PLATFORM_ADDRESS, World, code, deposit, key};

async fn press(world: &World, member: &Member, index: u32, idempotency: &str) -> Result<Transaction, Status> {
    let message =
        DepositArrivedRequest { chain: "tron".into(), txid: "1".repeat(64), index, idempotency: key(idempotency) };
    Ok(world.grpc.deposit_arrived(with_token(message, &member.token)).await?.into_inner().transaction.unwrap())
}

/// [D-N2] [D-N3] One press makes a deposit of what arrived: the exact amount that it was worth then, at the address that was paid, with its
/// hash and without a proof. Pressed several times at once, it is one deposit; the same key gets the same answer.
#[sqlx::test(migrations = false)]
async fn one_press_makes_a_deposit_of_what_arrived(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = press(&world, &member, 0, "first").await.unwrap();
    assert_eq!((made.title.as_str(), made.amount_cents, made.txid.clone()), ("Deposit", 19_500, "1".repeat(64)));
    let method = made.method.clone().unwrap();
    assert_eq!((method.id.as_str(), method.address.as_str()), (PLATFORM, PLATFORM_ADDRESS));
    assert_eq!((made.status(), made.receipt_key.as_str()), (TransactionStatus::Pending, ""));
    assert_eq!(press(&world, &member, 0, "first").await.unwrap().id, made.id);
    let keys = ["a", "b", "c", "d"];
    let answers = join_all(keys.map(|key| press(&world, &member, 0, key))).await;
    assert!(answers.into_iter().all(|answer| code(answer) == "TXID_USED"));
    assert_eq!(world.history(&member).await, [made]);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested"]);
}

/// [D-N2] A payment that an open request is about belongs to that request; one without a value is not guessed at, and what did not
/// arrive at an own address of the member is not found.
#[sqlx::test(migrations = false)]
async fn what_is_requested_already_is_not_made_again(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    assert_eq!(code(press(&world, &member, 1, "no value").await), "RATE_UNAVAILABLE");
    let message = DepositArrivedRequest { chain: "tron".into(), txid: "2".repeat(64), ..Default::default() };
    assert_eq!(code(world.grpc.deposit_arrived(with_token(message, &member.token)).await), "NOT_FOUND");
    let open = world.deposit(&member, deposit(20_000)).await.unwrap();
    assert_eq!(code(press(&world, &member, 0, "open").await), "TXID_USED");
    assert_eq!(world.history(&member).await, [open]);
}
