//! The automatic pause: a ledger that does not balance lets nothing out until two people resume withdrawals.

use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{AuditFilter, Proposal, ProposalStatus};
use proto::common::v1::{ConfirmProposalRequest, ListAuditRowsRequest, RejectProposalRequest};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::status_service_server::StatusService;
use proto::wallet::v1::trade_settlement_service_server::TradeSettlementService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;
use wallet::app::ledger::check_ledger::check_ledger;

use crate::corrections::{self, correction};
use crate::fixture::{World, code, deposit, key, refusal, withdrawal};

/// Every kind of damage: how it is done by an owner of the database, undone, and what is said of it.
const DAMAGES: [(&str, &str, &str); 6] = [
    (
        "UPDATE accounts SET balance_cents = balance_cents + 7 WHERE kind = 'available'",
        "UPDATE accounts SET balance_cents = balance_cents - 7 WHERE kind = 'available'",
        "says $700.07 of 3 entries, its entries say $700.00 of 3.",
    ),
    (
        "UPDATE accounts SET head_hash = sha256(head_hash) WHERE kind = 'settlement'",
        "UPDATE accounts SET head_hash = (SELECT hash FROM entries WHERE account_id = id ORDER BY posting_id DESC LIMIT 1)
         WHERE kind = 'settlement'",
        "(settlement): its head is not the hash of its newest entry.",
    ),
    (
        "ALTER TABLE entries DISABLE TRIGGER ALL; UPDATE entries SET amount_cents = amount_cents + 5
         WHERE account_id = 4000000000000000001 + 100 * bucket()",
        "UPDATE entries SET amount_cents = amount_cents - 5 WHERE account_id = 4000000000000000001 + 100 * bucket();
         ALTER TABLE entries ENABLE TRIGGER ALL",
        " does not follow the entry before it.",
    ),
    (
        "ALTER TABLE entries DISABLE TRIGGER ALL; UPDATE entries SET hash = sha256(hash) WHERE (account_id, posting_id) =
            (SELECT account_id, max(posting_id) FROM entries JOIN accounts ON accounts.id = account_id
             WHERE kind = 'held' GROUP BY account_id);
         UPDATE accounts SET head_hash = sha256(head_hash) WHERE kind = 'held'",
        "UPDATE entries SET hash = entry_hash('', account_id, posting_id, amount_cents, balance_after_cents,
            (SELECT posting_header(postings) FROM postings WHERE id = posting_id)) WHERE account_id = (SELECT id FROM accounts WHERE kind = 'held');
         UPDATE accounts SET head_hash = (SELECT hash FROM entries WHERE account_id = id) WHERE kind = 'held';
         ALTER TABLE entries ENABLE TRIGGER ALL",
        "does not follow the entry before it.",
    ),
    (
        "UPDATE transactions SET amount_cents = amount_cents + 100, net_amount_cents = net_amount_cents + 100
         WHERE kind = 'withdrawal'",
        "UPDATE transactions SET amount_cents = amount_cents - 100, net_amount_cents = net_amount_cents - 100
         WHERE kind = 'withdrawal'",
        "holds $100.00, their open withdrawal is $101.00.",
    ),
    (
        "ALTER TABLE trade_fundings DISABLE TRIGGER ALL; UPDATE trade_fundings SET amount_cents = amount_cents - 1",
        "UPDATE trade_fundings SET amount_cents = amount_cents + 1; ALTER TABLE trade_fundings ENABLE TRIGGER ALL",
        "has $200.00 invested, their open trades are $199.99.",
    ),
];

async fn run(pool: &PgPool, sql: &'static str) {
    sqlx::raw_sql(sql).execute(pool).await.unwrap();
}

async fn integrity(world: &World) -> GetIntegrityResponse {
    let request = with_token(GetIntegrityRequest {}, &world.reviewer);
    world.grpc.get_integrity(request).await.unwrap().into_inner()
}

async fn propose(world: &World, token: &str) -> Result<Proposal, Status> {
    let answer = world.grpc.propose_reopening(with_token(ProposeReopeningRequest::default(), token)).await?;
    Ok(answer.into_inner().proposal.unwrap())
}

async fn confirm(world: &World, token: &str, proposal: &Proposal) -> Result<Proposal, Status> {
    let request = ConfirmProposalRequest { proposal_id: proposal.id.clone(), ..Default::default() };
    Ok(world.grpc.proposals().confirm_proposal(with_token(request, token)).await?.into_inner().proposal.unwrap())
}

