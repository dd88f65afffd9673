//! The journal, and what stands in it behind a transaction.

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::PageRequest;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::{Executor, PgPool};
use tonic::Status;

use crate::fixture::{World, code, withdrawal};

async fn read(world: &World, token: &str, size: i32, cursor: &str, end: &str) -> Result<ListPostingsResponse, Status> {
    let page = Some(PageRequest { size, cursor: cursor.into() });
    let request = ListPostingsRequest { page, end_cursor: end.into() };
    Ok(world.grpc.list_postings(with_token(request, token)).await?.into_inner())
}

/// The same, once transactions of other tests on the server no longer hold back what is complete.
async fn run_of(world: &World, token: &str, size: i32, from: &str, count: usize) -> (Vec<Posting>, String) {
    for _ in 0..200 {
        let found = run(world, token, size, from).await;
        if found.0.len() >= count {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{count} postings were not complete in time");
}

/// A run of the journal, page by page, and where the next begins.
async fn run(world: &World, token: &str, size: i32, from: &str) -> (Vec<Posting>, String) {
    let mut page = read(world, token, size, from, "").await.unwrap();
    let end = page.end_cursor.clone();
    let mut postings = Vec::new();
    loop {
        assert!(page.postings.len() <= usize::try_from(size).unwrap());
        postings.extend(page.postings);
        if page.next_cursor.is_empty() {
            return (postings, end);
        }
        page = read(world, token, size, &page.next_cursor, &end).await.unwrap();
    }
}

/// [D-R16] [D-B1] [L1] Every posting once, with its cause and entries that sum to zero, to auditors and admins alone.
#[sqlx::test(migrations = false)]
async fn the_journal_holds_every_posting_once(pool: PgPool) {
    let world = World::new(pool).await;
    let auditor = world.realm.staff(Role::Auditor).1;
    let empty = read(&world, &auditor, 0, "", "").await.unwrap();
    assert_eq!(empty, ListPostingsResponse::default());
    let member = world.member_with(50_000).await;
    world.buy_course(&member).await.unwrap();
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let paid = world.pay(&world.approve(&open).await.unwrap()).await.unwrap();
    let (postings, end) = run_of(&world, &auditor, 3, "", 4).await;
    let told: Vec<_> = postings.iter().map(|one| (one.kind.as_str(), one.cause_type.as_str())).collect();
    assert_eq!(
        told,
        [
            ("deposit", "transaction"),
            ("course", "purchase"),
            ("withdrawal_hold", "transaction"),
            ("withdrawal_paid", "transaction")
        ]
    );
    for one in &postings {
        assert_eq!(one.entries.iter().map(|entry| entry.amount_cents).sum::<i64>(), 0);
        assert_eq!((one.member_id.clone(), one.at.is_some(), one.reverses), (member.id.to_string(), true, 0));
    }
    let entries: Vec<_> =
        postings[3].entries.iter().map(|entry| (entry.account.as_str(), entry.amount_cents)).collect();
    assert_eq!(entries, [("held", -10_000), ("settlement", 9_750), ("fee_revenue", 250)]);
    assert_eq!(postings[3].cause_id, paid.id);
    // Nothing new: the same place again, where the next posting appears.
    assert_eq!(run(&world, &auditor, 3, &end).await, (Vec::new(), end.clone()));
    world.deposit_confirmed(&member, 20_000).await;
    let (new, _) = run_of(&world, &world.realm.staff(Role::Admin).1, 500, &end, 1).await;
    assert_eq!(new.len(), 1);
    for role in [Role::Reviewer, Role::Treasurer, Role::Manager] {
        let token = world.realm.staff(role).1;
        assert_eq!(code(read(&world, &token, 0, "", "").await), "PERMISSION_DENIED");
    }
    assert_eq!(code(read(&world, &member.token, 0, "", "").await), "PERMISSION_DENIED");
    for bad in ["x", "1", "9223372036854775807.1", "-1.1"] {
        assert_eq!(code(read(&world, &auditor, 0, bad, "").await), "VALIDATION_FAILED", "{bad}");
        assert_eq!(code(read(&world, &auditor, 0, "", bad).await), "VALIDATION_FAILED", "{bad}");
    }
}

/// A posting between two accounts of the house that is not written by the ledger's function.
const BY_HAND: &str = "WITH one AS (INSERT INTO postings (kind, cause_type, business_id, user_id)
        SELECT 'transfer', 'unchecked', gen_random_uuid(), gen_random_uuid() FROM generate_series(1, $1) RETURNING id)
    INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
        SELECT accounts.id, one.id, CASE kind WHEN 'settlement' THEN -1 ELSE 1 END, 0, '' FROM one, accounts
        WHERE kind IN ('settlement', 'adjustments')";

/// [D-R16] [Q1] A posting that is committed late, with a lower id, is missed by nobody who reads on.
#[sqlx::test(migrations = false)]
async fn a_late_commit_is_not_missed(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let auditor = world.realm.staff(Role::Auditor).1;
    let member = world.member_with(50_000).await;
    let mut late = pool.acquire().await.unwrap();
    late.execute("BEGIN").await.unwrap();
    sqlx::query(BY_HAND).bind(1).execute(&mut *late).await.unwrap();
    world.buy_course(&member).await.unwrap();
    let (first, end) = run_of(&world, &auditor, 500, "", 1).await;
    assert_eq!(first.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>(), ["deposit"]);
    late.execute("COMMIT").await.unwrap();
    let (rest, end) = run_of(&world, &auditor, 500, &end, 2).await;
    assert_eq!(rest.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>(), ["transfer", "course"]);
    assert_eq!(run(&world, &auditor, 500, &end).await.0, []);
}

/// [D-R16] [A16] A run is bounded, and the next one goes on where it ended.
#[sqlx::test(migrations = false)]
async fn a_run_of_the_journal_is_bounded(pool: PgPool) {
    let world = World::in_buckets(pool.clone(), 1).await;
    let auditor = world.realm.staff(Role::Auditor).1;
    sqlx::query(BY_HAND).bind(10_300).execute(&pool).await.unwrap();
    let (first, end) = run_of(&world, &auditor, 500, "", 10_000).await;
    let (second, _) = run_of(&world, &auditor, 500, &end, 300).await;
    assert_eq!((first.len(), second.len()), (10_000, 300));
    let ids: std::collections::HashSet<_> = first.iter().chain(&second).map(|one| one.id).collect();
    assert_eq!(ids.len(), 10_300);
}

/// [D-O2] A transaction's review shows what it moved, no matter what its cause is.
#[sqlx::test(migrations = false)]
async fn a_review_shows_the_ledger_entries(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let entries = async |id: &str| {
        let entries = world.review(id).await.entries;
        entries.into_iter().map(|one| (one.kind, one.account, one.amount_cents, one.balance_cents)).collect::<Vec<_>>()
    };
    let row = |kind: &str, account: &str, amount: i64, balance: i64| (kind.into(), account.into(), amount, balance);
    let pending = world.deposit(&member, crate::fixture::deposit(10_000)).await.unwrap();
    assert_eq!(entries(&pending.id).await, []);
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &open).await.unwrap();
    let hold = [row("withdrawal_hold", "available", -10_000, 40_000), row("withdrawal_hold", "held", 10_000, 10_000)];
    assert_eq!(entries(&open.id).await, hold);
    world.approve(&fee).await.unwrap();
    let moved = [row("fee", "settlement", -250, -50_250), row("fee", "fee_revenue", 250, 250)];
    assert_eq!(entries(&fee.id).await, moved);
    let open = world.transaction(&member, &open.id).await.unwrap();
    world.reject(&open, "MEMBER_REQUEST").await.unwrap();
    let release =
        [row("withdrawal_release", "available", 10_000, 50_000), row("withdrawal_release", "held", -10_000, 0)];
    assert_eq!(entries(&open.id).await[..2], hold);
    assert_eq!(entries(&open.id).await[2..4], release);
    let refund = world.history(&member).await.into_iter().find(|one| one.title == "Adjustment").unwrap();
    let back = [row("fee_refund", "available", 250, 50_250), row("fee_refund", "fee_revenue", -250, 0)];
    assert_eq!(entries(&refund.id).await, back);
    let corrected = world.adjust(&member, 1_000).await;
    let added =
        [row("adjustment_credit", "available", 1_000, 51_250), row("adjustment_credit", "adjustments", -1_000, -1_000)];
    assert_eq!(entries(&corrected.id).await, added);
}

impl World {
    /// A credit that two treasurers made.
    async fn adjust(&self, member: &crate::fixture::Member, cents: i64) -> Transaction {
        let request = ProposeCorrectionRequest {
            user_id: member.id.to_string(),
            kind: CorrectionKind::AdjustmentCredit.into(),
            amount_cents: cents,
            note: "goodwill".into(),
            ..Default::default()
        };
        let made = self.grpc.propose_correction(with_token(request, &self.treasurer)).await.unwrap().into_inner();
        let request = ConfirmProposalRequest { proposal_id: made.proposal.unwrap().id, ..Default::default() };
        let second = self.realm.staff(Role::Treasurer).1;
        self.grpc.proposals().confirm_proposal(with_token(request, &second)).await.unwrap();
        self.history(member).await.remove(0)
    }
}
