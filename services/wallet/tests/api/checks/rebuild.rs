//! Balances that two treasurers have computed again.

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::checks::{faults, run, walk};
use crate::fixture::{World, code};

/// [A6] An account that drifted verifies again after two treasurers had it computed from its entries, even when postings
/// went on from the wrong balance; no other account can be touched, and the audit log shows it.
#[sqlx::test(migrations = false)]
async fn two_treasurers_rebuild_an_account(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(50_000).await;
    let account: i64 =
        sqlx::query_scalar("SELECT id FROM accounts WHERE kind = 'available'").fetch_one(&pool).await.unwrap();
    let propose = async |token: &str, account_id: i64| {
        let request = ProposeRebuildRequest { account_id, note: "drift of 7 cents".to_owned(), ..Default::default() };
        Ok::<_, tonic::Status>(
            world.grpc.propose_rebuild(with_token(request, token)).await?.into_inner().proposal.unwrap(),
        )
    };
    let confirm = async |token: &str, id: &str| {
        let request = ConfirmProposalRequest { proposal_id: id.to_owned(), ..Default::default() };
        world.grpc.proposals().confirm_proposal(with_token(request, token)).await
    };
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(propose(&world.treasurer, account).await), "NOT_FOUND", "it verifies");
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents + 7 WHERE kind = 'available'").await;
    assert!(!world.check().await);
    world.deposit_confirmed(&member, 10_000).await;
    for no in [&world.reviewer, &world.realm.staff(Role::Admin).1] {
        assert_eq!(code(propose(no, account).await), "PERMISSION_DENIED");
    }
    assert_eq!(code(propose(&world.treasurer, 4_000_000_000_000_000_002).await), "NOT_FOUND", "it verifies");
    let proposal = propose(&world.treasurer, account).await.unwrap();
    assert!(
        proposal.before_json.contains("60007") && proposal.change_json.contains("60000"),
        "{}",
        proposal.before_json
    );
    assert_eq!(code(confirm(&world.treasurer, &proposal.id).await), "SELF_CONFIRMATION");
    assert_eq!(code(confirm(&world.realm.staff(Role::Admin).1, &proposal.id).await), "PERMISSION_DENIED");
    confirm(&other, &proposal.id).await.unwrap();
    assert_eq!(world.wallet(&member).await.available_cents, 60_000);
    world.deposit_confirmed(&member, 10_000).await;
    world.check().await;
    walk(&pool).await;
    assert_eq!(faults(&pool).await, Vec::<String>::new());
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action LIKE 'ledger.rebuild.%'").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM account_rebuilds WHERE stored_balance_cents = 60007").await, 1);
    // What is behind the rebuild still counts by its sum.
    run(
        &pool,
        "SET session_replication_role = replica; UPDATE entries SET amount_cents = amount_cents + 1 FROM accounts
        WHERE accounts.id = account_id AND kind = 'available' AND amount_cents = 50000",
    )
    .await;
    walk(&pool).await;
    assert!(faults(&pool).await.iter().any(|one| one.contains("before its rebuild")), "{:?}", faults(&pool).await);
}

/// [A6] The database rebuilds only an account that does not verify, by a confirmed proposal for it.
#[sqlx::test(migrations = false)]
async fn the_database_rebuilds_nothing_by_itself(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.member_with(50_000).await;
    let refused = async || {
        let no = sqlx::query(
            "SELECT rebuild_account(id, '00000000-0000-0000-0000-0000000000f1') FROM accounts
            WHERE kind = 'available'",
        )
        .execute(&pool)
        .await
        .unwrap_err();
        no.as_database_error().and_then(|no| no.constraint()).unwrap().to_owned()
    };
    run(&pool, "UPDATE accounts SET balance_cents = balance_cents + 7 WHERE kind = 'available'").await;
    world.check().await;
    assert_eq!(refused().await, "account_rebuilds_confirmed");
    run(&pool, "INSERT INTO proposals (id, kind, change, proposed_by) SELECT '00000000-0000-0000-0000-0000000000f1',
            'ledger.rebuild', jsonb_build_object('accountId', id), gen_random_uuid() FROM accounts WHERE kind = 'available';
        UPDATE accounts SET balance_cents = balance_cents - 7 WHERE kind = 'available'").await;
    assert_eq!(refused().await, "account_rebuilds_confirmed", "an open proposal confirms nothing");
    run(
        &pool,
        "UPDATE proposals SET status = 'confirmed', decided_by = gen_random_uuid(), decided_at = clock_timestamp()",
    )
    .await;
    world.check().await;
    assert_eq!(refused().await, "account_rebuilds_faulty");
}
