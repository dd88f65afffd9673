//! What the chain shows about a transaction, for staff and for its member.

use std::sync::{Arc, Mutex};

use chassis::clock::Timestamp;
use chassis::error::{Kind, refusal_to_status};
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck, PageRequest};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    ConsumedPayment, ConsumedSum, GetConsumedRequest, GetConsumedResponse, GetEvidenceRequest, GetEvidenceResponse,
    GetHoldingsRequest, GetHoldingsResponse, GetPayoutRequest, GetPayoutResponse, ListCandidatesRequest,
    ListCandidatesResponse, ListOutflowsRequest, ListOutflowsResponse, ListPaymentsRequest, ListPaymentsResponse,
    ListedPayment, MatchPayoutsRequest, MatchPayoutsResponse, NoteConsumedRequest, NoteConsumedResponse, PayoutMatch,
    PayoutOnChain,
};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    ApproveTransactionRequest, ApproveTransactionResponse, GetPaymentsRequest, GetReviewRequest,
    ListUnclaimedPaymentsRequest, MarkWithdrawalPaidRequest, RequestDepositRequest, StepState, TakeBackDepositRequest,
    Transaction, TransactionStatus,
};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use wallet::domain::limits::Limits;

use crate::fixture::{Member, World, code, course_payment, deposit, refusal, withdrawal};

/// Outflows on a page.
const OUTFLOWS: usize = 500;

/// payment-method, which knows of nothing until a test says so.
#[derive(Clone)]
pub struct FakeEvidence {
    verifier: chassis::identity::Verifier,
    pub asked: Arc<Mutex<Vec<GetEvidenceRequest>>>,
    pub shown: Arc<Mutex<Option<ChainEvidence>>>,
    /// Newest first.
    pub listed: Arc<Mutex<Vec<ListedPayment>>>,
    pub held: Arc<Mutex<GetHoldingsResponse>>,
    pub matched: Arc<Mutex<Vec<PayoutMatch>>>,
    pub consumed: Arc<Mutex<Vec<ConsumedPayment>>>,
    /// What it says that consumed payments come to.
    pub sums: Arc<Mutex<Vec<ConsumedSum>>>,
    /// Unset as if no node showed payouts.
    pub payout: Arc<Mutex<Option<PayoutOnChain>>>,
}

impl FakeEvidence {
    pub fn new(verifier: chassis::identity::Verifier) -> Self {
        Self {
            verifier,
            asked: Arc::default(),
            shown: Arc::default(),
            listed: Arc::default(),
            held: Arc::default(),
            matched: Arc::default(),
            consumed: Arc::default(),
            sums: Arc::default(),
            payout: Arc::default(),
        }
    }
}

