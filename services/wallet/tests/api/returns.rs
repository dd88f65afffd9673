//! Rejected payments that go back to their members.

use chassis::identity::{PayoutState, Role};
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, Proposal};
use proto::payment_method::v1::{ListedPayment, PayoutOnChain, PayoutOutput};
use proto::wallet::v1::treasury_service_server::TreasuryService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;

use crate::corrections::confirm;
use crate::fixture::{Member, PLATFORM_ADDRESS, SAVED_ADDRESS, World, code, deposit, hash, key, refusal};

/// A payment of the member that was rejected.
async fn rejected(world: &World, member: &Member) -> Transaction {
    let made = world.deposit(member, deposit(20_000)).await.unwrap();
    world.reject(&made, "WRONG_NETWORK").await.unwrap()
}

/// Its return to the saved address, where no chain is observed.
fn back(one: &Transaction) -> ProposeMovementRequest {
    ProposeMovementRequest {
        kind: "refund".to_owned(),
        amount_cents: 19_950,
        txid: hash("back"),
        transaction_id: one.id.clone(),
        arrived_txid: hash("arrived"),
        address: SAVED_ADDRESS.to_owned(),
        note: "as the member asked".to_owned(),
        ..Default::default()
    }
}

async fn propose(world: &World, token: &str, request: ProposeMovementRequest) -> Result<Proposal, Status> {
    Ok(world.grpc.propose_movement(with_token(request, token)).await?.into_inner().proposal.unwrap())
}

/// The field that was refused.
fn wrong<T>(result: Result<T, Status>) -> String {
    let no = refusal(result);
    assert_eq!(no.code, "VALIDATION_FAILED");
    no.fields[0].0.clone()
}

/// [D-M5] [D-N1] Two treasurers return a rejected payment to an address that the member confirmed: both payments are consumed once,
/// the balance stays, and the member is mailed and keeps the step with address and hash.
#[sqlx::test(migrations = false)]
async fn a_rejected_payment_goes_back_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    let pending = world.deposit(&member, deposit(20_000)).await.unwrap();
    assert_eq!(wrong(propose(&world, &world.treasurer, back(&pending)).await), "transactionId");
    let one = world.reject(&pending, "WRONG_NETWORK").await.unwrap();
    assert_eq!(wrong(propose(&world, &world.treasurer, back(&one)).await), "address");
    assert!(world.review(&one.id).await.return_to.is_empty());
    world.know(&world.member(), SAVED_ADDRESS, "").await;
    assert_eq!(wrong(propose(&world, &world.treasurer, back(&one)).await), "address");
    world.know(&member, SAVED_ADDRESS, "").await;
    let open = world.review(&one.id).await.return_to;
    assert_eq!(open, [Destination { address: SAVED_ADDRESS.to_owned(), memo: String::new() }]);

    assert_eq!(code(propose(&world, &world.reviewer, back(&one)).await), "PERMISSION_DENIED");
    let no = ProposeMovementRequest { arrived_txid: "none".to_owned(), ..back(&one) };
    assert_eq!(wrong(propose(&world, &world.treasurer, no).await), "arrivedTxid");
    let no = ProposeMovementRequest { amount_cents: 0, ..back(&one) };
    assert_eq!(wrong(propose(&world, &world.treasurer, no).await), "amount");
    let first = propose(&world, &world.treasurer, back(&one)).await.unwrap();
    let other = propose(&world, &second, back(&one)).await.unwrap();
    assert_eq!(first.subject_id, member.id.to_string());
    assert_eq!(code(confirm(&world, &world.treasurer, &first).await), "SELF_CONFIRMATION");
    assert_eq!(world.transaction(&member, &one.id).await.unwrap().steps.len(), 2);
    confirm(&world, &second, &first).await.unwrap();
    assert_eq!(code(confirm(&world, &world.treasurer, &other).await), "TXID_USED");

    let step = world.transaction(&member, &one.id).await.unwrap().steps.pop().unwrap();
    assert_eq!((step.key.as_str(), step.state()), ("returned", StepState::Done));
    assert_eq!(step.note, format!("$199.50 to {SAVED_ADDRESS} by transaction {}", hash("back")));
    assert_eq!(world.history(&member).await[0].steps.last(), Some(&step));
    assert_eq!(world.review(&one.id).await.returns, [step]);
    assert_eq!(world.wallet(&member).await.available_cents, 0);
    let told = world.events().await;
    assert_eq!(told.iter().filter(|key| *key == "wallet.v1.payment_returned").count(), 1);
    let audited = "SELECT count(*) FROM audit_rows WHERE action IN ('refund.propose', 'refund.confirm') AND member_id IS NOT NULL";
    assert_eq!(world.count(audited).await, 3);
    // What arrived and what went back count for no other transaction.
    let next = world.deposit(&world.member(), deposit(20_000)).await.unwrap();
    for name in ["arrived", "back"] {
        assert_eq!(code(world.approve_with(&next, 20_000, &hash(name)).await), "TXID_USED");
    }
    world.assert_verified().await;
}

