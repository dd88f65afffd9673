//! What staff sees, and who of them may do what.

use chassis::identity::{Role, Session};
use chassis::testing::{session, with_token};
use proto::common::v1::ListAuditRowsRequest;
use proto::common::v1::PageRequest;
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::dead_letter_service_server::DeadLetterService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::fixture::{World, code, course_payment, deposit, hash, refusal, withdrawal};

fn may<T>(result: &Result<T, Status>) -> bool {
    result.as_ref().err().is_none_or(|status| status.code() != Code::PermissionDenied)
}

/// [D-O1] Every call, every role: exactly who may; members never.
#[sqlx::test(migrations = false)]
async fn each_role_does_its_own(pool: PgPool) {
    let world = World::new(pool).await;
    let grpc = &world.grpc;
    let all = Role::ALL;
    let keepers = [Role::Treasurer, Role::Admin];
    let mut tokens: Vec<(Option<Role>, String)> =
        Role::ALL.iter().map(|role| (Some(*role), world.realm.staff(*role).1)).collect();
    tokens.push((None, world.member().token));
    for (role, token) in tokens {
        let allowed = |roles: &[Role]| role.is_some_and(|role| roles.contains(&role));
        let t = token.as_str();
        let cells = [
            ("queue", may(&grpc.get_queue(with_token(GetQueueRequest {}, t)).await), all),
            ("list", may(&grpc.list_staff_transactions(with_token(Default::default(), t)).await), all),
            ("unclaimed", may(&grpc.list_unclaimed_payments(with_token(Default::default(), t)).await), all),
            ("review", may(&grpc.get_review(with_token(Default::default(), t)).await), all),
            ("approve", may(&grpc.approve_transaction(with_token(Default::default(), t)).await), &[Role::Reviewer]),
            // Which of the two may depends on whether the withdrawal is approved.
            (
                "reject",
                may(&grpc.reject_transaction(with_token(Default::default(), t)).await),
                &[Role::Reviewer, Role::Treasurer],
            ),
            ("paying", may(&grpc.lease_payout(with_token(Default::default(), t)).await), &[Role::Treasurer]),
            ("paid", may(&grpc.mark_withdrawal_paid(with_token(Default::default(), t)).await), &[Role::Treasurer]),
            ("wallet", may(&grpc.get_member_wallet(with_token(Default::default(), t)).await), all),
            ("wallets", may(&grpc.list_member_wallets(with_token(Default::default(), t)).await), all),
            ("propose", may(&grpc.propose_correction(with_token(Default::default(), t)).await), &[Role::Treasurer]),
            ("proposals", may(&grpc.proposals().list_proposals(with_token(Default::default(), t)).await), all),
            ("viewing", may(&grpc.note_viewing(with_token(Default::default(), t)).await), all),
            ("reopen", may(&grpc.propose_reopening(with_token(Default::default(), t)).await), &keepers),
            // An admin is not refused for its role for the sake of a reopening; which proposal it is decides inside.
            ("confirm", may(&grpc.proposals().confirm_proposal(with_token(Default::default(), t)).await), &keepers),
            ("end", may(&grpc.proposals().reject_proposal(with_token(Default::default(), t)).await), &keepers),
            ("dead letters", may(&grpc.dead_letters().list_dead_letters(with_token(Default::default(), t)).await), all),
            (
                "replay",
                may(&grpc.dead_letters().replay_dead_letter(with_token(Default::default(), t)).await),
                &[Role::Admin],
            ),
            ("integrity", may(&grpc.get_integrity(with_token(GetIntegrityRequest {}, t)).await), all),
            (
                "trail",
                may(&grpc.audit_log().list_audit_rows(with_token(Default::default(), t)).await),
                &[Role::Auditor, Role::Admin],
            ),
        ];
        for (call, may, roles) in cells {
            assert_eq!(may, allowed(roles), "{call} by {role:?}");
        }
    }
}

