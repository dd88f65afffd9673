//! Credits that are taken back, what members owe since then, and how it is settled.

use chassis::clock::to_proto;
use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{Proposal, ProposalStatus};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use uuid::Uuid;

use crate::corrections::{confirm, propose};
use crate::fixture::{Member, World, code, course_payment, deposit, key, refusal, withdrawal};
use crate::trades::{fund, settle};
use crate::treasury::fund_plan;

async fn propose_by(world: &World, token: &str, one: &Transaction) -> Result<Proposal, Status> {
    let request =
        ProposeReversalRequest { transaction_id: one.id.clone(), note: "charged back".into(), ..Default::default() };
    Ok(world.grpc.propose_reversal(with_token(request, token)).await?.into_inner().proposal.unwrap())
}

/// A reviewer proposes, a treasurer confirms.
pub async fn reverse(world: &World, one: &Transaction) {
    let proposal = propose_by(world, &world.reviewer, one).await.unwrap();
    confirm(world, &world.treasurer, &proposal).await.unwrap();
}

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

/// What is free, and what is owed.
async fn balances(world: &World, member: &Member) -> (i64, i64) {
    let wallet = world.wallet(member).await;
    (wallet.available_cents, wallet.owed_cents)
}

/// [D-B9] [D-R16] A reversal takes a deposit back once, names its posting, and is a line of its own; the house holds less.
#[sqlx::test(migrations = false)]
async fn a_deposit_is_reversed_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let deposited = world.history(&member).await.remove(0);
    let review = world.review(&deposited.id).await;
    assert!(review.reversible && review.reversed_by.is_empty());
    let (first, second) = (
        propose_by(&world, &world.reviewer, &deposited).await.unwrap(),
        propose_by(&world, &world.treasurer, &deposited).await.unwrap(),
    );
    assert_eq!((first.kind.as_str(), first.status()), ("reversal", ProposalStatus::Open));
    assert_eq!(first.permission, "correctBalances");
    assert_eq!(balances(&world, &member).await, (50_000, 0));
    assert_eq!(code(confirm(&world, &world.reviewer, &first).await), "PERMISSION_DENIED");
    assert_eq!(code(confirm(&world, &world.treasurer, &second).await), "SELF_CONFIRMATION");
    confirm(&world, &world.treasurer, &first).await.unwrap();
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(confirm(&world, &other, &second).await), "ALREADY_REVERSED");
    assert_eq!(code(propose_by(&world, &world.reviewer, &deposited).await), "ALREADY_REVERSED");
    assert_eq!(balances(&world, &member).await, (0, 0));
    assert_eq!(world.house("settlement").await, 0);
    let line = world.history(&member).await.remove(0);
    assert_eq!((line.title.as_str(), line.direction(), line.amount_cents), ("Adjustment", Direction::Debit, 50_000));
    assert_eq!(line.related_id, deposited.id);
    let review = world.review(&deposited.id).await;
    assert_eq!((review.reversible, review.reversed_by), (false, line.id.clone()));
    assert!(!world.review(&line.id).await.reversible);
    let named = "SELECT count(*) FROM postings JOIN postings AS reversed ON reversed.id = postings.reverses
        WHERE postings.kind = 'reversal' AND reversed.kind = 'deposit'";
    assert_eq!(world.count(named).await, 1);
    assert!(world.events().await.ends_with(&["wallet.v1.balance_adjusted".to_owned()]));
    let acts: Vec<String> =
        sqlx::query_scalar("SELECT action FROM audit_rows WHERE action LIKE 'reversal%' ORDER BY id")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    assert_eq!(acts, ["reversal.propose", "reversal.propose", "reversal.confirm"]);
    world.assert_verified().await;
}