#[tonic::async_trait]
impl EvidenceService for FakeEvidence {
    async fn get_evidence(
        &self,
        request: Request<GetEvidenceRequest>,
    ) -> Result<Response<GetEvidenceResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let mut evidence = self.shown.lock().unwrap().clone();
        for payment in evidence.iter_mut().flat_map(|evidence| &mut evidence.payments) {
            if payment.txid == ANY && !asked.txid.is_empty() {
                payment.txid.clone_from(&asked.txid);
            }
        }
        if let Some(evidence) = &mut evidence {
            let is_taken = |one: &ChainPayment| {
                asked.consumed.iter().any(|taken| (&taken.txid, taken.index) == (&one.txid, one.index))
            };
            evidence
                .payments
                .retain(|one| !is_taken(one) && (asked.outputs.is_empty() || asked.outputs.contains(&one.index)));
        }
        self.asked.lock().unwrap().push(asked);
        Ok(Response::new(GetEvidenceResponse { evidence }))
    }

    async fn list_payments(
        &self,
        request: Request<ListPaymentsRequest>,
    ) -> Result<Response<ListPaymentsResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let ListPaymentsRequest { before, size } = request.into_inner();
        let listed = self.listed.lock().unwrap();
        let page = listed.iter().filter(|one| before == 0 || one.number < before).take(size.unsigned_abs() as usize);
        Ok(Response::new(ListPaymentsResponse { payments: page.cloned().collect() }))
    }

    async fn list_candidates(
        &self,
        request: Request<ListCandidatesRequest>,
    ) -> Result<Response<ListCandidatesResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let asked = request.into_inner();
        let listed = self.listed.lock().unwrap();
        let at_address = listed.iter().filter(|one| {
            one.payment
                .as_ref()
                .is_some_and(|payment| payment.address == asked.address && payment.asset == asked.currency)
        });
        Ok(Response::new(ListCandidatesResponse { payments: at_address.cloned().collect() }))
    }

    async fn get_holdings(
        &self,
        request: Request<GetHoldingsRequest>,
    ) -> Result<Response<GetHoldingsResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let mut held = self.held.lock().unwrap().clone();
        held.outflows.truncate(OUTFLOWS);
        Ok(Response::new(held))
    }

    async fn list_outflows(
        &self,
        request: Request<ListOutflowsRequest>,
    ) -> Result<Response<ListOutflowsResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let after = request.into_inner().after;
        let all = self.held.lock().unwrap().outflows.clone();
        let behind = all.into_iter().skip_while(|one| one.number != after).skip(1);
        Ok(Response::new(ListOutflowsResponse { outflows: behind.take(OUTFLOWS).collect() }))
    }

    async fn match_payouts(
        &self,
        request: Request<MatchPayoutsRequest>,
    ) -> Result<Response<MatchPayoutsResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        self.matched.lock().unwrap().extend(request.into_inner().matches);
        Ok(Response::new(MatchPayoutsResponse {}))
    }

    async fn note_consumed(
        &self,
        request: Request<NoteConsumedRequest>,
    ) -> Result<Response<NoteConsumedResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        self.consumed.lock().unwrap().extend(request.into_inner().payments);
        Ok(Response::new(NoteConsumedResponse {}))
    }

    async fn get_consumed(
        &self,
        request: Request<GetConsumedRequest>,
    ) -> Result<Response<GetConsumedResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        Ok(Response::new(GetConsumedResponse { sums: self.sums.lock().unwrap().clone() }))
    }

    async fn get_payout(&self, request: Request<GetPayoutRequest>) -> Result<Response<GetPayoutResponse>, Status> {
        self.verifier.service(request.metadata(), &["wallet"]).map_err(|refusal| refusal_to_status(&refusal))?;
        Ok(Response::new(GetPayoutResponse { payout: self.payout.lock().unwrap().clone() }))
    }
}

/// The hash of payments that are found under any hash.
const ANY: &str = "abababababababababababababababababababababababababababababababab";

fn shown() -> ChainEvidence {
    let payment = ChainPayment {
        chain: "tron".to_owned(),
        txid: ANY.to_owned(),
        state: "final".to_owned(),
        asset: "USDT".to_owned(),
        units: "100000000".to_owned(),
        ..Default::default()
    };
    ChainEvidence {
        payments: vec![payment],
        checks: vec![EvidenceCheck { name: "payment_found".to_owned(), state: "ok".to_owned(), ..Default::default() }],
        suggested_cents: Some(10_000),
        ..Default::default()
    }
}

/// [D-N7] The confirmations of a deposit follow from what the member claims by others within an hour, refused ones aside.
#[sqlx::test(migrations = false)]
async fn deposits_of_an_hour_are_added(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let made = world.deposit(&member, deposit(70_000)).await.unwrap();
    world.deposit(&member, deposit(80_000)).await.unwrap();
    world.deposit(&member, deposit(10_000)).await.unwrap();
    world.deposit(&other, deposit(90_000)).await.unwrap();
    let review = GetReviewRequest { id: made.id.clone(), ..Default::default() };
    let lately = async || {
        world.grpc.get_review(with_token(review.clone(), &world.reviewer)).await.unwrap();
        world.evidence.asked.lock().unwrap().last().unwrap().claimed_lately_cents
    };
    assert_eq!(lately().await, 90_000);
    sqlx::query("UPDATE transactions SET created_at = created_at - interval '2 hours' WHERE amount_cents = 80000")
        .execute(&world.pool)
        .await
        .unwrap();
    assert_eq!(lately().await, 10_000);
}

