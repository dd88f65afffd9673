//! What members owe after a reversal.

use chassis::clock::to_proto;
use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::corrections::{confirm, propose};
use crate::fixture::{Member, World, code, deposit, key, refusal, withdrawal};
use crate::reversals::{balances, reverse};
use crate::trades::{fund, settle};
use crate::treasury::fund_plan;

/// A member who owes this much: it was withdrawn before its deposit was reversed.
async fn owing(world: &World, cents: i64) -> Member {
    let member = world.member_with(cents).await;
    let deposited = world.history(&member).await.remove(0);
    let paid = world.approve(&world.withdraw(&member, withdrawal(cents)).await.unwrap()).await.unwrap();
    world.pay(&paid).await.unwrap();
    reverse(world, &deposited).await;
    assert_eq!(balances(world, &member).await, (0, cents));
    member
}

/// [D-B9] [D-R16] [L4] [L8] What the balance lacks is owed; nothing is withdrawn, invested, bought or approved until it is
/// settled, and no balance falls below zero.
#[sqlx::test(migrations = false)]
async fn who_owes_something_spends_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let deposited = world.history(&member).await.remove(0);
    let older = world.withdraw(&member, withdrawal(20_000)).await.unwrap();
    reverse(&world, &deposited).await;
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents, wallet.owed_cents), (0, 20_000, 20_000));
    let owed = |no: chassis::error::Refusal| assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, "AMOUNT_OWED"));
    owed(refusal(world.approve(&older).await));
    owed(refusal(world.buy_course(&member).await));
    let trade = Uuid::now_v7();
    for _ in 0..2 {
        owed(refusal(fund(&world, &member, trade, 100).await));
    }
    let rejected = world.reject(&older, "COMPLIANCE").await.unwrap();
    assert_eq!(rejected.status(), TransactionStatus::Failed);
    assert_eq!(balances(&world, &member).await, (0, 0));
    let member = owing(&world, 30_000).await;
    for _ in 0..2 {
        let request = RequestWithdrawalRequest { idempotency: key("w"), ..withdrawal(5_000) };
        owed(refusal(world.withdraw(&member, request).await));
    }
    world.deposit_confirmed(&member, 40_000).await;
    // The answer under the key stands.
    let request = RequestWithdrawalRequest { idempotency: key("w"), ..withdrawal(5_000) };
    owed(refusal(world.withdraw(&member, request).await));
    assert_eq!(code(world.withdraw(&member, withdrawal(11_000)).await), "INSUFFICIENT_BALANCE");
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    world.assert_verified().await;
}

/// [D-B9] [L1] [L12] Every credit settles what is owed first, in the posting that makes it: deposit, correction, released
/// bonus, trade with its gain, rejected withdrawal with its fee, late fee, released hold.
#[sqlx::test(migrations = false)]
async fn every_credit_settles_what_is_owed_first(pool: PgPool) {
    let world = World::new(pool).await;
    let second = world.realm.staff(Role::Treasurer).1;
    let member = owing(&world, 100_000).await;
    world.deposit_confirmed(&member, 10_000).await;
    assert_eq!(balances(&world, &member).await, (0, 90_000));
    for (kind, owed) in
        [(CorrectionKind::AdjustmentCredit, 80_000), (CorrectionKind::Bonus, 80_000), (CorrectionKind::Release, 70_000)]
    {
        let proposal = propose(&world, &member, kind, 10_000).await.unwrap();
        confirm(&world, &second, &proposal).await.unwrap();
        assert_eq!(balances(&world, &member).await, (0, owed), "{kind:?}");
    }
    world.deposit_confirmed(&member, 70_001).await;
    assert_eq!(balances(&world, &member).await, (1, 0));
    world.assert_verified().await;

    // Funded and requested before the reversal, paid and rejected after it.
    let member = world.member_with(100_000).await;
    let deposited = world.history(&member).await.remove(0);
    let trade = Uuid::now_v7();
    fund(&world, &member, trade, 30_000).await.unwrap();
    let open = world.withdraw(&member, withdrawal(40_000)).await.unwrap();
    let paid = world.pay_fee(&member, &open).await.unwrap();
    world.approve(&paid).await.unwrap();
    reverse(&world, &deposited).await;
    assert_eq!(balances(&world, &member).await, (0, 70_000));
    fund_plan(&world, 5_000).await;
    settle(&world, &member, trade, 30_000, 35_000).await.unwrap();
    assert_eq!(balances(&world, &member).await, (0, 35_000));
    let open = world.transaction(&member, &open.id).await.unwrap();
    world.reject(&open, "OTHER").await.unwrap();
    assert_eq!(balances(&world, &member).await, (6_000, 0));

    let open = world.withdraw(&member, withdrawal(6_000)).await.unwrap();
    let late = world.pay_fee(&member, &open).await.unwrap();
    let credit = world.deposit(&member, deposit(10_000)).await.unwrap();
    let credit = world.approve(&credit).await.unwrap();
    let approved = world.transaction(&member, &open.id).await.unwrap();
    world.reject(&approved, "OTHER").await.unwrap();
    let free = world.withdraw(&member, withdrawal(16_000)).await.unwrap();
    reverse(&world, &credit).await;
    assert_eq!(balances(&world, &member).await, (0, 10_000));
    world.approve(&late).await.unwrap();
    assert_eq!(balances(&world, &member).await, (0, 9_850));
    world.reject(&free, "OTHER").await.unwrap();
    assert_eq!(balances(&world, &member).await, (6_150, 0));
    world.assert_verified().await;
}