/// [D-B9] Only what came to a balance from outside, from a correction or from a bonus can be reversed, and with a note.
#[sqlx::test(migrations = false)]
async fn other_transactions_are_not_reversed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let deposited = world.history(&member).await.remove(0);
    let pending = world.deposit(&member, deposit(10_000)).await.unwrap();
    let paid = world.approve(&world.withdraw(&member, withdrawal(10_000)).await.unwrap()).await.unwrap();
    let course = world.buy_course(&member).await.unwrap();
    let trade = Uuid::now_v7();
    fund(&world, &member, trade, 5_000).await.unwrap();
    fund_plan(&world, 1_000).await;
    settle(&world, &member, trade, 5_000, 6_000).await.unwrap();
    let paid = world.pay(&paid).await.unwrap();
    for one in [pending, paid, course].iter().chain(&world.history(&member).await) {
        if one.id != deposited.id {
            let no = refusal(propose_by(&world, &world.reviewer, one).await);
            assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, "NOT_REVERSIBLE"), "{one:?}");
        }
    }
    let unknown = Transaction { id: Uuid::new_v4().to_string(), ..deposited.clone() };
    assert_eq!(code(propose_by(&world, &world.reviewer, &unknown).await), "NOT_FOUND");
    assert_eq!(code(propose_by(&world, &world.realm.staff(Role::Manager).1, &deposited).await), "PERMISSION_DENIED");
    for note in [String::new(), " ".into(), "x".repeat(501)] {
        let request = ProposeReversalRequest { transaction_id: deposited.id.clone(), note, ..Default::default() };
        let no = world.grpc.propose_reversal(with_token(request, &world.reviewer)).await;
        assert_eq!(code(no), "VALIDATION_FAILED");
    }
    assert_eq!(world.count("SELECT count(*) FROM proposals WHERE kind = 'reversal'").await, 0);
    let keyed = ProposeReversalRequest {
        transaction_id: deposited.id.clone(),
        note: "once".into(),
        idempotency: key("one"),
        ..Default::default()
    };
    for _ in 0..2 {
        world.grpc.propose_reversal(with_token(keyed.clone(), &world.reviewer)).await.unwrap();
    }
    assert_eq!(world.count("SELECT count(*) FROM proposals WHERE kind = 'reversal'").await, 1);
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

/// [D-B9] A credit by staff, a released bonus and a late fee are reversed to where they came from.
#[sqlx::test(migrations = false)]
async fn credits_by_staff_are_reversed_to_their_source(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    world.wallet(&member).await;
    for kind in [CorrectionKind::AdjustmentCredit, CorrectionKind::Bonus, CorrectionKind::Release] {
        let proposal = propose(&world, &member, kind, 9_000).await.unwrap();
        confirm(&world, &second, &proposal).await.unwrap();
    }
    world.deposit_confirmed(&member, 10_000).await;
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let late = world.pay_fee(&member, &open).await.unwrap();
    world.reject(&open, "OTHER").await.unwrap();
    world.approve(&late).await.unwrap();
    let lines = world.history(&member).await;
    let mut reversed = 0;
    for line in lines.iter().filter(|line| ["Adjustment", "Bonus"].contains(&line.title.as_str())) {
        reverse(&world, line).await;
        reversed += 1;
    }
    assert_eq!(reversed, 3);
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.bonus_cents, wallet.owed_cents), (10_000, 9_000, 0));
    assert_eq!((world.house("adjustments").await, world.house("settlement").await), (0, -10_000));
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