/// [D-Q4] [D-R17] Staff see what the chain shows with the other checks, each with its state; the member sees the payment, and
/// nothing that was checked. Nobody else does.
#[sqlx::test(migrations = false)]
async fn evidence_is_for_staff_and_the_member(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let review = |token: &str| with_token(GetReviewRequest { id: made.id.clone(), ..Default::default() }, token);
    let none = world.grpc.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(none.evidence, None);
    let unknown = none.checks.iter().find(|check| check.name == "payment_found").unwrap();
    assert_eq!((unknown.ok, unknown.state.as_str()), (false, "unknown"));
    assert!(none.checks.iter().all(|check| check.ok == (check.state == "ok")));
    *world.evidence.shown.lock().unwrap() = Some(shown());
    let found = world.grpc.get_review(review(&world.reviewer)).await.unwrap().into_inner();
    assert_eq!(found.evidence, Some(shown()));
    let payments = |token: &str| with_token(GetPaymentsRequest { id: made.id.clone() }, token);
    let told = world.grpc.get_payments(payments(&member.token)).await.unwrap().into_inner();
    let keys: Vec<_> = told.steps.iter().map(|step| step.key.as_str()).collect();
    assert_eq!(keys, ["requested", "seen", "confirmed", "reviewed", "credited"]);
    let told = told.evidence.unwrap();
    assert_eq!((told.payments, told.checks), (shown().payments, vec![]));
    assert_eq!(refusal(world.grpc.get_payments(payments(&other.token)).await).kind, Kind::NotFound);
    let asked = world.evidence.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.is_payout, asked.claimed_cents), (false, 10_000));
    assert!(!asked.address.is_empty() && asked.requested_at.is_some());
    // Nothing that a member reads has a node asked.
    let asked: Vec<_> = world.evidence.asked.lock().unwrap().iter().map(|asked| asked.is_for_member).collect();
    assert_eq!(asked, [false, false, true]);
}

/// [D-M5] [D-M6] A member takes back a pending deposit or course payment that nothing was seen of, again without effect; never one
/// whose payment is on the chain or was approved once, a fee, a decided one or another member's.
#[sqlx::test(migrations = false)]
async fn a_member_takes_back_what_nothing_was_seen_of(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(20_000).await, world.member());
    let take_back = async |by: &Member, id: &str| {
        let request = with_token(TakeBackDepositRequest { id: id.to_owned() }, &by.token);
        world.grpc.take_back_deposit(request).await.map(|answer| answer.into_inner().transaction.unwrap())
    };
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    assert_eq!(code(take_back(&other, &made.id).await), "NOT_FOUND");
    *world.evidence.shown.lock().unwrap() = Some(shown());
    let refused = refusal(take_back(&member, &made.id).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Conflict, "PAYMENT_SEEN"));
    // What the chain has lost was not paid.
    let lost = ChainPayment { state: "replaced".to_owned(), ..shown().payments[0].clone() };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments: vec![lost], ..shown() });
    for _ in 0..2 {
        let ended = take_back(&member, &made.id).await.unwrap();
        assert_eq!((ended.status(), ended.reason_code.as_str()), (TransactionStatus::Failed, "MEMBER_REQUEST"));
        assert_eq!(
            ended.steps.last().map(|step| (step.key.as_str(), step.state())),
            Some(("ended", StepState::Failed))
        );
    }
    let told = world.events().await;
    assert_eq!(told.iter().filter(|key| *key == "wallet.v1.deposit_taken_back").count(), 1);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'deposit.take_back'").await, 1);
    assert_eq!(code(world.approve(&made).await), "ALREADY_DECIDED");
    *world.evidence.shown.lock().unwrap() = None;
    let course = world.deposit(&member, course_payment()).await.unwrap();
    take_back(&member, &course.id).await.unwrap();
    world.deposit(&member, course_payment()).await.unwrap();
    let large = world.deposit(&member, deposit(1_000_000)).await.unwrap();
    world.approve_as(&world.reviewer, &large, 1_000_000, (&world.new_txid(), None)).await.unwrap();
    assert_eq!(code(take_back(&member, &large.id).await), "PAYMENT_SEEN");
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let fee = world.pay_fee(&member, &open).await.unwrap();
    for id in [&open.id, &fee.id] {
        assert_eq!(code(take_back(&member, id).await), "NOT_FOUND");
    }
    let paid = world.history(&member).await.into_iter().find(|one| one.status() == TransactionStatus::Success).unwrap();
    assert_eq!(code(take_back(&member, &paid.id).await), "ALREADY_DECIDED");
    world.assert_books().await;
}

