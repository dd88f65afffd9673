//! Credits that are taken back.

mod debts;

use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{Proposal, ProposalStatus};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
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
