//! Deposits: requested, limited, approved, rejected, raced for.

use futures::future::join_all;
use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{
    EARLIER_ADDRESS, PLATFORM, PLATFORM_ADDRESS, World, code, course_payment, deposit, hash, key, receipt, refusal,
    withdrawal,
};

/// [API-08] [D-D5] [D-D3] [L11] A request is recorded with the method as shown, and has no effect on the balance.
#[sqlx::test(migrations = false)]
async fn a_deposit_waits_without_effect(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made =
        world.deposit(&member, RequestDepositRequest { txid: hash("claimed-1"), ..deposit(10_000) }).await.unwrap();
    assert_eq!((made.title.as_str(), made.amount_cents, made.txid.clone()), ("Deposit", 10_000, hash("claimed-1")));
    assert_eq!((made.status(), made.direction()), (TransactionStatus::Pending, Direction::Credit));
    let method = made.method.clone().unwrap();
    assert_eq!((method.id.as_str(), method.address.as_str(), method.version), (PLATFORM, PLATFORM_ADDRESS, 3));
    assert_eq!((method.currency.as_str(), method.network.as_str(), method.memo.as_str()), ("USDT", "TRC20", "memo"));
    assert_eq!(made.receipt_key, "receipts/1");
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    assert_eq!(world.history(&member).await, [made]);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested"]);
    assert_eq!(world.count("SELECT count(*) FROM entries").await, 0);
}

/// [DEP-07] [D-D2] [D-D3] [D-R10] [L8] Malformed requests change nothing and leave the key free.
#[sqlx::test(migrations = false)]
async fn malformed_requests_change_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let bad = |request: RequestDepositRequest| RequestDepositRequest { idempotency: key("same"), ..request };
    let cases = [
        (bad(deposit(9_999)), "amount", "Deposits are from $100.00 to $100,000.00."),
        (bad(deposit(10_000_001)), "amount", "Deposits are from $100.00 to $100,000.00."),
        (bad(deposit(-10_000)), "amount", "Deposits are from $100.00 to $100,000.00."),
        (bad(deposit(i64::MIN)), "amount", "Deposits are from $100.00 to $100,000.00."),
        (
            bad(RequestDepositRequest { method: " ".into(), ..deposit(10_000) }),
            "method",
            "Please fill in all required fields",
        ),
        (
            bad(RequestDepositRequest { receipt: None, ..deposit(10_000) }),
            "receipt",
            "Please fill in all required fields",
        ),
        (
            bad(RequestDepositRequest { r#type: "gift".into(), ..deposit(10_000) }),
            "type",
            "The type must be deposit or course.",
        ),
        (
            bad(RequestDepositRequest { r#type: "course".into(), ..deposit(8_701) }),
            "amount",
            "The course costs exactly $87.00.",
        ),
        (
            bad(RequestDepositRequest { txid: "a b".into(), ..deposit(10_000) }),
            "txid",
            "Please enter the transaction hash: 64 digits and letters from a to f.",
        ),
    ];
    for (request, field, message) in cases {
        let no = refusal(world.deposit(&member, request).await);
        assert_eq!((no.code.as_str(), no.message.as_str()), ("VALIDATION_FAILED", message));
        assert_eq!(no.fields, [(field.to_owned(), message.to_owned())]);
    }
    let svg = Receipt { content_type: "image/svg+xml".into(), ..receipt(1).unwrap() };
    let no = world.deposit(&member, RequestDepositRequest { receipt: Some(svg), ..deposit(10_000) }).await;
    assert_eq!(code(no), "VALIDATION_FAILED");
    let no = world.deposit(&member, bad(RequestDepositRequest { method: "BTC".into(), ..deposit(10_000) })).await;
    assert_eq!(code(no), "METHOD_UNAVAILABLE");
    assert_eq!(world.count("SELECT count(*) FROM transactions").await, 0);
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await, 0);
    assert!(world.deposit(&member, bad(deposit(10_000))).await.is_ok());
    assert!(
        world.deposit(&member, RequestDepositRequest { method: "USDT".into(), ..deposit(10_000_000) }).await.is_ok()
    );
}

/// [D-D2] [D-R8] However concurrent, five may wait; the sixth is refused until one is decided.
#[sqlx::test(migrations = false)]
async fn at_most_five_deposits_wait(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let results = join_all((0..20).map(|_| world.deposit(&member, deposit(10_000)))).await;
    let made: Vec<_> = results.iter().flatten().collect();
    assert_eq!(made.len(), 5);
    for no in results.iter().filter(|result| result.is_err()) {
        assert_eq!(code(no.clone()), "TOO_MANY_PENDING_DEPOSITS");
    }
    world.reject(made[0], "NOT_RECEIVED").await.unwrap();
    assert!(world.deposit(&member, deposit(10_000)).await.is_ok());
    assert!(world.deposit(&world.member(), deposit(10_000)).await.is_ok());
}

/// [D-D4] [D-R9] [D-O3] What was received is credited, the claim is kept, the decision leaves a trace.
#[sqlx::test(migrations = false)]
async fn approval_credits_what_was_received(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let done = world.approve_with(&made, 9_950, &format!(" 0x{} ", hash("abc").to_uppercase())).await.unwrap();
    assert_eq!(
        (done.status(), done.amount_cents, done.claimed_amount_cents),
        (TransactionStatus::Success, 9_950, Some(10_000))
    );
    assert_eq!((done.txid, done.revision), (hash("abc"), 2));
    assert_eq!(world.wallet(&member).await.available_cents, 9_950);
    assert_eq!(world.house("settlement").await, -9_950);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested", "wallet.v1.deposit_confirmed"]);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'deposit.approve'").await, 1);
    world.assert_books().await;
    let same = world.deposit(&member, deposit(10_000)).await.unwrap();
    let same = world.approve(&same).await.unwrap();
    assert_eq!((same.amount_cents, same.claimed_amount_cents), (10_000, Some(10_000)));
}

