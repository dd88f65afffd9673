//! What staff know of open transactions before they open one: verdicts, blockers, candidates, claims; and the search.

use std::sync::atomic::Ordering;

use chassis::clock::Timestamp;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck, PageRequest};
use proto::payment_method::v1::ListedPayment;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    ClaimTransactionRequest, GetFiguresRequest, GetReviewRequest, ListStaffTransactionsRequest, ListVerdictsRequest,
    ProposeMovementRequest, RequestDepositRequest, RequestWithdrawalRequest, TakeBackDepositRequest, Transaction,
    Verdict, WaitingFor,
};
use sqlx::PgPool;
use tonic::Response;

use crate::fixture::{Member, World, code, deposit, receipt, withdrawal};
use crate::treasury;

const FINAL_AT: Timestamp = Timestamp { seconds: 1_900_000_000, nanos: 0 };

/// A final payment that is worth this.
fn evidence(cents: i64) -> ChainEvidence {
    let payment = ChainPayment {
        chain: "tron".to_owned(),
        txid: "ab".repeat(32),
        index: 2,
        state: "final".to_owned(),
        asset: "USDT".to_owned(),
        units: "100000000".to_owned(),
        ..Default::default()
    };
    ChainEvidence {
        at: Some(FINAL_AT),
        payments: vec![payment],
        checks: vec![EvidenceCheck { name: "payment_found".to_owned(), state: "ok".to_owned(), ..Default::default() }],
        suggested_cents: Some(cents),
        ..Default::default()
    }
}

async fn deposited(world: &World, member: &Member, proof: u8) -> Transaction {
    world.deposit(member, RequestDepositRequest { receipt: receipt(proof), ..deposit(10_000) }).await.unwrap()
}

async fn verdict(world: &World, token: &str, id: &str) -> Option<Verdict> {
    let answer = world.grpc.list_verdicts(with_token(ListVerdictsRequest {}, token)).await.unwrap().into_inner();
    assert!(answer.complete);
    answer.verdicts.into_iter().find(|one| one.transaction_id == id)
}

/// [U14] [D-Q5] The whole queue shows what proves a deposit, without asking a node. A rejection warns for a year or until five
/// good deposits since, and no longer.
#[sqlx::test(migrations = false)]
async fn verdicts_say_what_is_proven_and_warnings_age(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let bad = deposited(&world, &member, 50).await;
    world.reject(&bad, "UNREADABLE_RECEIPT").await.unwrap();
    let warned = deposited(&world, &member, 51).await;
    *world.evidence.shown.lock().unwrap() = Some(evidence(10_000));
    let found = verdict(&world, &world.reviewer, &warned.id).await.unwrap();
    assert_eq!((found.concerns, found.chain_state.as_str(), found.proven_by), (1, "final", None));
    assert!(world.evidence.asked.lock().unwrap().iter().all(|asked| asked.is_for_member), "a node was asked");

    sqlx::raw_sql(
        "ALTER TABLE transactions DISABLE TRIGGER USER;
         UPDATE transactions SET created_at = created_at - interval '400 days', decided_at = decided_at - interval '400 days'
         WHERE status = 'failed';
         ALTER TABLE transactions ENABLE TRIGGER USER",
    )
    .execute(&world.pool)
    .await
    .unwrap();
    let aged = world.review(&warned.id).await.checks.into_iter().find(|check| check.name == "member_history").unwrap();
    assert!(aged.ok && aged.detail.contains("1 rejected"), "{}", aged.detail);

    let other = world.member();
    let bad = deposited(&world, &other, 60).await;
    world.reject(&bad, "UNREADABLE_RECEIPT").await.unwrap();
    let history = async |id: &str| {
        let checks = world.review(id).await.checks;
        checks.into_iter().find(|check| check.name == "member_history").unwrap().ok
    };
    *world.evidence.shown.lock().unwrap() = None;
    for proof in 61..66 {
        let good = deposited(&world, &other, proof).await;
        assert!(!history(&good.id).await, "fewer than five good deposits");
        world.approve(&good).await.unwrap();
    }
    let fresh = deposited(&world, &other, 66).await;
    assert!(history(&fresh.id).await);
    *world.evidence.shown.lock().unwrap() = Some(evidence(10_000));
    let found = verdict(&world, &world.reviewer, &fresh.id).await.unwrap();
    let proof = found.proven_by.unwrap();
    assert_eq!((found.concerns, proof.payment.unwrap().index, proof.evidence_at), (0, 2, Some(FINAL_AT)));
}