/// [L1] [L2] [L3] [L5] [L6] [T4] [D-R6] Anything wrong with the books stops withdrawals and is named; nothing else does.
#[sqlx::test(migrations = false)]
async fn every_kind_of_damage_stops_withdrawals(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(100_000).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let request = FundTradeRequest {
        trade_id: Uuid::new_v4().to_string(),
        user_id: member.id.to_string(),
        amount_cents: 20_000,
        plan_title: "Growth".to_owned(),
    };
    let credential = world.realm.service_token("trade");
    world.grpc.fund_trade(with_token(request, &credential)).await.unwrap();
    assert!(world.check().await);
    for (damage, repair, complaint) in DAMAGES {
        run(&pool, damage).await;
        assert!(!world.check().await, "{damage}");
        let found = integrity(&world).await;
        assert!(!found.ok && found.withdrawals_stopped && found.stopped_at.is_some());
        assert!(found.stop_reason.contains(complaint), "{}", found.stop_reason);
        assert!(found.faults.iter().any(|fault| fault.detail.contains(complaint)), "{:?}", found.faults);
        run(&pool, repair).await;
        // What is right again does not open by itself.
        assert!(!world.check().await);
        let found = integrity(&world).await;
        assert!(found.ok && found.withdrawals_stopped, "{damage}: {found:?}");
        run(
            &pool,
            "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid(),
                reopening_proposed_by = gen_random_uuid() WHERE reopened_at IS NULL",
        )
        .await;
        assert!(world.check().await);
    }
    world.assert_books().await;
}

/// [D-M7] Everybody can ask whether withdrawals are open, and reads what a member reads who tries.
#[sqlx::test(migrations = false)]
async fn everybody_sees_a_pause(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    assert!(world.check().await);
    let state = async || {
        let request = world.realm.visitor(GetWithdrawalStateRequest {});
        world.grpc.get_withdrawal_state(request).await.unwrap().into_inner()
    };
    assert_eq!(state().await, GetWithdrawalStateResponse::default());
    run(&pool, "INSERT INTO withdrawal_pauses (reason) VALUES ('Account 4: its head is not the newest entry.')").await;
    let paused = state().await;
    let sentence = "Withdrawals are paused while we check our books. Your balance is safe; please try again later.";
    assert!(paused.paused == sentence && paused.paused_at.is_some(), "{paused:?}");
    // The check of the ledger is late: nothing goes out either.
    run(
        &pool,
        "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid(),
            reopening_proposed_by = gen_random_uuid()",
    )
    .await;
    assert_eq!(state().await.paused, "");
    run(&pool, "UPDATE ledger_checks SET checked_at = now() - interval '11 minutes'").await;
    let late = state().await;
    assert!(late.paused == sentence && late.paused_at.is_none(), "{late:?}");
}

/// [D-W5] [D-G2] [D-G3] While stopped no withdrawal moves on, in calm words; money still comes in and goes back.
#[sqlx::test(migrations = false)]
async fn while_stopped_nothing_goes_out(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (one, two, three) =
        (world.member_with(20_000).await, world.member_with(20_000).await, world.member_with(20_000).await);
    let requested = world.withdraw(&one, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&world.withdraw(&two, withdrawal(10_000)).await.unwrap()).await.unwrap();
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents + 1 WHERE kind = 'bonus'").await;
    // Several processes look at once: one stop, one row in the trail.
    join_all((0..8).map(|_| check_ledger(&world.home().db))).await;
    assert!(!world.check().await);
    assert_eq!(world.count("SELECT count(*) FROM withdrawal_pauses").await, 1);
    let keyed = RequestWithdrawalRequest { idempotency: key("again"), ..withdrawal(10_000) };
    for no in [
        refusal(world.withdraw(&three, withdrawal(10_000)).await),
        refusal(world.withdraw(&three, keyed.clone()).await),
        refusal(world.approve(&requested).await),
        refusal(world.pay(&approved).await),
    ] {
        assert_eq!((no.kind, no.code.as_str()), (Kind::Unavailable, "WITHDRAWALS_STOPPED"));
        assert_eq!(
            no.message,
            "Withdrawals are paused while we check our books. Your balance is safe; please try again later."
        );
        assert!(no.retry_after.is_some());
    }
    let paid_in = world.deposit(&three, deposit(10_000)).await.unwrap();
    world.approve(&paid_in).await.unwrap();
    world.reject(&requested, "OTHER").await.unwrap();
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents - 1 WHERE kind = 'bonus'").await;
    world.check().await;
    let treasurers = [world.treasurer.clone(), world.realm.staff(Role::Treasurer).1];
    let proposal = propose(&world, &treasurers[0]).await.unwrap();
    confirm(&world, &treasurers[1], &proposal).await.unwrap();
    // The refusal was no answer to keep under the key.
    world.withdraw(&three, keyed).await.unwrap();
    world.pay(&approved).await.unwrap();
    world.assert_books().await;
}