/// [D-B1] [D-B2] The ledger's function refuses a reversal that its proposal does not name, or that does not take back
/// what was posted; the check names what an owner of the database forges.
#[sqlx::test(migrations = false)]
async fn a_reversal_takes_back_what_was_posted(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (member, other) = (world.member_with(10_000).await, world.member_with(10_000).await);
    let posted: Vec<i64> = sqlx::query_scalar("SELECT id FROM postings ORDER BY id").fetch_all(&pool).await.unwrap();
    let attempts = [
        // Another member's, another amount, one that does not exist, none.
        (member.id, serde_json::json!({ "reverses": posted[1], "amount_cents": 10_000 })),
        (member.id, serde_json::json!({ "reverses": posted[0], "amount_cents": 9_999 })),
        (member.id, serde_json::json!({ "reverses": 999_999, "amount_cents": 10_000 })),
        (member.id, serde_json::json!({ "amount_cents": 10_000 })),
        (other.id, serde_json::json!({ "reverses": posted[0], "amount_cents": 10_000 })),
    ];
    for (user_id, change) in attempts {
        let cents = change["amount_cents"].as_i64().unwrap();
        let id = Uuid::now_v7();
        sqlx::query(
            "INSERT INTO proposals (id, kind, subject_id, change, proposed_by) VALUES ($1, 'reversal', $2, $3, $4)",
        )
        .bind(id)
        .bind(user_id)
        .bind(&change)
        .bind(Uuid::new_v4())
        .execute(&pool)
        .await
        .unwrap();
        sqlx::query("UPDATE proposals SET status = 'confirmed', decided_by = $2, decided_at = now() WHERE id = $1")
            .bind(id)
            .bind(Uuid::new_v4())
            .execute(&pool)
            .await
            .unwrap();
        let no = sqlx::query(
            "SELECT post_movements(true, 1, ARRAY[4000000000000000001], ARRAY[ROW ($1, 'available')::ledger_account],
                '{}', '{}', ARRAY[ROW (1, 'reversal', 'proposal', $2, $1, NULL)::ledger_posting],
                ARRAY[ROW (1, 2, -$3)::ledger_entry, ROW (1, 1, $3)::ledger_entry], '{}', '{}')",
        )
        .bind(user_id)
        .bind(id)
        .bind(cents)
        .execute(&pool)
        .await
        .unwrap_err();
        assert_eq!(chassis::db::constraint(&no), Some("postings_cause"), "{change}: {no}");
    }
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 2);
    world.assert_books().await;
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

/// [D-N9] A payment of the course that came from outside is reversed: access ends, the books are as before, and the payment is
/// free for another transaction.
#[sqlx::test(migrations = false)]
async fn a_course_payment_is_reversed_with_its_access(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, txid) = (world.member(), world.new_txid());
    let made = world.deposit(&member, course_payment()).await.unwrap();
    world.approve_with(&made, 0, &txid).await.unwrap();
    assert!(world.wallet(&member).await.has_purchased_course);
    let review = world.review(&made.id).await;
    assert!(review.reversible && review.refundable);
    reverse(&world, &made).await;
    assert!(!world.wallet(&member).await.has_purchased_course);
    assert_eq!((world.house("course_revenue").await, world.house("settlement").await), (0, 0));
    assert_eq!(balances(&world, &member).await, (0, 0));
    assert!(world.events().await.ends_with(&["wallet.v1.deposit_rejected".to_owned()]));
    assert_eq!(code(propose_by(&world, &world.reviewer, &made).await), "ALREADY_REVERSED");
    let again = world.deposit(&member, course_payment()).await.unwrap();
    world.approve_with(&again, 0, &txid).await.unwrap();
    assert!(world.wallet(&member).await.has_purchased_course);
    world.assert_verified().await;
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

/// [D-N9] [D-B9] A reversal frees the payment: it is unclaimed again, and can be credited once more, after a mistake.
#[sqlx::test(migrations = false)]
async fn a_reversed_payment_can_be_credited_again(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, txid) = (world.member(), world.new_txid());
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    world.approve_with(&made, 10_000, &txid).await.unwrap();
    let again = world.deposit(&member, deposit(10_000)).await.unwrap();
    assert_eq!(code(world.approve_with(&again, 10_000, &txid).await), "TXID_USED");
    reverse(&world, &made).await;
    world.approve_with(&again, 10_000, &txid).await.unwrap();
    assert_eq!(balances(&world, &member).await, (10_000, 0));
    world.assert_verified().await;
}