/// [D-O7] Every decision and every proposal needs a fresh second factor; reading does not.
#[sqlx::test(migrations = false)]
async fn decisions_need_a_fresh_factor(pool: PgPool) {
    let world = World::new(pool).await;
    let grpc = &world.grpc;
    let stale = |role| world.realm.sign_in(Session { stepped_up: false, ..session(Some(role)) });
    let (reviewer, treasurer) = (stale(Role::Reviewer), stale(Role::Treasurer));
    let refused = [
        code(grpc.approve_transaction(with_token(Default::default(), &reviewer)).await),
        code(grpc.reject_transaction(with_token(Default::default(), &reviewer)).await),
        code(grpc.reject_transaction(with_token(Default::default(), &treasurer)).await),
        code(grpc.lease_payout(with_token(Default::default(), &treasurer)).await),
        code(grpc.mark_withdrawal_paid(with_token(Default::default(), &treasurer)).await),
        code(grpc.propose_correction(with_token(Default::default(), &treasurer)).await),
        code(grpc.propose_reopening(with_token(Default::default(), &treasurer)).await),
        code(grpc.proposals().confirm_proposal(with_token(Default::default(), &treasurer)).await),
        code(grpc.proposals().reject_proposal(with_token(Default::default(), &treasurer)).await),
    ];
    assert_eq!(refused, ["STEP_UP_REQUIRED"; 9]);
    grpc.get_queue(with_token(GetQueueRequest {}, &reviewer)).await.unwrap();
}

/// [D-O2] The queue counts what waits, by kind; an approved withdrawal waits for its payout.
#[sqlx::test(migrations = false)]
async fn the_queue_counts_what_waits(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.member_with(50_000).await, world.member_with(50_000).await);
    world.deposit(&one, deposit(10_000)).await.unwrap();
    world.deposit(&two, deposit(10_000)).await.unwrap();
    world.deposit(&two, course_payment()).await.unwrap();
    let open = world.withdraw(&one, withdrawal(10_000)).await.unwrap();
    world.pay_fee(&one, &open).await.unwrap();
    let payout = world.withdraw(&two, withdrawal(10_000)).await.unwrap();
    world.approve(&payout).await.unwrap();
    let answer = world.grpc.get_queue(with_token(GetQueueRequest {}, &world.reviewer)).await.unwrap().into_inner();
    let counts: Vec<_> =
        answer.counts.iter().map(|one| (one.kind.as_str(), one.count, one.oldest_at.is_some())).collect();
    assert_eq!(
        counts,
        [("deposit", 2, true), ("course", 1, true), ("fee", 1, true), ("withdrawal", 1, true), ("payout", 1, true)]
    );
}

/// [D-O2] Staff finds by reference, address, hash, member, kind and status, page by page.
#[sqlx::test(migrations = false)]
async fn staff_finds_transactions(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.member(), world.member_with(50_000).await);
    let made = world.deposit(&one, RequestDepositRequest { txid: hash("claimed-7"), ..deposit(10_000) }).await.unwrap();
    let out = world.withdraw(&two, withdrawal(10_000)).await.unwrap();
    let find = async |request: ListStaffTransactionsRequest| {
        let answer = world.grpc.list_staff_transactions(with_token(request, &world.reviewer)).await.unwrap();
        answer.into_inner()
    };
    let search = |text: &str| ListStaffTransactionsRequest { search: text.to_owned(), ..Default::default() };
    let ids =
        |found: ListStaffTransactionsResponse| found.transactions.into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(ids(find(search(&format!("TNX-{}", &made.id[..6].to_uppercase()))).await), [&*made.id]);
    assert_eq!(ids(find(search(&hash("claimed-7"))).await), [&*made.id]);
    assert_eq!(ids(find(search("TDESTINATIONxxxxxxxxxxxxxxxxxxxxxx")).await), [&*out.id]);
    assert!(ids(find(search("nothing")).await).is_empty());
    let request = ListStaffTransactionsRequest { member_id: one.id.to_string(), ..Default::default() };
    assert_eq!(ids(find(request).await), [&*made.id]);
    let request = ListStaffTransactionsRequest {
        status: TransactionStatus::Pending.into(),
        kind: TransactionKind::Withdrawal.into(),
        ..Default::default()
    };
    assert_eq!(ids(find(request).await), [&*out.id]);
    // Of one kind, what waits stands beside what is decided.
    let of = |kind: TransactionKind| ListStaffTransactionsRequest { kind: kind.into(), ..Default::default() };
    assert_eq!(ids(find(of(TransactionKind::Deposit)).await)[..1], [&*made.id]);
    assert_eq!(find(of(TransactionKind::Deposit)).await.transactions.len(), 2);
    let mut cursor = String::new();
    let mut seen = Vec::new();
    loop {
        let page = Some(PageRequest { size: 1, cursor });
        let found = find(ListStaffTransactionsRequest { page, ..Default::default() }).await;
        cursor = found.next_cursor.clone();
        seen.extend(ids(found));
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, ids(find(Default::default()).await));
    assert_eq!(seen.len(), 3);
    for bad in [
        ListStaffTransactionsRequest { status: 99, ..Default::default() },
        ListStaffTransactionsRequest { member_id: "x".into(), ..Default::default() },
        ListStaffTransactionsRequest {
            page: Some(PageRequest { size: 1_001, cursor: String::new() }),
            ..Default::default()
        },
        ListStaffTransactionsRequest { page: Some(PageRequest { size: 1, cursor: "x".into() }), ..Default::default() },
    ] {
        let no = refusal(world.grpc.list_staff_transactions(with_token(bad, &world.reviewer)).await);
        assert_eq!(no.code, "VALIDATION_FAILED");
    }
}

