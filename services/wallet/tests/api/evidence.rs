//! What the chain shows about a transaction, for staff and for its member.

use std::sync::{Arc, Mutex};

use chassis::clock::Timestamp;
use chassis::error::{Kind, refusal_to_status};
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{GetEvidenceRequest, GetEvidenceResponse};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    ApproveTransactionRequest, GetPaymentsRequest, GetReviewRequest, MarkWithdrawalPaidRequest, TransactionStatus,
};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::fixture::{World, code, deposit, refusal, withdrawal};

/// payment-method, which knows of nothing until a test says so.
#[derive(Clone)]
pub struct FakeEvidence {
    verifier: chassis::identity::Verifier,
    pub asked: Arc<Mutex<Vec<GetEvidenceRequest>>>,
    pub shown: Arc<Mutex<Option<ChainEvidence>>>,
}

impl FakeEvidence {
    pub fn new(verifier: chassis::identity::Verifier) -> Self {
        Self { verifier, asked: Arc::default(), shown: Arc::default() }
    }
}

#[tonic::async_trait]
impl EvidenceService for FakeEvidence {
    async fn get_evidence(
        &self,
        request: Request<GetEvidenceRequest>,
    ) -> Result<Response<GetEvidenceResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        self.asked.lock().unwrap().push(request.into_inner());
        Ok(Response::new(GetEvidenceResponse { evidence: self.shown.lock().unwrap().clone() }))
    }
}

fn shown() -> ChainEvidence {
    ChainEvidence {
        payments: vec![ChainPayment { txid: "ab".repeat(32), state: "included".to_owned(), ..Default::default() }],
        checks: vec![EvidenceCheck { name: "payment_found".to_owned(), state: "ok".to_owned(), ..Default::default() }],
        suggested_cents: Some(10_000),
        ..Default::default()
    }
}

/// [D-Q4] [D-R17] Staff see what the chain shows with the other checks, each with its state; the member sees the payment, and
/// nothing that was checked. Nobody else does.
#[sqlx::test(migrations = false)]
async fn evidence_is_for_staff_and_the_member(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let review = |token: &str| with_token(GetReviewRequest { id: made.id.clone() }, token);
    let none = world.doors.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(none.evidence, None);
    assert!(none.checks.iter().all(|check| check.state == if check.ok { "ok" } else { "warn" }));
    *world.evidence.shown.lock().unwrap() = Some(shown());
    let found = world.doors.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(found.evidence, Some(shown()));
    let payments = |token: &str| with_token(GetPaymentsRequest { id: made.id.clone() }, token);
    let told = world.doors.get_payments(payments(&member.token)).await.unwrap().into_inner().evidence.unwrap();
    assert_eq!((told.payments, told.checks), (shown().payments, vec![]));
    assert_eq!(refusal(world.doors.get_payments(payments(&other.token)).await).kind, Kind::NotFound);
    let asked = world.evidence.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.is_payout, asked.claimed_cents), (false, 10_000));
    assert!(!asked.address.is_empty() && asked.requested_at.is_some());
}

/// [D-Q4] Of a payout the destination is looked for.
#[sqlx::test(migrations = false)]
async fn payouts_are_looked_for_at_their_destination(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let request = with_token(GetReviewRequest { id: made.id.clone() }, &world.reviewer);
    world.doors.get_review(request).await.unwrap();
    let asked = world.evidence.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.is_payout, Some(asked.address)), (true, made.destination.map(|to| to.address)));
}

/// [D-Q5] Whoever marks a payout as paid is stopped if another one to the destination has appeared that they have not seen, and
/// not by their own.
#[sqlx::test(migrations = false)]
async fn an_unseen_payout_stops_another(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.withdraw(&world.member_with(20_000).await, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let payout = |txid: &str, seconds| ChainPayment {
        txid: txid.repeat(32),
        seen_at: Some(Timestamp { seconds, nanos: 0 }),
        ..Default::default()
    };
    let pay = async |seconds| {
        let message = MarkWithdrawalPaidRequest {
            id: approved.id.clone(),
            revision: approved.revision,
            txid: format!("0x{}", "AB".repeat(32)),
            client_address: "::1".to_owned(),
            evidence_at: Some(Timestamp { seconds, nanos: 0 }),
            ..Default::default()
        };
        world.doors.mark_withdrawal_paid(with_token(message, &world.treasurer)).await
    };
    let payments = vec![payout("ab", 1_800_000_020), payout("cd", 1_800_000_010)];
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    assert_eq!(code(pay(1_800_000_009).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let paid = pay(1_800_000_010).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
}

/// [D-Q5] An approval reads the evidence again: if the payment changed since the reviewer saw it, nothing is decided. Evidence
/// that cannot be read decides nothing either; who saw none is not held up by it.
#[sqlx::test(migrations = false)]
async fn stale_evidence_decides_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let changed = |seconds| Some(Timestamp { seconds, nanos: 700_000 });
    let approve = async |evidence_at: Option<Timestamp>| {
        let message = ApproveTransactionRequest {
            id: made.id.clone(),
            revision: made.revision,
            received_amount_cents: Some(10_000),
            txid: "ab".repeat(32),
            client_address: "::1".to_owned(),
            evidence_at,
            ..Default::default()
        };
        world.doors.approve_transaction(with_token(message, &world.reviewer)).await
    };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { changed_at: changed(1_800_000_010), ..shown() });
    let seen = |seconds| Some(Timestamp { seconds, nanos: 0 });
    assert_eq!(code(approve(seen(1_800_000_009)).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let done = approve(seen(1_800_000_010)).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(done.status(), TransactionStatus::Success);
}
