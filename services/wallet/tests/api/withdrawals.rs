//! Withdrawals: held, limited to one, approved, paid, rejected, raced for.

use futures::future::join_all;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;

use chassis::testing::with_token;

use crate::fixture::{Member, PERSONAL, PLATFORM_ADDRESS, World, code, refusal, withdrawal};

/// [API-09] [D-W2] [D-W3] [L6] [L12] The gross amount is held at once; fee and net are shown.
#[sqlx::test(migrations = false)]
async fn a_withdrawal_holds_the_gross_amount(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let made = world.withdraw(&member, withdrawal(5_020)).await.unwrap();
    assert_eq!((made.amount_cents, made.fee_cents, made.net_amount_cents), (5_020, Some(126), Some(4_894)));
    assert_eq!((made.status(), made.direction()), (TransactionStatus::Pending, Direction::Debit));
    assert_eq!(made.title, "Withdrawal");
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents, wallet.is_withdrawal_pending), (44_980, 5_020, true));
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.withdrawal_requested");
    world.assert_books().await;
}

/// [D-W3] [D-W7] [WDR-04] Another is refused, too much is refused, with the exact words.
#[sqlx::test(migrations = false)]
async fn refusals_have_the_exact_words(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(10_000).await;
    let no = refusal(world.withdraw(&member, withdrawal(10_001)).await);
    assert_eq!((no.code.as_str(), no.message.as_str()), ("INSUFFICIENT_BALANCE", "Insufficient balance"));
    assert_eq!(no.kind, chassis::error::Kind::Invalid);
    for cents in [4_999, 5_000_001, 0, -5_000] {
        assert_eq!(code(world.withdraw(&member, withdrawal(cents)).await), "VALIDATION_FAILED");
    }
    world.withdraw(&member, withdrawal(5_000)).await.unwrap();
    let no = refusal(world.withdraw(&member, withdrawal(5_000)).await);
    assert_eq!((no.code.as_str(), no.message.as_str()), ("WITHDRAWAL_PENDING", "Withdrawal pending already"));
    world.assert_books().await;
}

/// [D-W3] [D-W7] Fifty at once: one is held, never more than the balance allows.
#[sqlx::test(migrations = false)]
async fn fifty_withdrawals_at_once_hold_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let results = join_all((0..50).map(|_| world.withdraw(&member, withdrawal(10_000)))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents), (10_000, 10_000));
    world.assert_books().await;
}

/// [D-W1] [D-W6] [D-R5] [WDR-03] The address is checked, taken from the saved method, or named later.
#[sqlx::test(migrations = false)]
async fn the_destination_is_typed_saved_or_named_later(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let with = |address: &str| RequestWithdrawalRequest { address: address.into(), ..withdrawal(5_000) };
    for bad in ["short", &"x".repeat(513)] {
        let no = refusal(world.withdraw(&member, with(bad)).await);
        assert_eq!(no.fields, [("address".to_owned(), "Please enter a valid wallet address".to_owned())]);
    }
    assert_eq!(code(world.withdraw(&member, with(PLATFORM_ADDRESS)).await), "VALIDATION_FAILED");
    let unknown = RequestWithdrawalRequest { method: "nothing".into(), ..withdrawal(5_000) };
    assert_eq!(code(world.withdraw(&member, unknown).await), "METHOD_UNAVAILABLE");
    let saved = RequestWithdrawalRequest { method: PERSONAL.into(), ..with("") };
    let made = world.withdraw(&member, saved).await.unwrap();
    assert!(!made.needs_destination && made.destination.as_ref().unwrap().address.starts_with("TSAVED"));
    world.reject(&made, "MEMBER_REQUEST").await.unwrap();
    let made = world.withdraw(&member, with("  ")).await.unwrap();
    assert!(made.needs_destination && made.destination.is_none());
}

async fn set_destination(world: &World, member: &Member, id: &str, address: &str) -> Result<Transaction, Status> {
    let request = SetDestinationRequest { transaction_id: id.into(), address: address.into(), memo: "tag".into() };
    let answer = world.grpc.set_destination(with_token(request, &member.token)).await?;
    Ok(answer.into_inner().transaction.unwrap())
}

/// [D-W1] [D-R14] A missing destination blocks the approval and is named once.
#[sqlx::test(migrations = false)]
async fn a_destination_is_named_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let without = RequestWithdrawalRequest { address: String::new(), ..withdrawal(5_000) };
    let made = world.withdraw(&member, without).await.unwrap();
    assert_eq!(code(world.approve(&made).await), "DESTINATION_MISSING");
    assert_eq!(code(set_destination(&world, &member, &made.id, "short").await), "VALIDATION_FAILED");
    assert_eq!(code(set_destination(&world, &member, &made.id, PLATFORM_ADDRESS).await), "VALIDATION_FAILED");
    let results = join_all((0..10).map(|n| {
        let (world, member, made) = (&world, &member, &made);
        async move { set_destination(world, member, &made.id, &format!("TDESTINATION{n}xxxxxxxxxxxxxxxxxx")).await }
    }))
    .await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let seen = world.transaction(&member, &made.id).await.unwrap();
    assert!(!seen.needs_destination && seen.revision == 2 && seen.destination.as_ref().unwrap().memo == "tag");
    assert_eq!(
        code(set_destination(&world, &member, &made.id, "TOTHERxxxxxxxxxxxxxx").await),
        "DESTINATION_ALREADY_SET"
    );
    let rejected = world.reject(&seen, "COMPLIANCE").await.unwrap();
    assert_eq!(code(set_destination(&world, &member, &rejected.id, "TOTHERxxxxxxxxxxxxxx").await), "ALREADY_DECIDED");
}