/// [D-D4] [D-R3] A rejection reaches the member as a sentence; the note does not.
#[sqlx::test(migrations = false)]
async fn rejection_tells_the_member_why(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    assert_eq!(code(world.reject(&made, "COMPLIANCE").await), "VALIDATION_FAILED");
    assert_eq!(code(world.reject(&made, "").await), "VALIDATION_FAILED");
    world.reject(&made, "WRONG_NETWORK").await.unwrap();
    let seen = world.transaction(&member, &made.id).await.unwrap();
    assert_eq!((seen.status(), seen.reason_code.as_str()), (TransactionStatus::Failed, "WRONG_NETWORK"));
    assert_eq!(seen.description, "The payment was made on another network.");
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested", "wallet.v1.deposit_rejected"]);
    assert_eq!(code(world.approve(&seen).await), "ALREADY_DECIDED");
}

/// [D-D4] [D-O2] A payment counts once, however its hash is spelled; a stale revision is refused.
#[sqlx::test(migrations = false)]
async fn a_hash_counts_once_and_a_stale_revision_never(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let first = world.deposit(&member, deposit(10_000)).await.unwrap();
    let second = world.deposit(&member, deposit(10_000)).await.unwrap();
    let hash = "ab".repeat(32);
    assert_eq!(code(world.approve_with(&first, first.amount_cents, "").await), "VALIDATION_FAILED");
    world.approve_with(&first, first.amount_cents, &hash).await.unwrap();
    assert_eq!(
        code(world.approve_with(&second, second.amount_cents, &format!("0x{}", hash.to_uppercase())).await),
        "TXID_USED"
    );
    let stale = Transaction { revision: 2, ..second.clone() };
    assert_eq!(code(world.approve(&stale).await), "STALE_REVISION");
    assert_eq!(code(world.reject(&stale, "OTHER").await), "STALE_REVISION");
    assert_eq!(world.wallet(&member).await.available_cents, 10_000);
    assert!(world.approve(&second).await.is_ok());
    world.assert_books().await;
}

/// [D-D1] [L11] Twenty reviewers at once, half of them rejecting: one decision, one effect.
#[sqlx::test(migrations = false)]
async fn twenty_reviewers_decide_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let results = join_all((0..20).map(|n| {
        let (world, made) = (&world, &made);
        async move { if n % 2 == 0 { world.approve(made).await } else { world.reject(made, "OTHER").await } }
    }))
    .await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let seen = world.transaction(&member, &made.id).await.unwrap();
    let credited = if seen.status() == TransactionStatus::Success { 10_000 } else { 0 };
    assert_eq!(world.wallet(&member).await.available_cents, credited);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows").await, 1);
    assert_eq!(world.events().await.len(), 2);
    world.assert_books().await;
}

/// [D-D4] [D-O2] The reviewer sees a proof or hash seen before; the member is not refused.
#[sqlx::test(migrations = false)]
async fn the_checklist_flags_what_was_seen_before(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.member(), world.member());
    let claim = |cents| RequestDepositRequest { txid: hash("claimed-1"), ..deposit(cents) };
    let first = world.deposit(&one, claim(10_000)).await.unwrap();
    let found = world.review(&first.id).await;
    assert!(found.checks.iter().all(|check| check.ok || check.state == "unknown"), "{:?}", found.checks);
    let second = world.deposit(&two, claim(10_000)).await.unwrap();
    let found = world.review(&second.id).await;
    let bad: Vec<_> = found.checks.iter().filter(|check| check.state == "warn").collect();
    assert_eq!(
        bad.iter().map(|check| check.name.as_str()).collect::<Vec<_>>(),
        ["receipt_seen_before", "txid_used_before"]
    );
    assert!(bad.iter().all(|check| check.transaction_ids == [first.id.clone()]));
    world.reject(&first, "DUPLICATE").await.unwrap();
    let third = world.deposit(&one, RequestDepositRequest { receipt: receipt(3), ..deposit(10_000) }).await.unwrap();
    let found = world.review(&third.id).await;
    assert!(found.checks.iter().any(|check| check.name == "member_history" && !check.ok));
}

