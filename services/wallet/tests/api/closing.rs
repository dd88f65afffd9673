//! Closing a wallet for good.

use chassis::erasure::Erase;
use chassis::error::from_status;
use chassis::id::MemberId;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::wallet::v1::closing_service_server::ClosingService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use wallet::app::deposit::list_owned_receipts::list_owned_receipts;
use wallet::app::forget_expired::{Destinations, forget_receipts};

use crate::corrections::{confirm, propose};
use crate::fixture::{Member, World, code, deposit, receipt, withdrawal};

impl World {
    /// What stands in the way, by its names; nothing if the wallet is closed now.
    async fn close(&self, member: &Member) -> Vec<String> {
        self.close_with(member, false).await
    }

    async fn close_with(&self, member: &Member, give_up_bonus: bool) -> Vec<String> {
        let request = CloseWalletRequest { user_id: member.id.to_string(), give_up_bonus };
        match self.grpc.close_wallet(with_token(request, &self.realm.service_token("auth"))).await {
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

/// [D-M5] A bonus stays in the way until its member gives it up: then it is the platform's again, once, and the books say why.
#[sqlx::test(migrations = false)]
async fn a_bonus_is_given_up_with_the_account(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(50_000).await, world.realm.staff(Role::Treasurer).1);
    let out = world.withdraw(&member, withdrawal(50_000)).await.unwrap();
    let approved = world.approve(&out).await.unwrap();
    world.pay(&approved).await.unwrap();
    let granted = propose(&world, &member, CorrectionKind::Bonus, 2_500).await.unwrap();
    confirm(&world, &second, &granted).await.unwrap();
    assert_eq!(world.close(&member).await, ["BONUS"]);
    for _ in 0..2 {
        assert!(world.close_with(&member, true).await.is_empty());
    }
    assert_eq!((world.wallet(&member).await.bonus_cents, world.house("bonus_expense").await), (0, 0));
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind = 'bonus_given_up'").await, 1);
    assert_eq!(world.count("SELECT bonus_cents FROM closed_wallets").await, 2_500);
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
        let request = CloseWalletRequest { user_id: member.id.to_string(), give_up_bonus: true };
        assert!(world.grpc.close_wallet(with_token(request, &token)).await.is_err());
    }
    assert_eq!(world.count("SELECT count(*) FROM closed_wallets").await, 0);
}

/// [D-A12] [D-H4] The destinations of a closed wallet are forgotten when auth says so, never before 30 days.
#[sqlx::test(migrations = false)]
async fn destinations_go_with_the_personal_data(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    for one in [&member, &other] {
        world.know(one, "TKNOWNxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "").await;
    }
    // One that became known lately may be taken back, with a trace.
    sqlx::raw_sql(
        "ALTER TABLE destinations DISABLE TRIGGER ALL;
         UPDATE destinations SET known_at = known_at - interval '8 days';
         ALTER TABLE destinations ENABLE TRIGGER ALL",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    assert!(world.close(&member).await.is_empty());
    let mut conn = world.home().db.conn().await.unwrap();
    assert!(Destinations.erase(&mut conn, &[member.id]).await.unwrap_err().to_string().contains("append-only"));
    sqlx::raw_sql(
        "ALTER TABLE closed_wallets DISABLE TRIGGER ALL;
         UPDATE closed_wallets SET closed_at = closed_at - interval '31 days'",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    Destinations.erase(&mut conn, &[member.id]).await.unwrap();
    let left: Vec<MemberId> =
        sqlx::query_scalar("SELECT user_id FROM destinations").fetch_all(&world.pool).await.unwrap();
    assert_eq!(left, [other.id]);
}

/// [D-A12] [D-H4] The receipt of a decided payment has a retention; that of one in review stays.
#[sqlx::test(migrations = false)]
async fn receipts_have_an_end(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let reserve = |key: &str| {
        let reservation = "INSERT INTO receipts (key, user_id, bytes) VALUES ($1, $2, 10)";
        sqlx::query(reservation).bind(key.to_owned()).bind(member.id).execute(&world.pool)
    };
    let mut made = Vec::new();
    for byte in [1, 2] {
        reserve(&format!("receipts/{byte}")).await.unwrap();
        let request = RequestDepositRequest { receipt: receipt(byte), ..deposit(10_000) };
        made.push(world.deposit(&member, request).await.unwrap());
    }
    world.approve(&made[0]).await.unwrap();
    let keys = ["receipts/1".to_owned(), "receipts/2".to_owned()];
    let db = &world.home().db;
    assert_eq!(list_owned_receipts(db, &keys, 1_826).await.unwrap().len(), 2);
    sqlx::raw_sql(
        "ALTER TABLE transactions DISABLE TRIGGER ALL;
         UPDATE transactions SET created_at = created_at - interval '1827 days', decided_at = decided_at - interval '1827 days';
         UPDATE receipts SET reserved_at = reserved_at - interval '1827 days'",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    assert_eq!(list_owned_receipts(db, &keys, 1_826).await.unwrap(), ["receipts/2"]);
    assert_eq!((forget_receipts(db, 1_826).await.unwrap(), forget_receipts(db, 1_826).await.unwrap()), (1, 0));
    assert_eq!(world.count("SELECT count(*) FROM receipts WHERE key = 'receipts/2'").await, 1);
}
