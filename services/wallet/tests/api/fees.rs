//! The fee of a withdrawal paid from outside: an option, never a condition.

use futures::future::join_all;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;

use chassis::testing::with_token;

use crate::fixture::{PLATFORM, World, code, receipt, refusal, withdrawal};

/// [API-10] [D-W4] Once the fee is confirmed the payout is the full amount.
#[sqlx::test(migrations = false)]
async fn a_confirmed_fee_raises_the_payout(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &made).await.unwrap();
    assert_eq!((fee.title.as_str(), fee.amount_cents, fee.related_id.as_str()), ("Fee", 250, made.id.as_str()));
    assert_eq!((fee.status(), fee.direction()), (TransactionStatus::Pending, Direction::Debit));
    assert_eq!(code(world.approve(&made).await), "FEE_PENDING");
    assert_eq!(code(world.pay_fee(&member, &made).await), "FEE_PENDING");
    assert_eq!(code(world.approve_with(&fee, 249, &world.new_txid()).await), "VALIDATION_FAILED");
    world.approve(&fee).await.unwrap();
    let open = world.transaction(&member, &made.id).await.unwrap();
    assert!(open.fee_paid && open.net_amount_cents == Some(10_000) && open.fee_cents == Some(250));
    assert_eq!(code(world.approve(&made).await), "STALE_REVISION");
    assert_eq!(code(world.pay_fee(&member, &open).await), "FEE_ALREADY_PAID");
    let approved = world.approve(&open).await.unwrap();
    world.pay(&approved).await.unwrap();
    assert_eq!((world.house("settlement").await, world.house("fee_revenue").await), (-10_250, 250));
    assert_eq!(world.wallet(&member).await.available_cents, 10_000);
    let events = world.events().await;
    assert!(
        events.contains(&"wallet.v1.fee_requested".to_owned())
            && events.contains(&"wallet.v1.fee_confirmed".to_owned())
    );
    world.assert_books().await;
}

/// [D-W4] Only the fee's amount, only an own withdrawal, only while it is open and not approved.
#[sqlx::test(migrations = false)]
async fn a_fee_belongs_to_an_open_withdrawal(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let wrong = Transaction { fee_cents: Some(251), ..made.clone() };
    assert_eq!(refusal(world.pay_fee(&member, &wrong).await).message, "The fee of this withdrawal is $2.50.");
    let request = PayWithdrawalFeeRequest {
        withdrawal_id: made.id.clone(),
        amount_cents: 250,
        method: PLATFORM.into(),
        receipt: None,
        ..Default::default()
    };
    let no = world.grpc.pay_withdrawal_fee(with_token(request.clone(), &member.token)).await;
    assert_eq!(refusal(no).message, "Please fill in all required fields");
    let request = PayWithdrawalFeeRequest { method: "BTC".into(), receipt: receipt(1), ..request };
    assert_eq!(code(world.grpc.pay_withdrawal_fee(with_token(request, &member.token)).await), "METHOD_UNAVAILABLE");
    let approved = world.approve(&made).await.unwrap();
    assert_eq!(code(world.pay_fee(&member, &approved).await), "ALREADY_DECIDED");
    let paid = world.pay(&approved).await.unwrap();
    assert_eq!(code(world.pay_fee(&member, &paid).await), "ALREADY_DECIDED");
    let deposit = Transaction { id: world.history(&member).await[1].id.clone(), ..made };
    assert_eq!(code(world.pay_fee(&member, &deposit).await), "NOT_FOUND");
}

/// [D-W4] Ten fee payments at once: one waits. A rejected one may be repeated.
#[sqlx::test(migrations = false)]
async fn one_fee_payment_waits(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let results = join_all((0..10).map(|_| world.pay_fee(&member, &made))).await;
    let fees: Vec<_> = results.into_iter().flatten().collect();
    assert_eq!(fees.len(), 1);
    world.reject(&fees[0], "UNREADABLE_RECEIPT").await.unwrap();
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.fee_rejected");
    assert!(world.pay_fee(&member, &made).await.is_ok());
    world.assert_books().await;
}

/// [D-W4] Nobody loses a fee: it comes back with a rejected withdrawal, whichever was decided first.
#[sqlx::test(migrations = false)]
async fn a_fee_comes_back_with_a_rejected_withdrawal(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &made).await.unwrap();
    world.approve(&fee).await.unwrap();
    let open = world.transaction(&member, &made.id).await.unwrap();
    world.reject(&open, "COMPLIANCE").await.unwrap();
    assert_eq!(world.wallet(&member).await.available_cents, 20_250);
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &made).await.unwrap();
    world.reject(&made, "COMPLIANCE").await.unwrap();
    world.approve(&fee).await.unwrap();
    assert_eq!(world.wallet(&member).await.available_cents, 20_500);
    assert_eq!((world.house("fee_revenue").await, world.house("settlement").await), (0, -20_500));
    let credits = world.history(&member).await.into_iter().filter(|one| one.title == "Adjustment");
    assert!(credits.into_iter().all(|one| one.direction() == Direction::Credit && one.amount_cents == 250));
    world.assert_books().await;
}