/// [D-Q4] Of a payout the destination is looked for.
#[sqlx::test(migrations = false)]
async fn payouts_are_looked_for_at_their_destination(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let request = with_token(GetReviewRequest { id: made.id.clone(), ..Default::default() }, &world.reviewer);
    world.grpc.get_review(request).await.unwrap();
    let asked = world.evidence.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.is_payout, Some(asked.address)), (true, made.destination.map(|to| to.address)));
}

/// [D-Q5] Anyone who marks a payout as paid is stopped if another one to the destination has appeared that they have not seen, and
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
        world.grpc.mark_withdrawal_paid(with_token(message, &world.treasurer)).await
    };
    let payments = vec![payout("ab", 1_800_000_020), payout("cd", 1_800_000_010)];
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    assert_eq!(code(pay(1_800_000_009).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let paid = pay(1_800_000_010).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
}

/// [D-N4] A payment to the destination since the approval is the payout, no matter who acts after it, and no matter what they saw: nobody
/// rejects, starts or pays again before it is attached. One that failed, or from before the approval, is not.
#[sqlx::test(migrations = false)]
async fn a_seen_payout_is_attached_first(pool: PgPool) {
    let world = World::new(pool).await;
    let made = world.withdraw(&world.member_with(200_000).await, withdrawal(150_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let show = |state: &str, seconds| {
        let payment = ChainPayment {
            txid: "ab".repeat(32),
            index: 3,
            state: state.to_owned(),
            seen_at: Some(Timestamp { seconds, nanos: 0 }),
            ..Default::default()
        };
        *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments: vec![payment], ..Default::default() });
    };
    for undone in ["failed", "replaced", "orphaned"] {
        let made = world.withdraw(&world.member_with(10_000).await, withdrawal(10_000)).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        show(undone, 1_900_000_000);
        let rejected = world.reject(&approved, "PAYOUT_FAILED").await.unwrap();
        assert_eq!(rejected.status(), TransactionStatus::Failed);
    }
    show("final", 1_500_000_000);
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    for state in ["seen", "included", "final"] {
        show(state, 1_900_000_000);
        let other = "cd".repeat(32);
        let refused = [
            refusal(world.lease_as(&world.treasurer, &leased).await),
            refusal(world.reject(&leased, "PAYOUT_FAILED").await),
            refusal(world.pay_as(&world.treasurer, &leased, (&other, None)).await),
            refusal(world.pay_as(&world.treasurer, &leased, (&"ab".repeat(32), Some(4))).await),
        ];
        for no in refused {
            assert_eq!((no.code.as_str(), no.kind), ("PAYOUT_SEEN", Kind::Conflict));
            assert!(no.message.contains(&"ab".repeat(32)), "{}", no.message);
        }
    }
    world.assert_books().await;
    sqlx::query("UPDATE transactions SET paying_until = now() WHERE paying_by IS NOT NULL")
        .execute(&world.pool)
        .await
        .unwrap();
    let other = world.realm.staff(Role::Treasurer).1;
    assert_eq!(code(world.lease_as(&other, &leased).await), "PAYOUT_SEEN");
    let paid = world.pay_as(&other, &leased, (&"ab".repeat(32), Some(3))).await.unwrap();
    assert_eq!(paid.status(), TransactionStatus::Success);
}

/// [D-N1] [D-N4] A payout takes one output: it is found by the hash where that is the only one, and chosen where the hash pays the
/// destination several times.
#[sqlx::test(migrations = false)]
async fn a_payout_takes_one_output(pool: PgPool) {
    let world = World::new(pool).await;
    let hash = "ab".repeat(32);
    let show = |outputs: &[u32]| {
        let payment = |index: &u32| ChainPayment {
            txid: hash.clone(),
            index: *index,
            asset: "USDT".to_owned(),
            units: "97500000".to_owned(),
            state: "seen".to_owned(),
            seen_at: Some(Timestamp { seconds: 1_900_000_000, nanos: 0 }),
            ..Default::default()
        };
        let payments = outputs.iter().map(payment).collect();
        *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { payments, ..Default::default() });
    };
    let approved = async || {
        *world.evidence.shown.lock().unwrap() = None;
        let made = world.withdraw(&world.member_with(20_000).await, withdrawal(10_000)).await.unwrap();
        world.approve(&made).await.unwrap()
    };
    let one = approved().await;
    show(&[3]);
    let paid = world.pay_as(&world.treasurer, &one, (&hash, None)).await.unwrap();
    assert_eq!(paid.vout, Some(3));
    let other = approved().await;
    show(&[5, 6, 7]);
    let no = refusal(world.pay_as(&world.treasurer, &other, (&hash, None)).await);
    assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "vout"));
    let paid = world.pay_as(&world.treasurer, &other, (&hash, Some(6))).await.unwrap();
    assert_eq!(paid.vout, Some(6));
    let consumed: Vec<(i64, Option<String>, Option<String>)> =
        sqlx::query_as("SELECT vout, asset, units::text FROM consumed_payments WHERE direction = 'out' ORDER BY vout")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let both = [3, 6].map(|vout| (vout, Some("USDT".to_owned()), Some("97500000".to_owned())));
    assert_eq!(consumed, both);
    world.assert_books().await;
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
        world.grpc.approve_transaction(with_token(message, &world.reviewer)).await
    };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { changed_at: changed(1_800_000_010), ..shown() });
    let seen = |seconds| Some(Timestamp { seconds, nanos: 0 });
    assert_eq!(code(approve(seen(1_800_000_009)).await), "STALE_EVIDENCE");
    world.assert_books().await;
    let done = approve(seen(1_800_000_010)).await.unwrap().into_inner().transaction.unwrap();
    assert_eq!(done.status(), TransactionStatus::Success);
}