/// [D-O4] [D-O3] [D-R2] Two people of treasurer or admin open withdrawals again, and only when the books add up.
#[sqlx::test(migrations = false)]
async fn two_people_open_withdrawals_again(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    let admin = world.realm.staff(Role::Admin).1;
    assert_eq!(code(propose(&world, &admin).await), "WITHDRAWALS_NOT_STOPPED");
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents + 1 WHERE kind = 'available'").await;
    world.check().await;
    for role in [Role::Reviewer, Role::Manager, Role::Auditor] {
        assert_eq!(code(propose(&world, &world.realm.staff(role).1).await), "PERMISSION_DENIED");
    }
    let proposal = propose(&world, &world.treasurer).await.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.status()), ("withdrawals.reopen", ProposalStatus::Open));
    assert!(proposal.before_json.contains("says $200.01 of 1 entries"), "{}", proposal.before_json);
    assert_eq!(code(confirm(&world, &world.treasurer, &proposal).await), "SELF_CONFIRMATION");
    assert_eq!(code(confirm(&world, &world.reviewer, &proposal).await), "PERMISSION_DENIED");
    assert_eq!(code(confirm(&world, &admin, &proposal).await), "BOOKS_NOT_BALANCED");
    assert!(integrity(&world).await.withdrawals_stopped);
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents - 1 WHERE kind = 'available'").await;
    assert_eq!(code(confirm(&world, &admin, &proposal).await), "BOOKS_NOT_BALANCED", "not looked at since");
    world.check().await;
    let confirmed = confirm(&world, &admin, &proposal).await.unwrap();
    assert_eq!(confirmed.status(), ProposalStatus::Confirmed);
    assert!(!integrity(&world).await.withdrawals_stopped);
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let auditor = world.realm.staff(Role::Auditor).1;
    let filter = Some(AuditFilter { action: "withdrawals.".to_owned(), ..Default::default() });
    let request = with_token(ListAuditRowsRequest { page: None, filter }, &auditor);
    let rows = world.grpc.audit_log().list_audit_rows(request).await.unwrap().into_inner().rows;
    let acts: Vec<_> = rows.iter().map(|row| (row.action.as_str(), row.actor_role.as_str())).collect();
    assert_eq!(
        acts,
        [
            ("withdrawals.reopen.confirm", "admin"),
            ("withdrawals.reopen.propose", "treasurer"),
            ("withdrawals.stop", "system")
        ]
    );
    assert!(rows[2].after_json.contains("says $200.01 of 1 entries"));
    assert_eq!(chassis::audit::broken_at(&mut *pool.acquire().await.unwrap()).await.unwrap(), None);
}

/// [D-O6] A7: a proposal names its stop and ends that one alone; one of a version that named none ends nothing.
#[sqlx::test(migrations = false)]
async fn a_reopening_ends_the_stop_it_names(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let other = world.realm.staff(Role::Treasurer).1;
    run(&pool, "INSERT INTO withdrawal_pauses (reason) VALUES ('one')").await;
    world.check().await;
    let (first, second, third) = (
        propose(&world, &world.treasurer).await.unwrap(),
        propose(&world, &world.treasurer).await.unwrap(),
        propose(&world, &world.treasurer).await.unwrap(),
    );
    confirm(&world, &other, &first).await.unwrap();
    run(&pool, "INSERT INTO withdrawal_pauses (reason) VALUES ('two')").await;
    assert_eq!(code(confirm(&world, &other, &second).await), "WITHDRAWALS_NOT_STOPPED");
    sqlx::query("UPDATE proposals SET change = '{}' WHERE id = $1::uuid").bind(&third.id).execute(&pool).await.unwrap();
    assert_eq!(code(confirm(&world, &other, &third).await), "STALE_REVISION");
    assert!(integrity(&world).await.withdrawals_stopped);
    let right = propose(&world, &world.treasurer).await.unwrap();
    confirm(&world, &other, &right).await.unwrap();
    assert!(!integrity(&world).await.withdrawals_stopped);
}