/// [D-B9] [L3] A statement shows what is owed as a balance below zero, and adds up.
#[sqlx::test(migrations = false)]
async fn a_statement_shows_what_is_owed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = owing(&world, 30_000).await;
    let middle = OffsetDateTime::now_utc();
    world.deposit_confirmed(&member, 20_000).await;
    world.deposit_confirmed(&member, 20_000).await;
    let statement = async |from: OffsetDateTime, to: OffsetDateTime| {
        let request = GetStatementRequest { from: Some(to_proto(from)), to: Some(to_proto(to)), page: None };
        world.grpc.get_statement(with_token(request, &member.token)).await.unwrap().into_inner()
    };
    let (hour, now) = (Duration::hours(1), OffsetDateTime::now_utc() + Duration::seconds(1));
    let lines = |one: &GetStatementResponse| {
        one.lines.iter().map(|line| (line.title.clone(), line.amount_cents, line.balance_cents)).collect::<Vec<_>>()
    };
    let all = statement(now - hour, now).await;
    let expected = [
        ("Deposit", 30_000, 30_000),
        ("Withdrawal", -30_000, 0),
        ("Adjustment", -30_000, -30_000),
        ("Deposit", 20_000, -10_000),
        ("Deposit", 20_000, 10_000),
    ];
    assert_eq!(lines(&all), expected.map(|(title, amount, balance)| (title.to_owned(), amount, balance)));
    assert_eq!((all.opening_balance_cents, all.closing_balance_cents), (0, 10_000));
    assert_eq!(statement(middle, now).await.opening_balance_cents, -30_000);
}

/// [D-N9] While the member owes something, no payout is leased or marked as paid, and the checklist says what is owed and on hold.
/// What was leased before may have been sent, and can be marked as paid.
#[sqlx::test(migrations = false)]
async fn nothing_is_leased_while_the_member_owes(pool: PgPool) {
    let world = World::new(pool).await;
    for is_leased in [false, true] {
        let member = world.member_with(90_000).await;
        let deposited = world.history(&member).await.remove(0);
        let requested = world.withdraw(&member, withdrawal(90_000)).await.unwrap();
        let mut approved = world.approve(&requested).await.unwrap();
        if is_leased {
            approved = world.lease_as(&world.treasurer, &approved).await.unwrap();
        }
        reverse(&world, &deposited).await;
        let checks = world.review(&approved.id).await.checks;
        let debts = checks.iter().find(|check| check.name == "member_debts").unwrap();
        assert!(!debts.ok && debts.detail.contains("$900.00"), "{}", debts.detail);
        let txid = world.new_txid();
        assert_eq!(code(world.lease_as(&world.treasurer, &approved).await), "AMOUNT_OWED");
        let paid = world.pay_as(&world.treasurer, &approved, (&txid, None)).await;
        if is_leased {
            assert_eq!(paid.unwrap().status(), TransactionStatus::Success);
        } else {
            assert_eq!(code(paid), "AMOUNT_OWED");
        }
    }
}

/// [D-N9] A fee that did not arrive after all becomes a debt of its member, no matter what became of the withdrawal.
#[sqlx::test(migrations = false)]
async fn a_fee_payment_is_reversed_into_a_debt(pool: PgPool) {
    let world = World::new(pool).await;
    for is_rejected in [false, true] {
        let member = world.member_with(10_000).await;
        let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
        let fee = world.pay_fee(&member, &out).await.unwrap();
        world.approve(&fee).await.unwrap();
        let open = world.transaction(&member, &out.id).await.unwrap();
        if is_rejected {
            world.reject(&open, "OTHER").await.unwrap();
        }
        assert!(world.review(&fee.id).await.reversible);
        reverse(&world, &fee).await;
        let expected = if is_rejected { (10_000, 0) } else { (0, 250) };
        assert_eq!(balances(&world, &member).await, expected);
    }
    let freed = "SELECT count(*) FROM consumed_payments WHERE freed_at IS NOT NULL";
    assert_eq!(world.count(freed).await, 2);
    world.assert_verified().await;
}