/// [D-Q5] [D-R17] [D-N8] A payment that the chain does not prove takes a note, and from $1,000.00 a second reviewer, also where
/// the chain is not observed. The chain is asked
/// about the hash that the reviewer enters, not about the one that the member claimed.
#[sqlx::test(migrations = false)]
async fn unproven_payments_take_a_note_and_a_second_reviewer(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.limit(|limits| *limits = Limits::default());
    let hash = Mutex::new(0_u64);
    let approve = async |reviewer: &str, one: &Transaction, cents: i64, note: &str| {
        let txid = match &one.first_approval {
            Some(first) => first.txid.clone(),
            None => {
                let mut count = hash.lock().unwrap();
                *count += 1;
                format!("{:064x}", *count)
            }
        };
        let message = ApproveTransactionRequest {
            id: one.id.clone(),
            revision: one.revision,
            received_amount_cents: Some(cents),
            txid: txid.clone(),
            note: note.to_owned(),
            client_address: "::1".to_owned(),
            ..Default::default()
        };
        let answer = world.grpc.approve_transaction(with_token(message, reviewer)).await;
        assert_eq!(world.evidence.asked.lock().unwrap().last().unwrap().txid, txid);
        answer
    };
    let deposit = async |cents: i64| world.deposit(&world.member(), deposit(cents)).await.unwrap();
    let status = |answer: Result<Response<_>, Status>| {
        let approved: ApproveTransactionResponse = answer.unwrap().into_inner();
        approved.transaction.unwrap().status()
    };
    let proof = |cents| ChainEvidence { suggested_cents: Some(cents), ..shown() };
    let check =
        |state: &str| EvidenceCheck { name: "payment_asset".to_owned(), state: state.to_owned(), ..Default::default() };
    let included = ChainPayment { state: "included".to_owned(), ..shown().payments[0].clone() };
    let unproven = [
        ChainEvidence { payments: vec![], ..proof(100_000) },
        ChainEvidence { checks: vec![check("ok"), check("unknown")], ..proof(100_000) },
        ChainEvidence { checks: vec![check("fail")], ..proof(100_000) },
        ChainEvidence { payments: vec![included], ..proof(100_000) },
        ChainEvidence { suggested_cents: None, ..proof(100_000) },
        proof(99_998),
    ];
    let second = world.realm.staff(Role::Reviewer).1;
    for evidence in unproven {
        *world.evidence.shown.lock().unwrap() = Some(evidence.clone());
        let (small, reviewer) = (deposit(99_999).await, world.realm.staff(Role::Reviewer).1);
        let refused = refusal(approve(&reviewer, &small, 99_999, "  ").await);
        assert_eq!(
            (refused.code.as_str(), refused.fields[0].0.as_str()),
            ("VALIDATION_FAILED", "note"),
            "{evidence:?}"
        );
        world.assert_books().await;
        assert_eq!(
            status(approve(&reviewer, &small, 99_999, "seen at a public explorer").await),
            TransactionStatus::Success
        );
    }
    let large = deposit(100_000).await;
    let first = approve(&world.reviewer, &large, 100_000, "seen").await.unwrap().into_inner().transaction.unwrap();
    assert!(first.status() == TransactionStatus::Pending && first.first_approval.is_some());
    assert_eq!(refusal(approve(&second, &first, 100_000, "").await).fields[0].0, "note");
    assert_eq!(code(approve(&world.reviewer, &first, 100_000, "seen").await), "SECOND_PERSON_REQUIRED");
    assert_eq!(status(approve(&second, &first, 100_000, "seen too").await), TransactionStatus::Success);
    *world.evidence.shown.lock().unwrap() =
        Some(ChainEvidence { checks: vec![check("ok"), check("warn")], ..proof(100_000) });
    let made = deposit(100_000).await;
    assert_eq!(status(approve(&world.reviewer, &made, 100_000, "").await), TransactionStatus::Success);
    *world.evidence.shown.lock().unwrap() = None;
    let made = deposit(100_000).await;
    assert_eq!(refusal(approve(&world.reviewer, &made, 100_000, "").await).fields[0].0, "note");
    assert_eq!(status(approve(&world.reviewer, &made, 100_000, "seen").await), TransactionStatus::Pending);
    // A quote of another member fits the payment better.
    let contested = EvidenceCheck { name: "payment_quote".to_owned(), ..check("fail") };
    *world.evidence.shown.lock().unwrap() = Some(ChainEvidence { checks: vec![contested], ..proof(10_000) });
    let made = deposit(10_000).await;
    let first = approve(&second, &made, 10_000, "a signed message").await;
    assert_eq!(status(first), TransactionStatus::Pending);
    world.assert_books().await;
}

