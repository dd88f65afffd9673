//! What is decided stays decided: no call changes it, and a mistake is corrected by a posting of its own.

use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{World, code, deposit, hash, refusal, withdrawal};

/// Every row that money or a decision could change, as one text.
async fn state(world: &World) -> String {
    sqlx::query_scalar(
        "SELECT concat_ws('\n', (SELECT string_agg(t::text, ' ' ORDER BY id) FROM transactions AS t),
            (SELECT string_agg(a::text, ' ' ORDER BY id) FROM accounts AS a),
            (SELECT string_agg(e::text, ' ' ORDER BY account_id, posting_id) FROM entries AS e),
            (SELECT count(*) FROM outbox), (SELECT count(*) FROM audit_rows))",
    )
    .fetch_one(&world.pool)
    .await
    .unwrap()
}

/// [D-W5] [L11] [D-O2] A paid or rejected withdrawal never changes again: every call, under every revision it ever had.
#[sqlx::test(migrations = false)]
async fn a_decided_withdrawal_never_changes(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(900_000).await;
    let mut ended = Vec::new();
    for end in ["paid", "rejected", "rejected after its approval"] {
        let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
        ended.push(match end {
            "paid" => world.pay(&world.approve(&made).await.unwrap()).await.unwrap(),
            "rejected" => world.reject(&made, "OTHER").await.unwrap(),
            _ => world.reject(&world.approve(&made).await.unwrap(), "PAYOUT_FAILED").await.unwrap(),
        });
    }
    let before = state(&world).await;
    for one in &ended {
        for revision in 1..=one.revision + 1 {
            let seen = Transaction { revision, ..one.clone() };
            let wanted = if revision == one.revision { "ALREADY_DECIDED" } else { "STALE_REVISION" };
            for (call, answer) in [
                ("approve", world.approve(&seen).await.map(drop)),
                ("reject", world.reject(&seen, "OTHER").await.map(drop)),
                ("paid", world.pay(&seen).await.map(drop)),
            ] {
                let got = code(answer);
                assert!(got == wanted || got == "ALREADY_DECIDED", "{call} of revision {revision}: {got}");
            }
        }
        assert_eq!(code(world.pay_fee(&member, one).await), "ALREADY_DECIDED");
        let request = SetDestinationRequest {
            transaction_id: one.id.clone(),
            address: "TANOTHERxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
            ..Default::default()
        };
        let answer: Result<_, Status> = world.grpc.set_destination(with_token(request, &member.token)).await;
        assert!(["ALREADY_DECIDED", "DESTINATION_ALREADY_SET"].contains(&refusal(answer).code.as_str()));
    }
    assert_eq!(state(&world).await, before);
    world.assert_books().await;
}

/// [D-D1] [D-D4] Twenty reviewers approve the same deposit at once, each with the hash: it is credited once.
#[sqlx::test(migrations = false)]
async fn twenty_approvals_are_one(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let reviewers: Vec<String> = (0..20).map(|_| world.realm.staff(Role::Reviewer).1).collect();
    let results = join_all(reviewers.iter().map(|token| {
        let request = ApproveTransactionRequest {
            id: made.id.clone(),
            revision: made.revision,
            received_amount_cents: Some(10_000),
            txid: hash("same"),
            note: "seen at an explorer".to_owned(),
            ..Default::default()
        };
        world.grpc.approve_transaction(with_token(request, token))
    }))
    .await;
    let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 1);
    for no in refused {
        assert!(["ALREADY_DECIDED", "STALE_REVISION", "UNAVAILABLE"].contains(&code(no).as_str()));
    }
    assert_eq!(world.wallet(&member).await.available_cents, 10_000);
    assert_eq!(world.house("settlement").await, -10_000);
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows").await, 1);
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested", "wallet.v1.deposit_confirmed"]);
    world.assert_books().await;
}

/// [D-O3] [D-O4] [L5] A wrong approval is corrected by two people with a posting of its own; nothing is edited.
#[sqlx::test(migrations = false)]
async fn a_wrong_approval_is_reversed_not_edited(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(50_000)).await.unwrap();
    let wrong = world.approve_with(&made, 50_000, &hash("wrong")).await.unwrap();
    assert_eq!(code(world.reject(&wrong, "NOT_RECEIVED").await), "ALREADY_DECIDED");
    let rows = "SELECT string_agg(x::text, ' ' ORDER BY x::text) FROM
        (SELECT t::text FROM transactions AS t WHERE kind = 'deposit' UNION ALL SELECT e::text FROM entries AS e
         JOIN postings ON postings.id = posting_id WHERE postings.kind = 'deposit') AS x";
    let read = async || sqlx::query_scalar::<_, String>(rows).fetch_one(&world.pool).await.unwrap();
    let before = read().await;
    let request = ProposeCorrectionRequest {
        user_id: member.id.to_string(),
        kind: CorrectionKind::AdjustmentDebit.into(),
        amount_cents: 50_000,
        note: format!("TNX-{} was never received", &wrong.id[..6]),
        ..Default::default()
    };
    let answer = world.grpc.propose_correction(with_token(request, &world.treasurer)).await.unwrap();
    let proposal_id = answer.into_inner().proposal.unwrap().id;
    let request = ConfirmProposalRequest { proposal_id, client_address: String::new(), ..Default::default() };
    assert_eq!(
        code(world.grpc.proposals().confirm_proposal(with_token(request.clone(), &world.treasurer)).await),
        "SELF_CONFIRMATION"
    );
    assert_eq!(world.wallet(&member).await.available_cents, 50_000);
    let second = world.realm.staff(Role::Treasurer).1;
    world.grpc.proposals().confirm_proposal(with_token(request, &second)).await.unwrap();
    assert_eq!(read().await, before);
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    assert_eq!((world.house("settlement").await, world.house("adjustments").await), (-50_000, 50_000));
    let history: Vec<_> =
        world.history(&member).await.into_iter().map(|one| (one.title, one.status, one.amount_cents)).collect();
    let success = i32::from(TransactionStatus::Success);
    assert_eq!(history, [("Adjustment".to_owned(), success, 50_000), ("Deposit".to_owned(), success, 50_000)]);
    world.assert_books().await;
}