/// [U14] [D-Q5] [D-M5] What a member took back or asked to end warns nobody: staff rejected nothing of it.
#[sqlx::test(migrations = false)]
async fn what_a_member_takes_back_is_no_rejection(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = deposited(&world, &member, 67).await;
    let request = with_token(TakeBackDepositRequest { id: made.id }, &member.token);
    world.grpc.take_back_deposit(request).await.unwrap();
    let ended = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    world.reject(&ended, "MEMBER_REQUEST").await.unwrap();
    let next = deposited(&world, &member, 68).await;
    let history = async || {
        let checks = world.review(&next.id).await.checks;
        checks.into_iter().find(|check| check.name == "member_history").unwrap()
    };
    let found = history().await;
    assert!(found.ok && found.detail.contains(" 0 rejected"), "{}", found.detail);
    let bad = deposited(&world, &member, 69).await;
    world.reject(&bad, "UNREADABLE_RECEIPT").await.unwrap();
    let found = history().await;
    assert!(!found.ok && found.detail.contains(" 1 rejected"), "{}", found.detail);
}

/// [U14] [D-Q5] The verdicts of many members do not wait until the methods of all of them are found.
#[sqlx::test(migrations = false)]
async fn verdicts_are_made_while_methods_are_looked_up(pool: PgPool) {
    let world = World::new(pool).await;
    let mut made = Vec::new();
    for proof in 70..74 {
        made.push(deposited(&world, &world.member(), proof).await.id);
    }
    world.methods_slow.store(true, Ordering::Relaxed);
    for id in &made {
        assert!(verdict(&world, &world.reviewer, id).await.is_some());
    }
}

/// [U8] [D-W4] [D-B12] What a decision would be refused with is shown before it: for everybody, and for who approved first.
#[sqlx::test(migrations = false)]
async fn blockers_are_the_refusals_of_the_decision(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    assert_eq!(world.review(&made.id).await.blockers, []);
    world.pay_fee(&member, &made).await.unwrap();
    let told = world.review(&made.id).await.blockers;
    let codes: Vec<_> = told.iter().map(|one| (one.act.as_str(), one.code.as_str())).collect();
    assert_eq!(codes, [("approve", "FEE_PENDING")]);
    let refused = code(world.approve(&made).await);
    assert_eq!(refused, told[0].code);
    assert_eq!(verdict(&world, &world.reviewer, &made.id).await.unwrap().blockers, told);

    let large = world.deposit(&world.member(), deposit(2_000_000)).await.unwrap();
    let first = world.approve_as(&world.reviewer, &large, 2_000_000, (&world.new_txid(), None)).await.unwrap();
    let of = async |token: &str| {
        let request = GetReviewRequest { id: first.id.clone(), ..Default::default() };
        let told = world.grpc.get_review(with_token(request, token)).await.unwrap().into_inner().blockers;
        told.into_iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(of(&world.reviewer).await, ["SECOND_PERSON_REQUIRED"]);
    assert_eq!(of(&world.realm.staff(Role::Reviewer).1).await, [""; 0]);
}

/// [U8] [D-B8] That the hash of a payment belongs to another one is shown before it is approved with it, in the queue too; not while
/// another hash is looked at.
#[sqlx::test(migrations = false)]
async fn a_used_hash_is_told_before_the_decision(pool: PgPool) {
    let world = World::new(pool).await;
    let hash = world.new_txid();
    let claim = |proof| RequestDepositRequest { receipt: receipt(proof), txid: hash.clone(), ..deposit(10_000) };
    let first = world.deposit(&world.member(), claim(40)).await.unwrap();
    let made = world.deposit(&world.member(), claim(41)).await.unwrap();
    assert_eq!(world.review(&made.id).await.blockers, []);
    world.approve_with(&first, 10_000, &hash).await.unwrap();
    let told = world.review(&made.id).await.blockers;
    let codes: Vec<_> = told.iter().map(|one| (one.act.as_str(), one.code.as_str())).collect();
    assert_eq!(codes, [("hash", "TXID_USED")]);
    assert_eq!(code(world.approve_with(&made, 10_000, &hash).await), told[0].code);
    assert_eq!(verdict(&world, &world.reviewer, &made.id).await.unwrap().blockers, told);
    let request = GetReviewRequest { id: made.id.clone(), txid: world.new_txid(), ..Default::default() };
    let other = world.grpc.get_review(with_token(request, &world.reviewer)).await.unwrap().into_inner();
    assert_eq!(other.blockers, []);
}

/// [D-Q6] A request of which the chain shows nothing is offered the payments to its address that no request accounts for, and
/// none that is taken.
#[sqlx::test(migrations = false)]
async fn unclaimed_payments_are_offered(pool: PgPool) {
    let world = World::new(pool).await;
    let made = deposited(&world, &world.member(), 70).await;
    let method = made.method.clone().unwrap();
    let payment = |txid: String, address: &str| ListedPayment {
        number: 1,
        payment: Some(ChainPayment {
            chain: "tron".to_owned(),
            txid,
            asset: method.currency.clone(),
            units: "100000000".to_owned(),
            address: address.to_owned(),
            value_cents: Some(10_000),
            ..Default::default()
        }),
    };
    let claimed = "cd".repeat(32);
    let other = RequestDepositRequest { receipt: receipt(71), txid: claimed.clone(), ..deposit(10_000) };
    world.deposit(&world.member(), other).await.unwrap();
    *world.evidence.listed.lock().unwrap() = vec![
        payment("ab".repeat(32), &method.address),
        payment(claimed, &method.address),
        payment("ef".repeat(32), "elsewhere"),
    ];
    assert_eq!(world.review(&made.id).await.candidates, [], "the network is not observed");
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { at: Some(FINAL_AT), ..Default::default() });
    let offered: Vec<_> = world.review(&made.id).await.candidates.into_iter().map(|one| one.txid).collect();
    assert_eq!(offered, ["ab".repeat(32)]);
}