/// [D-N8] What one reviewer approves alone without proof adds up, for a member to $1,000.00 and for all to $5,000.00 within a day,
/// whether it is a deposit, a fee or the course. What two approve does not count.
#[sqlx::test(migrations = false)]
async fn approvals_by_one_reviewer_add_up(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.limit(|limits| *limits = Limits::default());
    let approve = async |reviewer: &str, made: &Transaction, cents: i64| {
        let txid = world.new_txid();
        world.approve_as(reviewer, made, cents, (&txid, None)).await.unwrap()
    };
    let member = world.member();
    let mut approved = Vec::new();
    for cents in [60_000, 30_000, 10_000] {
        let made = world.deposit(&member, deposit(cents)).await.unwrap();
        approved.push(approve(&world.reviewer, &made, cents).await);
    }
    let pending = approved.pop().unwrap();
    assert!(approved.iter().all(|one| one.status() == TransactionStatus::Success));
    assert_eq!(pending.status(), TransactionStatus::Pending);
    let course = world.deposit(&member, course_payment()).await.unwrap();
    assert_eq!(approve(&world.reviewer, &course, 0).await.status(), TransactionStatus::Success);
    let out = world.withdraw(&member, withdrawal(80_000)).await.unwrap();
    let fee = world.pay_fee(&member, &out).await.unwrap();
    let fee = approve(&world.reviewer, &fee, 0).await;
    assert!(fee.status() == TransactionStatus::Pending && fee.first_approval.is_some());
    let second = world.realm.staff(Role::Reviewer).1;
    let txid = pending.first_approval.clone().unwrap().txid;
    let done = world.approve_as(&second, &pending, 10_000, (&txid, None)).await.unwrap();
    assert_eq!(done.status(), TransactionStatus::Success);
    let mut alone = 98_700;
    for _ in 0..4 {
        let made = world.deposit(&world.member(), deposit(99_000)).await.unwrap();
        assert_eq!(approve(&world.reviewer, &made, 99_000).await.status(), TransactionStatus::Success);
        alone += 99_000;
    }
    assert!(alone < 500_000 && alone + 10_000 > 500_000);
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    assert_eq!(approve(&world.reviewer, &made, 10_000).await.status(), TransactionStatus::Pending);
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    assert_eq!(approve(&second, &made, 10_000).await.status(), TransactionStatus::Success);
    world.assert_books().await;
}