/// [D-W5] [D-W2] Approved, then paid: the net leaves what the platform holds, the fee is earned.
#[sqlx::test(migrations = false)]
async fn an_approved_withdrawal_is_paid_net_of_its_fee(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(200_000).await;
    let made = world.withdraw(&member, withdrawal(100_000)).await.unwrap();
    assert_eq!(code(world.pay(&made).await), "NOT_APPROVED");
    let approved = world.approve(&made).await.unwrap();
    assert!(approved.approved && approved.status() == TransactionStatus::Pending);
    assert_eq!(code(world.approve(&approved).await), "ALREADY_DECIDED");
    assert!(!world.review(&made.id).await.approved_by.is_empty());
    let results = join_all((0..10).map(|_| world.pay(&approved))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents, wallet.is_withdrawal_pending), (100_000, 0, false));
    assert_eq!((world.house("settlement").await, world.house("fee_revenue").await), (-102_500, 2_500));
    let events = world.events().await;
    assert_eq!(events[events.len() - 2..], ["wallet.v1.withdrawal_approved", "wallet.v1.withdrawal_paid"]);
    world.assert_books().await;
    let paid = world.transaction(&member, &made.id).await.unwrap();
    assert_eq!(code(world.reject(&paid, "OTHER").await), "ALREADY_DECIDED");
    assert!(world.withdraw(&member, withdrawal(5_000)).await.is_ok());
}

/// [D-W5] A payout's hash counts once.
#[sqlx::test(migrations = false)]
async fn a_payout_hash_counts_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.member_with(20_000).await, world.member_with(20_000).await);
    for (member, ok) in [(&one, true), (&two, false)] {
        let made = world.withdraw(member, withdrawal(10_000)).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        let result = world.pay_with(&approved, &format!("0x{}", "cd".repeat(32))).await;
        assert_eq!(result.is_ok(), ok);
        if !ok {
            assert_eq!(code(result), "TXID_USED");
        }
    }
    world.assert_books().await;
}

/// [D-W5] [D-R3] A rejected withdrawal gives the hold back, also after its approval, and is over.
#[sqlx::test(migrations = false)]
async fn a_rejected_withdrawal_gives_the_hold_back(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    assert_eq!(code(world.reject(&approved, "NOT_RECEIVED").await), "VALIDATION_FAILED");
    // Anyone who sends the payout knows whether it is on its way: no reviewer ends it any more.
    let request = RejectTransactionRequest {
        id: approved.id.clone(),
        revision: approved.revision,
        reason_code: "PAYOUT_FAILED".to_owned(),
        ..Default::default()
    };
    let refused = world.grpc.reject_transaction(with_token(request, &world.reviewer)).await;
    assert_eq!(code(refused), "PERMISSION_DENIED");
    let rejected = world.reject(&approved, "PAYOUT_FAILED").await.unwrap();
    assert_eq!(rejected.description, "The payout did not go through. The amount is back in your balance.");
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.held_cents, wallet.is_withdrawal_pending), (20_000, 0, false));
    assert_eq!(code(world.pay(&rejected).await), "ALREADY_DECIDED");
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.withdrawal_rejected");
    world.assert_books().await;
}

/// [D-W5] Paid and rejected at once: one of them.
#[sqlx::test(migrations = false)]
async fn paid_or_rejected_never_both(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let txid = world.new_txid();
    let paying = world.pay_as(&world.treasurer, &approved, (&txid, None));
    let (paid, rejected) = tokio::join!(paying, world.reject(&approved, "OTHER"));
    assert!(paid.is_ok() != rejected.is_ok());
    world.assert_books().await;
}

/// [D-B4] A3: what was approved is what is paid: amount, net, network, address and memo are frozen, recorded in the audit
/// log, and compared when it is paid.
#[sqlx::test(migrations = false)]
async fn an_approved_payout_cannot_be_diverted(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&open).await.unwrap();
    for change in [
        "destination_address = 'TELSEWHERExxxxxxxxxxxxxxxxxxxxxxxx'",
        "destination_memo = 'other'",
        "network = 'ERC20'",
        "amount_cents = amount_cents + 1, net_amount_cents = net_amount_cents + 1",
        "fee_paid = true, net_amount_cents = amount_cents",
        "approved_by = NULL, approved_at = NULL",
        "kind = 'deposit'",
    ] {
        let statement = format!("UPDATE transactions SET {change} WHERE kind = 'withdrawal'");
        let refused = sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&world.pool).await.unwrap_err();
        assert!(refused.to_string().contains("is approved"), "{change}: {refused}");
    }
    let recorded = world
        .count(
            "SELECT count(*) FROM audit_rows JOIN transactions ON transactions.id::text = subject_id
             WHERE action = 'withdrawal.approve' AND after->'payout' = jsonb_build_object('netAmountCents',
                net_amount_cents, 'network', network, 'address', destination_address, 'memo', destination_memo)",
        )
        .await;
    assert_eq!(recorded, 1);

    // Anyone who owns the schema can switch the trigger off; the payout is compared with the audit log too.
    sqlx::query("ALTER TABLE transactions DISABLE TRIGGER transactions_paid_as_approved")
        .execute(&world.pool)
        .await
        .unwrap();
    let divert =
        "UPDATE transactions SET destination_address = 'TELSEWHERExxxxxxxxxxxxxxxxxxxxxxxx' WHERE kind = 'withdrawal'";
    sqlx::query(divert).execute(&world.pool).await.unwrap();
    assert_eq!(code(world.pay(&approved).await), "NOT_APPROVED");
    let back =
        "UPDATE transactions SET destination_address = 'TDESTINATIONxxxxxxxxxxxxxxxxxxxxxx' WHERE kind = 'withdrawal'";
    sqlx::query(back).execute(&world.pool).await.unwrap();
    world.pay(&approved).await.unwrap();
}