/// [R9] The first claim of an open transaction stands until it is given back or 30 minutes are over.
#[sqlx::test(migrations = false)]
async fn the_first_claim_stands(pool: PgPool) {
    let world = World::new(pool).await;
    let made = deposited(&world, &world.member(), 80).await;
    let (id, other) = world.realm.staff(Role::Reviewer);
    let claim = async |token: &str, release: bool| {
        let message = ClaimTransactionRequest { transaction_id: made.id.clone(), release };
        world.grpc.claim_transaction(with_token(message, token)).await.map(|answer| answer.into_inner().claimed_by)
    };
    let first = claim(&world.reviewer, false).await.unwrap();
    assert!(!first.is_empty() && first != id.to_string());
    assert_eq!(claim(&other, false).await.unwrap(), first);
    assert_eq!(claim(&other, true).await.unwrap(), first, "only the own claim is given back");
    assert_eq!(verdict(&world, &other, &made.id).await.unwrap().claimed_by, first);
    sqlx::query("UPDATE claims SET claimed_at = claimed_at - interval '31 minutes'")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(claim(&other, false).await.unwrap(), id.to_string());
    assert_eq!(claim(&other, true).await.unwrap(), "");
    assert_eq!(code(claim(&world.realm.staff(Role::Auditor).1, false).await), "PERMISSION_DENIED");
    world.reject(&made, "NOT_RECEIVED").await.unwrap();
    assert_eq!(code(claim(&other, false).await), "ALREADY_DECIDED");
}

/// [R9] Staff find a transaction by an amount however it is written.
#[sqlx::test(migrations = false)]
async fn transactions_are_found_by_amount(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.deposit(&world.member(), deposit(123_450)).await.unwrap();
    deposited(&world, &world.member(), 90).await;
    for search in ["1234.50", "$1,234.50", "1234.5"] {
        let message = ListStaffTransactionsRequest { search: search.to_owned(), ..Default::default() };
        let found =
            world.grpc.list_staff_transactions(with_token(message, &world.reviewer)).await.unwrap().into_inner();
        let ids: Vec<_> = found.transactions.into_iter().map(|one| one.id).collect();
        assert_eq!(ids, [made.id.as_str()], "{search}");
    }
}

/// [R9] The queue begins with what waits the longest, however many came since, page by page; apart from it, what waits for its
/// payout.
#[sqlx::test(migrations = false)]
async fn what_waits_the_longest_comes_first(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let mut made = Vec::new();
    for proof in 30..33 {
        made.push(deposited(&world, &world.member(), proof).await.id);
    }
    let withdrawal = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    made.push(withdrawal.id.clone());
    let waiting = async |what: WaitingFor, cursor: &str| {
        let page = Some(PageRequest { size: 2, cursor: cursor.to_owned() });
        let message = ListStaffTransactionsRequest { waiting_for: what.into(), page, ..Default::default() };
        let found = world.grpc.list_staff_transactions(with_token(message, &world.reviewer)).await.unwrap();
        let found = found.into_inner();
        (found.transactions.into_iter().map(|one| one.id).collect::<Vec<_>>(), found.next_cursor)
    };
    let (oldest, cursor) = waiting(WaitingFor::Decision, "").await;
    assert_eq!(oldest, made[..2]);
    assert_eq!(waiting(WaitingFor::Decision, &cursor).await, (made[2..].to_vec(), String::new()));
    assert_eq!(waiting(WaitingFor::Payout, "").await.0, [""; 0]);
    world.approve(&withdrawal).await.unwrap();
    assert_eq!(waiting(WaitingFor::Decision, &cursor).await.0, made[2..3]);
    assert_eq!(waiting(WaitingFor::Payout, "").await, (made[3..].to_vec(), String::new()));
}