/// [D-D4] [D-O2] The checklist has a row for the transaction hash also when none was given, and its row for the amount
/// says what was compared with what.
#[sqlx::test(migrations = false)]
async fn the_checklist_says_what_it_compared(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let row = async |one: &Transaction, name: &str| {
        let review = world.review(&one.id).await;
        let check = review.checks.iter().find(|check| check.name == name).expect("the row is there");
        (check.ok, check.detail.clone())
    };
    let made = world.deposit(&member, deposit(25_000)).await.unwrap();
    let (ok, detail) = row(&made, "txid_used_before").await;
    assert!(ok && detail.starts_with("The member gave no transaction hash."), "{detail}");
    let claimed = "The member claimed $250.00; deposits from $100.00 to $100,000.00 are accepted.";
    assert_eq!(row(&made, "amount_in_limits").await, (true, claimed.to_owned()));
    world.approve_with(&made, 24_950, &world.new_txid()).await.unwrap();
    assert_eq!(row(&made, "amount_in_limits").await.1, format!("{claimed} $249.50 arrived."));
    let course = world.deposit(&member, course_payment()).await.unwrap();
    let claimed = "The member claimed $87.00; the course costs $87.00.";
    assert_eq!(row(&course, "amount_in_limits").await, (true, claimed.to_owned()));
    let taken = world.withdraw(&member, withdrawal(20_000)).await.unwrap();
    let asked = "The member asked for $200.00; withdrawals from $50.00 to $50,000.00 are accepted.";
    assert_eq!(row(&taken, "amount_in_limits").await, (true, asked.to_owned()));
    let fee = world.pay_fee(&member, &taken).await.unwrap();
    let claimed = "The member claimed $5.00; the fee of the withdrawal is $5.00.";
    assert_eq!(row(&fee, "amount_in_limits").await, (true, claimed.to_owned()));
}

/// [API-08] Without the service that knows the methods a request is not recorded.
#[sqlx::test(migrations = false)]
async fn without_methods_nothing_is_recorded(pool: PgPool) {
    let world = World::new(pool).await;
    world.methods_away.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(code(world.deposit(&world.member(), deposit(10_000)).await), "UNAVAILABLE");
    assert_eq!(world.count("SELECT count(*) FROM transactions").await, 0);
}

/// [D-D4] A deposit is approved with the received amount alone: nothing is credited on the member's word.
#[sqlx::test(migrations = false)]
async fn a_deposit_is_not_approved_without_the_received_amount(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let refused = chassis::error::from_status(&world.approve_with(&made, 0, &hash("hash-1")).await.unwrap_err());
    assert_eq!((refused.code.as_str(), refused.fields[0].0.as_str()), ("VALIDATION_FAILED", "receivedAmount"));
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    world.approve(&made).await.unwrap();
}

/// [D-D3] [A9] A deposit keeps the version of the method that was shown; the reviewer sees which, and what is in force.
#[sqlx::test(migrations = false)]
async fn a_deposit_keeps_the_version_that_was_shown(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    for (shown, version, address) in [(2, 2, EARLIER_ADDRESS), (0, 3, PLATFORM_ADDRESS), (9, 3, PLATFORM_ADDRESS)] {
        let request = RequestDepositRequest { method_version: shown, ..deposit(10_000) };
        let made = world.deposit(&member, request).await.unwrap();
        let method = made.method.clone().unwrap();
        assert_eq!((method.version, method.address.as_str()), (version, address));
        let review = world.review(&made.id).await;
        let check = review.checks.iter().find(|check| check.name == "address_as_shown").unwrap();
        assert_eq!(check.ok, version == 3);
        assert!(check.detail.contains(&format!("version {version}")), "{}", check.detail);
    }
}

/// No text of any length reaches the ledger's batches.
#[sqlx::test(migrations = false)]
async fn the_name_of_a_method_is_bounded(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let long = "x".repeat(100_000);
    let request = RequestDepositRequest { method: long.clone(), ..deposit(10_000) };
    assert_eq!(code(world.deposit(&member, request).await), "VALIDATION_FAILED");
    let request = RequestWithdrawalRequest { method: long, ..withdrawal(10_000) };
    assert_eq!(code(world.withdraw(&member, request).await), "VALIDATION_FAILED");
}