/// [D-R6] [D-I6] The report adds up, shows the pool, and says when it does not.
#[sqlx::test(migrations = false)]
async fn the_integrity_report_adds_up(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(50_000).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let report = async || {
        let request = with_token(GetIntegrityRequest {}, &world.treasurer);
        world.grpc.get_integrity(request).await.unwrap().into_inner()
    };
    let good = report().await;
    assert!(good.ok && good.trial_balance_cents == 0 && good.drift_cents == 0);
    assert_eq!((good.available_cents, good.held_cents, good.invested_cents, good.bonus_cents), (40_000, 10_000, 0, 0));
    assert_eq!((good.holdings_cents, good.pool_cents, good.dead_letters), (50_000, 0, 0));
    sqlx::query("UPDATE accounts SET balance_cents = balance_cents + 7 WHERE kind = 'available'")
        .execute(&pool)
        .await
        .unwrap();
    world.check().await;
    let bad = report().await;
    assert!(!bad.ok && bad.drift_cents == 7);
}

/// [D-O3] Each decision is in the trail: who, what, before and after, from where; the chain holds.
#[sqlx::test(migrations = false)]
async fn every_decision_leaves_a_trace(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(200_000).await;
    let made = world.withdraw(&member, withdrawal(100_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    world.pay(&approved).await.unwrap();
    let auditor = world.realm.staff(Role::Auditor).1;
    let answer =
        world.grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), &auditor)).await.unwrap();
    let rows = answer.into_inner().rows;
    let acts: Vec<_> = rows.iter().map(|row| (row.action.as_str(), row.actor_role.as_str())).collect();
    assert_eq!(
        acts,
        [
            ("withdrawal.paid", "treasurer"),
            ("withdrawal.paying", "treasurer"),
            ("withdrawal.approve", "reviewer"),
            ("deposit.approve", "reviewer")
        ]
    );
    assert!(rows.iter().all(|row| row.member_id == member.id.to_string() && row.before_json != row.after_json));
    let mut conn = pool.acquire().await.unwrap();
    assert_eq!(chassis::audit::broken_at(&mut *conn).await.unwrap(), None);
}

/// [D-O2] Staff sees a member's balances and newest entries.
#[sqlx::test(migrations = false)]
async fn staff_sees_a_members_entries(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let request = with_token(GetMemberWalletRequest { user_id: member.id.to_string() }, &world.treasurer);
    let found = world.grpc.get_member_wallet(request).await.unwrap().into_inner();
    assert_eq!(found.wallet.unwrap().held_cents, 10_000);
    let entries: Vec<_> =
        found.entries.iter().map(|one| (one.account.as_str(), one.amount_cents, one.balance_cents)).collect();
    assert_eq!(entries, [("available", -10_000, 40_000), ("held", 10_000, 10_000), ("available", 50_000, 50_000)]);
}

/// [R9] Staff sees the balances of a page of members by one call; those without accounts are left out.
#[sqlx::test(migrations = false)]
async fn staff_sees_the_balances_of_a_page(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(50_000).await, world.member_with(700).await);
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let ask = async |user_ids: Vec<String>| {
        let request = with_token(ListMemberWalletsRequest { user_ids }, &world.treasurer);
        world.grpc.list_member_wallets(request).await.map(|answer| answer.into_inner().wallets)
    };
    let ids = vec![member.id.to_string(), other.id.to_string(), Uuid::now_v7().to_string()];
    let mut found: Vec<_> = ask(ids).await.unwrap();
    found.sort_by_key(|one| one.available_cents);
    let found: Vec<_> =
        found.iter().map(|one| (one.available_cents, one.held_cents, one.is_withdrawal_pending)).collect();
    assert_eq!(found, [(700, 0, false), (40_000, 10_000, true)]);
    assert!(ask(vec![member.id.to_string(); 501]).await.is_err());
}