/// [D-M5] [D-N1] Where the chain is observed, what arrived and what went back are what it shows: both final, at the address of the
/// request and at the member's, and no more back than arrived.
#[sqlx::test(migrations = false)]
async fn a_return_is_what_the_chain_shows(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    let one = rejected(&world, &member).await;
    world.know(&member, SAVED_ADDRESS, "").await;
    let payment = ChainPayment {
        chain: "tron".to_owned(),
        txid: hash("arrived"),
        index: 4,
        asset: "USDT".to_owned(),
        units: "200000000".to_owned(),
        decimals: 6,
        address: PLATFORM_ADDRESS.to_owned(),
        state: "final".to_owned(),
        value_cents: Some(19_990),
        ..Default::default()
    };
    let show = |payments: Vec<ChainPayment>| {
        *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    };
    let went = |state: &str, units: &str| {
        let output = PayoutOutput { index: 2, units: units.to_owned(), observed: true };
        let shown = PayoutOnChain { state: state.to_owned(), outputs: vec![output] };
        *world.evidence.payout.lock().unwrap() = Some(shown);
    };
    // Staff see what arrived at the address of the rejected payment.
    show(Vec::new());
    let listed = ListedPayment { number: 1, payment: Some(payment.clone()) };
    world.evidence.listed.lock().unwrap().push(listed);
    assert_eq!(world.review(&one.id).await.candidates, std::slice::from_ref(&payment));

    assert_eq!(wrong(propose(&world, &world.treasurer, back(&one)).await), "arrivedTxid");
    show(vec![ChainPayment { state: "included".to_owned(), ..payment.clone() }]);
    assert_eq!(wrong(propose(&world, &world.treasurer, back(&one)).await), "arrivedTxid");
    show(vec![payment]);
    for (state, units) in [("seen", "199500000"), ("missing", "199500000"), ("final", "200000001")] {
        went(state, units);
        assert_eq!(wrong(propose(&world, &world.treasurer, back(&one)).await), "txid");
    }
    went("final", "199500000");
    world.realm.tell_payouts(member.id, PayoutState { stopped: true, ..PayoutState::default() });
    assert_eq!(code(propose(&world, &world.treasurer, back(&one)).await), "PAYOUTS_STOPPED");
    assert!(world.review(&one.id).await.return_to.is_empty());
    let device = OffsetDateTime::now_utc() - Duration::days(3);
    world.realm.tell_payouts(member.id, PayoutState { new_device_at: Some(device), ..PayoutState::default() });

    let keyed = ProposeMovementRequest { idempotency: key("back"), ..back(&one) };
    let proposal = propose(&world, &world.treasurer, keyed.clone()).await.unwrap();
    confirm(&world, &second, &proposal).await.unwrap();
    // [L9] What was consumed meanwhile does not change the answer.
    assert_eq!(propose(&world, &world.treasurer, keyed).await.unwrap().id, proposal.id);
    let step = world.transaction(&member, &one.id).await.unwrap().steps.pop().unwrap();
    assert_eq!(step.note, format!("199.5 USDT to {SAVED_ADDRESS} by transaction {}", hash("back")));
    let consumed: Vec<(String, String, i64)> =
        sqlx::query_as("SELECT direction, txid, vout FROM consumed_payments ORDER BY direction")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    assert_eq!(consumed, [("in".to_owned(), hash("arrived"), 4), ("out".to_owned(), hash("back"), 2)]);
    assert!(world.review(&one.id).await.candidates.is_empty());
    world.assert_verified().await;
}