/// [D-N1] [D-Q6] Where the chain is observed, an approval takes the outputs that it names: of a batch, the second payment stays
/// unclaimed, and is offered to the next request of the same hash.
#[sqlx::test(migrations = false)]
async fn an_approval_takes_only_its_outputs(pool: PgPool) {
    let world = World::new(pool).await;
    let one = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let other = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let method = one.method.clone().unwrap();
    let payment = |index: u32| ChainPayment { index, address: method.address.clone(), ..shown().payments[0].clone() };
    *world.evidence.shown.lock().unwrap() =
        Some(ChainEvidence { payments: vec![payment(4), payment(7), payment(9)], ..shown() });
    let listed = |index: u32| ListedPayment { number: index.into(), payment: Some(payment(index)) };
    *world.evidence.listed.lock().unwrap() = vec![listed(9), listed(7), listed(4)];
    let unclaimed = async || {
        let request = with_token(ListUnclaimedPaymentsRequest { page: None }, &world.reviewer);
        let found = world.grpc.list_unclaimed_payments(request).await.unwrap().into_inner().payments;
        found.into_iter().map(|one| one.payment.unwrap().index).collect::<Vec<_>>()
    };
    let no = refusal(world.approve_as(&world.reviewer, &one, 10_000, (ANY, None)).await);
    assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "vout"));
    assert_eq!(unclaimed().await, [9, 7, 4]);
    let both = ApproveTransactionRequest {
        id: one.id.clone(),
        revision: one.revision,
        received_amount_cents: Some(10_000),
        txid: ANY.to_owned(),
        outputs: vec![7, 4],
        ..Default::default()
    };
    world.grpc.approve_transaction(with_token(both, &world.reviewer)).await.unwrap();
    assert_eq!(unclaimed().await, [9]);
    assert_eq!(code(world.approve_as(&world.reviewer, &other, 10_000, (ANY, Some(7))).await), "TXID_USED");
    let done = world.approve_as(&world.reviewer, &other, 10_000, (ANY, None)).await.unwrap();
    assert_eq!((done.vout, unclaimed().await), (Some(9), vec![]));
    let consumed: Vec<(i64, String, String)> =
        sqlx::query_as("SELECT vout, asset, units::text FROM consumed_payments ORDER BY vout")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let all = [4, 7, 9].map(|vout| (vout, "USDT".to_owned(), "100000000".to_owned()));
    assert_eq!(consumed, all);
    world.assert_books().await;
}