/// [D-O6] C4: a correction falls with the role of its proposer: refused with the same answer under its key, and ended.
#[sqlx::test(migrations = false)]
async fn a_correction_falls_with_its_proposers_role(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let (proposer, token) = world.realm.staff(Role::Treasurer);
    let request = correction(&member, CorrectionKind::AdjustmentCredit, 100);
    let answer = world.grpc.propose_correction(with_token(request, &token)).await.unwrap();
    let proposal = answer.into_inner().proposal.unwrap();
    world.realm.give_role(proposer, Some(Role::Reviewer));
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(confirm(&world, &other, &proposal).await), "PROPOSER_NOT_PERMITTED");
    world.realm.give_role(proposer, Some(Role::Treasurer));
    assert_eq!(code(confirm(&world, &other, &proposal).await), "PROPOSAL_CLOSED");
    let wallet = world.grpc.get_wallet(with_token(GetWalletRequest {}, &member.token)).await.unwrap().into_inner();
    assert_eq!(wallet.wallet.unwrap().available_cents, 20_000);
}

/// [D-R6] [A12] Books that were not checked for ten minutes, or never, let nothing out, and are not said to be right.
#[sqlx::test(migrations = false)]
async fn unwatched_books_let_nothing_out(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    world.check().await;
    run(&pool, "UPDATE ledger_checks SET checked_at = checked_at - interval '9 minutes 30 seconds'").await;
    assert!(integrity(&world).await.ok);
    run(&pool, "UPDATE ledger_checks SET checked_at = checked_at - interval '30 seconds'").await;
    assert!(!integrity(&world).await.ok);
    assert_eq!(code(world.withdraw(&member, withdrawal(10_000)).await), "WITHDRAWALS_STOPPED");
    assert!(world.check().await);
    assert!(integrity(&world).await.ok);
    run(&pool, "UPDATE ledger_checks SET checked_at = NULL, walked_at = NULL").await;
    let never = integrity(&world).await;
    assert!(!never.ok && never.checked_at.is_none() && never.walked_at.is_none());
    assert_eq!(code(world.withdraw(&member, withdrawal(10_000)).await), "WITHDRAWALS_STOPPED");
    assert!(world.check().await);
    assert!(integrity(&world).await.walked_at.is_some());
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
}

/// [D-O4] The database too refuses one person in both parts, and keeps a stop that is over as it was.
#[sqlx::test(migrations = false)]
async fn the_database_wants_two_people(pool: PgPool) {
    World::new(pool.clone()).await;
    run(&pool, "INSERT INTO withdrawal_pauses (reason) VALUES ('test')").await;
    for (sql, constraint) in [
        (
            "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = one, reopening_proposed_by = one
             FROM gen_random_uuid() AS one",
            "withdrawal_pauses_two_people",
        ),
        ("UPDATE withdrawal_pauses SET reopened_at = now()", "withdrawal_pauses_reopening"),
        (
            "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid()",
            "withdrawal_pauses_reopening",
        ),
        ("DELETE FROM withdrawal_pauses", "withdrawal_pauses_reopened_once"),
        ("INSERT INTO withdrawal_pauses (reason) VALUES ('another')", "withdrawal_pauses_one_in_force"),
    ] {
        let no = sqlx::raw_sql(sql).execute(&pool).await.unwrap_err();
        assert_eq!(chassis::db::constraint(&no), Some(constraint), "{sql}");
    }
    run(
        &pool,
        "UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid(),
            reopening_proposed_by = gen_random_uuid()",
    )
    .await;
    let no = sqlx::raw_sql(
        "UPDATE withdrawal_pauses SET reopened_at = NULL, reopened_by = NULL, reopening_proposed_by = NULL",
    )
    .execute(&pool)
    .await
    .unwrap_err();
    assert_eq!(chassis::db::constraint(&no), Some("withdrawal_pauses_reopened_once"));
}

/// [D-O1] An admin, who may open withdrawals again, moves no money by a correction.
#[sqlx::test(migrations = false)]
async fn an_admin_confirms_no_correction(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let proposal = corrections::propose(&world, &member, CorrectionKind::AdjustmentCredit, 100).await.unwrap();
    let admin = world.realm.staff(Role::Admin).1;
    assert_eq!(code(confirm(&world, &admin, &proposal).await), "PERMISSION_DENIED");
    let request = RejectProposalRequest { proposal_id: proposal.id.clone(), ..Default::default() };
    assert_eq!(code(world.grpc.proposals().reject_proposal(with_token(request, &admin)).await), "PERMISSION_DENIED");
    let wallet = world.grpc.get_wallet(with_token(GetWalletRequest {}, &member.token)).await.unwrap().into_inner();
    assert_eq!(wallet.wallet.unwrap().available_cents, 20_000);
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(confirm(&world, &other, &proposal).await.unwrap().status(), ProposalStatus::Confirmed);
}