/// [R9] Staff find a withdrawal by its address in any spelling that means the same, and by its amount or what it sends; before and
/// after it is decided. In base58, addresses that differ by case differ.
#[sqlx::test(migrations = false)]
async fn withdrawals_are_found_by_address_and_by_what_they_send(pool: PgPool) {
    const CHECKSUMMED: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(20_000).await, world.member_with(30_000).await);
    let request = RequestWithdrawalRequest { address: CHECKSUMMED.to_owned(), ..withdrawal(10_000) };
    let made = world.withdraw(&member, request).await.unwrap();
    let elsewhere = world.withdraw(&other, withdrawal(20_000)).await.unwrap();
    let search = async |text: &str| {
        let message = ListStaffTransactionsRequest { search: text.to_owned(), ..Default::default() };
        let found = world.grpc.list_staff_transactions(with_token(message, &world.reviewer)).await.unwrap();
        found.into_inner().transactions.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    let found = async |is_decided: &str| {
        for text in [CHECKSUMMED, &CHECKSUMMED.to_lowercase(), "97.50", "$97.5"] {
            assert_eq!(search(text).await, std::slice::from_ref(&made.id), "{text} {is_decided}");
        }
        assert_eq!(search("195.00").await, std::slice::from_ref(&elsewhere.id), "{is_decided}");
        let base58 = elsewhere.destination.clone().unwrap().address;
        assert_eq!(search(&base58).await, std::slice::from_ref(&elsewhere.id), "{is_decided}");
        assert_eq!(search(&base58.to_lowercase()).await, [""; 0], "{is_decided}");
    };
    found("before it is decided").await;
    for one in [&made, &elsewhere] {
        let approved = world.approve(one).await.unwrap();
        world.pay(&approved).await.unwrap();
    }
    found("afterwards").await;
}

/// [R9] The figures of the business are those of the ledger and of what staff decided; what the treasury moves is neither volume nor
/// revenue.
#[sqlx::test(migrations = false)]
async fn figures_are_those_of_the_ledger(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    world.buy_course(&member).await.unwrap();
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    world.pay(&approved).await.unwrap();
    let refused = deposited(&world, &world.member(), 95).await;
    world.reject(&refused, "NOT_RECEIVED").await.unwrap();
    deposited(&world, &world.member(), 96).await;
    let revenue_out = |source: &str, cents| ProposeMovementRequest {
        source: source.to_owned(),
        ..treasury::movement("revenue_out", cents)
    };
    for request in [
        treasury::movement("capital_in", 90_000),
        treasury::movement("capital_out", 5_000),
        treasury::movement("loss", 70),
        treasury::movement("network_fee", 30),
        revenue_out("course_revenue", 700),
        revenue_out("fee_revenue", 50),
    ] {
        treasury::moved(&world, request).await.unwrap();
    }
    let figures = async |days: i32| {
        let message = GetFiguresRequest { days };
        world.grpc.get_figures(with_token(message, &world.reviewer)).await.map(Response::into_inner)
    };
    let found = figures(7).await.unwrap();
    let [today] = &found.days[..] else { panic!("{:?}", found.days) };
    assert_eq!((today.in_cents, today.out_cents, today.fee_revenue_cents), (20_000, 9_750, 250));
    assert_eq!((today.course_revenue_cents, today.course_sales), (8_700, 1));
    let decided: Vec<_> =
        found.waiting.iter().map(|one| (one.kind.as_str(), one.decision.as_str(), one.count)).collect();
    assert_eq!(
        decided,
        [
            ("deposit", "approved", 1),
            ("deposit", "rejected", 1),
            ("withdrawal", "approved", 1),
            ("withdrawal", "paid", 1),
        ]
    );
    let people: Vec<_> = found.people.iter().map(|one| (one.approved, one.rejected, one.paid)).collect();
    assert_eq!(people, [(2, 1, 0), (0, 0, 1)]);
    let open: Vec<_> = found.open.iter().map(|one| (one.kind.as_str(), one.within_hour, one.older)).collect();
    assert_eq!(open, [("deposit", 1, 0)]);
    assert_eq!(code(figures(365).await), "VALIDATION_FAILED");
}