/// [D-Q6] A payment of the chain backs one transaction: an output that was approved is claimed, the others of its transaction are
/// not, unless all of it was approved. One whose hash or quote an open transaction has is claimed too. Each of the rest names the
/// open transactions that were shown its address.
#[sqlx::test(migrations = false)]
async fn payments_that_nobody_claims_are_listed(pool: PgPool) {
    let world = World::new(pool).await;
    let hash = |digit: char| digit.to_string().repeat(64);
    let one = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let method = one.method.clone().unwrap();
    world.approve_as(&world.reviewer, &one, 10_000, (&hash('a'), Some(1))).await.unwrap();
    let whole = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    world.approve_as(&world.reviewer, &whole, 10_000, (&hash('b'), None)).await.unwrap();
    let claim = format!("0x{}", hash('c').to_uppercase());
    let claiming =
        world.deposit(&world.member(), RequestDepositRequest { txid: claim, ..deposit(10_000) }).await.unwrap();
    let open = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let numbers = [('a', 1), ('a', 2), ('b', 0), ('b', 7), ('c', 0), ('d', 0)];
    let listed = numbers.iter().enumerate().map(|(place, (digit, index))| ListedPayment {
        number: 100 - i64::try_from(place).unwrap(),
        payment: Some(ChainPayment {
            chain: "tron".to_owned(),
            txid: hash(*digit),
            index: *index,
            asset: method.currency.clone(),
            units: "100000000".to_owned(),
            address: method.address.clone(),
            ..Default::default()
        }),
    });
    *world.evidence.listed.lock().unwrap() = listed.collect();
    let list = async |size: i32, cursor: &str| {
        let page = Some(PageRequest { size, cursor: cursor.to_owned() });
        let request = with_token(ListUnclaimedPaymentsRequest { page }, &world.reviewer);
        world.grpc.list_unclaimed_payments(request).await.unwrap().into_inner()
    };
    let all = list(50, "").await;
    let keys: Vec<_> =
        all.payments.iter().map(|one| one.payment.clone().unwrap()).map(|one| (one.txid, one.index)).collect();
    assert_eq!((keys, all.next_cursor.as_str()), (vec![(hash('a'), 2), (hash('d'), 0)], ""));
    for payment in &all.payments {
        let ids: Vec<_> = payment.candidates.iter().map(|one| one.id.clone()).collect();
        assert_eq!(ids, [open.id.clone(), claiming.id.clone()]);
    }
    let first = list(1, "").await;
    assert_eq!((&first.payments[..], first.next_cursor.as_str()), (&all.payments[..1], "99"));
    assert_eq!(list(1, &first.next_cursor).await.payments, all.payments[1..]);
    // To attach it, a reviewer looks at the transaction with the payment, and approves it with its hash and output.
    let message = GetReviewRequest { id: open.id.clone(), txid: hash('a'), vout: Some(2) };
    world.grpc.get_review(with_token(message, &world.reviewer)).await.unwrap();
    let asked = world.evidence.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.txid, asked.vout), (hash('a'), Some(2)));
    world.approve_as(&world.reviewer, &open, 10_000, (&hash('a'), Some(2))).await.unwrap();
    assert_eq!(list(50, "").await.payments.len(), 1);
    assert_eq!(code(world.approve_as(&world.reviewer, &claiming, 10_000, (&hash('a'), Some(2))).await), "TXID_USED");
}
