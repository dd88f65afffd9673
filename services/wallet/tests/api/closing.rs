//! Closing a wallet for good.

use chassis::error::from_status;
use chassis::testing::with_token;
use proto::wallet::v1::closing_service_server::ClosingService;
use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{Member, World, code, deposit, withdrawal};

impl World {
    /// What stands in the way, by its names; nothing if the wallet is closed now.
    async fn close(&self, member: &Member) -> Vec<String> {
        let request = CloseWalletRequest { user_id: member.id.to_string() };
        match self.doors.close_wallet(with_token(request, &self.realm.service_token("auth"))).await {
            Ok(_) => Vec::new(),
            Err(status) => {
                let refusal = from_status(&status);
                assert_eq!(refusal.code, "ACCOUNT_IN_USE", "{status}");
                serde_json::from_value(refusal.facts.unwrap()["matters"].clone()).unwrap()
            }
        }
    }
}

/// [D-A12] A wallet with a balance, a withdrawal, a payment in review or a trade is not closed; an empty one is, once and for
/// all, and nothing is opened in it any more.
#[sqlx::test(migrations = false)]
async fn only_an_empty_wallet_is_closed(pool: PgPool) {
    let world = World::new(pool).await;
    world.allow_transfers().await;
    let member = world.member_with(50_000).await;
    assert_eq!(world.close(&member).await, ["BALANCE"]);
    let out = world.withdraw(&member, withdrawal(50_000)).await.unwrap();
    assert_eq!(world.close(&member).await, ["WITHDRAWAL"]);
    let approved = world.approve(&out).await.unwrap();
    world.pay(&approved).await.unwrap();
    let waiting = world.deposit(&member, deposit(10_000)).await.unwrap();
    assert_eq!(world.close(&member).await, ["PAYMENT"]);
    world.reject(&waiting, "NOT_RECEIVED").await.unwrap();
    assert!(world.close(&member).await.is_empty());
    assert!(world.close(&member).await.is_empty(), "a repetition succeeds");
    assert_eq!(code(world.deposit(&member, deposit(10_000)).await), "ACCOUNT_CLOSED");
    assert_eq!(code(world.withdraw(&member, withdrawal(5_000)).await), "INSUFFICIENT_BALANCE");
    world.assert_books().await;
}

/// [D-A12] A deposit and the closing at the same moment: one of them is refused.
#[sqlx::test(migrations = false)]
async fn a_closing_and_a_deposit_never_both_succeed(pool: PgPool) {
    let world = World::new(pool).await;
    for _ in 0..20 {
        let member = world.member();
        let (closed, deposited) = tokio::join!(world.close(&member), world.deposit(&member, deposit(10_000)));
        assert_eq!(closed.is_empty(), deposited.is_err(), "{closed:?} {deposited:?}");
    }
    let open = "SELECT count(*) FROM transactions JOIN closed_wallets USING (user_id) WHERE status = 'pending'";
    assert_eq!(world.count(open).await, 0);
}

/// [D-A12] Only auth closes wallets.
#[sqlx::test(migrations = false)]
async fn nobody_else_closes_a_wallet(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    for token in [world.realm.service_token("gateway"), member.token.clone()] {
        let request = CloseWalletRequest { user_id: member.id.to_string() };
        assert!(world.doors.close_wallet(with_token(request, &token)).await.is_err());
    }
    assert_eq!(world.count("SELECT count(*) FROM closed_wallets").await, 0);
}
