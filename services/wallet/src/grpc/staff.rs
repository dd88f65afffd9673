//! StaffService, for staff.

mod payouts;

mod filter;

mod review;

use chassis::clock;
use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer};
use chassis::id::StaffId;
use chassis::idempotency::Answer;
use chassis::money::Cents;
use chassis::page::{self, Page};
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decides, Proposal};
use chassis::staff_call::StaffCall;
use chassis::validate;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::{
    ApproveTransactionRequest, ApproveTransactionResponse, ClaimTransactionRequest, ClaimTransactionResponse,
    GetFiguresRequest, GetFiguresResponse, GetHoldingsRequest, GetHoldingsResponse, GetIntegrityRequest,
    GetIntegrityResponse, GetMemberWalletRequest, GetMemberWalletResponse, GetQueueRequest, GetQueueResponse,
    GetReviewRequest, GetReviewResponse, LeasePayoutRequest, LeasePayoutResponse, ListMemberWalletsRequest,
    ListMemberWalletsResponse, ListPostingsRequest, ListPostingsResponse, ListStaffTransactionsRequest,
    ListStaffTransactionsResponse, ListUnclaimedPaymentsRequest, ListUnclaimedPaymentsResponse, ListVerdictsRequest,
    ListVerdictsResponse, MarkWithdrawalPaidRequest, MarkWithdrawalPaidResponse, NoteViewingRequest,
    NoteViewingResponse, PlaceHoldRequest, PlaceHoldResponse, ProposeCorrectionRequest, ProposeCorrectionResponse,
    ProposeCourseRefundRequest, ProposeCourseRefundResponse, ProposePayoutCorrectionRequest,
    ProposePayoutCorrectionResponse, ProposeRebuildRequest, ProposeRebuildResponse, ProposeReopeningRequest,
    ProposeReopeningResponse, ProposeReversalRequest, ProposeReversalResponse, RejectTransactionRequest,
    RejectTransactionResponse, ReleaseHoldRequest, ReleaseHoldResponse,
};
use time::OffsetDateTime;
use tonic::{Request, Response};

use self::filter::{PAGE, filter, queue_page};
use crate::app::account::get_member_wallet::get_member_wallet;
use crate::app::account::list_member_wallets::list_member_wallets;
use crate::app::correction::check_proposal::check_proposal;
use crate::app::correction::decide_proposal::decide_proposal;
use crate::app::correction::place_hold::{PlaceHold, place_hold};
use crate::app::correction::propose_correction::{ProposeCorrection, propose_correction};
use crate::app::correction::propose_reversal::{ProposeReversal, propose_reversal};
use crate::app::correction::release_hold::{ReleaseHold, release_hold};
use crate::app::course::propose_course_refund::{ProposeCourseRefund, propose_course_refund};
use crate::app::ledger::get_integrity::get_integrity;
use crate::app::ledger::propose_rebuild::{ProposeRebuild, propose_rebuild};
use crate::app::ledger::propose_reopening::{ProposeReopening, propose_reopening};
use crate::app::payout::lease_payout::{LeasePayout, lease_payout};
use crate::app::payout::mark_withdrawal_paid::mark_withdrawal_paid;
use crate::app::payout::propose_payout_correction::{ProposePayoutCorrection, propose_payout_correction};
use crate::app::review::approve_transaction::{ApproveTransaction, approve_transaction};
use crate::app::review::claim_transaction::{Claim, claim_transaction};
use crate::app::review::get_figures::get_figures;
use crate::app::review::get_queue::get_queue;
use crate::app::review::get_review::get;
use crate::app::review::list_staff_transactions::list_staff_transactions;
use crate::app::review::note_viewing::note_viewing;
use crate::app::review::reject_transaction::{RejectTransaction, reject_transaction};
use crate::app::transaction::list_postings::list_postings;
use crate::app::treasury::check_holdings::Holdings;
use crate::app::treasury::check_solvency::compare;
use crate::domain::correction::Correction;
use crate::domain::cursor::{self, JournalPlaces};
use crate::domain::payout_correction::Outcome;
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::router::Router;
use crate::grpc::{GrpcServer, convert};

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn get_queue(&self, request: Request<GetQueueRequest>) -> Reply<GetQueueResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(get_queue(&self.db).await?.into()))
    }

    async fn get_figures(&self, request: Request<GetFiguresRequest>) -> Reply<GetFiguresResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let figures = get_figures(&self.reads, &self.figures, request.into_inner().days).await?;
        let as_of = figures.as_of.map(clock::to_proto);
        Ok(Response::new(GetFiguresResponse { as_of, ..(&figures.value).into() }))
    }

    async fn list_staff_transactions(
        &self,
        request: Request<ListStaffTransactionsRequest>,
    ) -> Reply<ListStaffTransactionsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let filter = filter(&message)?;
        let page = queue_page(message.page)?;
        let found = list_staff_transactions(&self.reads, &filter, &page).await?;
        let (transactions, next_cursor) = found.value;
        let transactions = transactions.into_iter().map(Into::into).collect();
        let as_of = found.as_of.map(clock::to_proto);
        Ok(Response::new(ListStaffTransactionsResponse { transactions, next_cursor, as_of }))
    }

    async fn list_unclaimed_payments(
        &self,
        request: Request<ListUnclaimedPaymentsRequest>,
    ) -> Reply<ListUnclaimedPaymentsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let page = Page::parse(request.into_inner().page, PAGE)?;
        Ok(Response::new(self.unclaimed(&page).await?))
    }

    /// The router's: the transactions are of all buckets.
    async fn list_verdicts(&self, request: Request<ListVerdictsRequest>) -> Reply<ListVerdictsResponse> {
        Router::new(self.clone(), Vec::new()).list_verdicts(request).await
    }

    async fn claim_transaction(&self, request: Request<ClaimTransactionRequest>) -> Reply<ClaimTransactionResponse> {
        let permissions = [Permission::Decide, Permission::Pay];
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff_with_any(&metadata, &permissions).await?;
        let id = convert::transaction_id(&message.transaction_id)?;
        let claim = if message.release { Claim::Release } else { Claim::Take };
        let holder = claim_transaction(&self.db, id, staff.id, claim).await?;
        Ok(Response::new(ClaimTransactionResponse { claimed_by: holder.map(|id| id.to_string()).unwrap_or_default() }))
    }

    async fn get_review(&self, request: Request<GetReviewRequest>) -> Reply<GetReviewResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(self.review_response(&staff, request.into_inner()).await?))
    }

    async fn note_viewing(&self, request: Request<NoteViewingRequest>) -> Reply<NoteViewingResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::See).await?;
        let id = convert::transaction_id(&request.into_inner().transaction_id)?;
        let others = note_viewing(&self.db, &staff, id).await?;
        Ok(Response::new(NoteViewingResponse { viewer_ids: others.iter().map(ToString::to_string).collect() }))
    }

    async fn approve_transaction(
        &self,
        request: Request<ApproveTransactionRequest>,
    ) -> Reply<ApproveTransactionResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::Decide).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let id = convert::transaction_id(&message.id)?;
        let transaction = get(&self.db, id).await?;
        let seen_at = message.evidence_at.as_ref().and_then(clock::from_proto);
        let received = self.received(message.received_amount_cents)?;
        let txid = convert::txid(&transaction, &message.txid, message.vout.into_iter().chain(message.outputs))?;
        let (outputs, proof) = self.basis(&transaction, (txid.as_ref(), received), seen_at).await?;
        let named = outputs.iter().filter_map(|output| output.vout);
        let command = ApproveTransaction {
            call,
            id,
            member: self.payout_state(&transaction).await?,
            revision: message.revision,
            limits: self.limits,
            received,
            txid: txid.map(|txid| txid.at(named)),
            outputs,
            proof,
            note: convert::note(&message.note)?,
        };
        let done = retrying(|| approve_transaction(&self.db, self.verifier.keys(), &command)).await?;
        Ok(answer(done.map(|one| ApproveTransactionResponse { transaction: Some(one.into()) })))
    }

    async fn reject_transaction(&self, request: Request<RejectTransactionRequest>) -> Reply<RejectTransactionResponse> {
        // Which of the two decides depends on whether it is approved.
        let permissions = [Permission::Decide, Permission::RejectPayout];
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff_with_any(&metadata, &permissions).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = RejectTransaction {
            call,
            id: convert::transaction_id(&message.id)?,
            revision: message.revision,
            reason_code: message.reason_code,
            note: convert::note(&message.note)?,
        };
        self.check_payouts(&get(&self.db, command.id).await?, command.revision, (None, None)).await?;
        let done = retrying(|| reject_transaction(&self.db, &command)).await?;
        Ok(answer(done.map(|one| RejectTransactionResponse { transaction: Some(one.into()) })))
    }

    async fn lease_payout(&self, request: Request<LeasePayoutRequest>) -> Reply<LeasePayoutResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::Pay).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let id = convert::transaction_id(&message.id)?;
        let transaction = get(&self.db, id).await?;
        self.check_payouts(&transaction, message.revision, (None, None)).await?;
        let command = LeasePayout {
            call,
            id,
            member: self.payout_state(&transaction).await?,
            revision: message.revision,
            price: self.price(&transaction, message.revision).await,
        };
        let done = retrying(|| lease_payout(&self.db, &command)).await?;
        Ok(answer(done.map(|one| LeasePayoutResponse { transaction: Some(one.into()) })))
    }

    async fn mark_withdrawal_paid(
        &self,
        request: Request<MarkWithdrawalPaidRequest>,
    ) -> Reply<MarkWithdrawalPaidResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::Pay).await?;
        let command = self.mark_paid_command(staff, &metadata, message).await?;
        let done = retrying(|| mark_withdrawal_paid(&self.db, &command)).await?;
        Ok(answer(done.map(|one| MarkWithdrawalPaidResponse { transaction: Some(one.into()) })))
    }

    async fn get_member_wallet(&self, request: Request<GetMemberWalletRequest>) -> Reply<GetMemberWalletResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let user_id = convert::member_id(&request.into_inner().user_id)?;
        let (wallet, entries) = get_member_wallet(&self.db, user_id).await?;
        let entries = entries.into_iter().map(Into::into).collect();
        Ok(Response::new(GetMemberWalletResponse { wallet: Some(wallet.into()), entries }))
    }

    async fn list_member_wallets(
        &self,
        request: Request<ListMemberWalletsRequest>,
    ) -> Reply<ListMemberWalletsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let user_ids = request.into_inner().user_ids;
        let user_ids = user_ids.iter().map(|id| validate::id("userIds", id)).collect::<Result<Vec<_>, _>>()?;
        let wallets = list_member_wallets(&self.db, &user_ids).await?;
        Ok(Response::new(ListMemberWalletsResponse { wallets: wallets.into_iter().map(Into::into).collect() }))
    }

    async fn propose_correction(&self, request: Request<ProposeCorrectionRequest>) -> Reply<ProposeCorrectionResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::CorrectBalances).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let correction = Correction {
            kind: convert::correction_kind(message.kind)?,
            amount_cents: Cents::new(message.amount_cents),
            note: message.note,
        };
        let command = ProposeCorrection { call, user_id: convert::member_id(&message.user_id)?, correction };
        let done = retrying(|| propose_correction(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeCorrectionResponse { proposal: Some(one.into()) })))
    }

    async fn propose_reversal(&self, request: Request<ProposeReversalRequest>) -> Reply<ProposeReversalResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ProposeReversal).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = ProposeReversal {
            call,
            transaction_id: convert::transaction_id(&message.transaction_id)?,
            note: message.note,
        };
        let done = retrying(|| propose_reversal(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeReversalResponse { proposal: Some(one.into()) })))
    }

    async fn propose_payout_correction(
        &self,
        request: Request<ProposePayoutCorrectionRequest>,
    ) -> Reply<ProposePayoutCorrectionResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::CorrectBalances).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let transaction_id = convert::transaction_id(&message.transaction_id)?;
        let outcome = convert::payout_outcome(message.outcome)?;
        let transaction = get(&self.db, transaction_id).await?;
        let network = transaction.method().map(|method| method.network.as_str()).unwrap_or_default();
        let txid = match outcome {
            Outcome::OtherTransaction => Some(Txid::parse(&message.txid, network)?.at(message.vout)),
            Outcome::NotSent | Outcome::Arrived => None,
        };
        let command = ProposePayoutCorrection { call, transaction_id, outcome, txid, note: message.note };
        let done = retrying(|| propose_payout_correction(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposePayoutCorrectionResponse { proposal: Some(one.into()) })))
    }

    async fn propose_course_refund(
        &self,
        request: Request<ProposeCourseRefundRequest>,
    ) -> Reply<ProposeCourseRefundResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::CorrectBalances).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let user_id = message.user_id.parse().map_err(|_| Error::MemberNotFound)?;
        let command = ProposeCourseRefund { call, user_id, note: message.note };
        let done = retrying(|| propose_course_refund(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeCourseRefundResponse { proposal: Some(one.into()) })))
    }

    async fn place_hold(&self, request: Request<PlaceHoldRequest>) -> Reply<PlaceHoldResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::PlaceHold).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = PlaceHold {
            call,
            user_id: message.user_id.parse().map_err(|_| Error::MemberNotFound)?,
            amount: Cents::new(message.amount_cents),
            reason: convert::hold_reason(&message.reason_code)?,
        };
        let done = retrying(|| place_hold(&self.db, &command)).await?;
        Ok(answer(done.map(|one| PlaceHoldResponse { hold: Some(one.into()) })))
    }

    async fn release_hold(&self, request: Request<ReleaseHoldRequest>) -> Reply<ReleaseHoldResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ReleaseHold).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = ReleaseHold {
            call,
            user_id: message.user_id.parse().map_err(|_| Error::HoldNotFound)?,
            id: message.hold_id.parse().map_err(|_| Error::HoldNotFound)?,
        };
        let done = retrying(|| release_hold(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ReleaseHoldResponse { hold: Some(one.into()) })))
    }

    async fn propose_reopening(&self, request: Request<ProposeReopeningRequest>) -> Reply<ProposeReopeningResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ReopenWithdrawals).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = ProposeReopening { call };
        let done = retrying(|| propose_reopening(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeReopeningResponse { proposal: Some(one.into()) })))
    }

    async fn propose_rebuild(&self, request: Request<ProposeRebuildRequest>) -> Reply<ProposeRebuildResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::CorrectBalances).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = ProposeRebuild { call, account_id: message.account_id, note: message.note };
        let done = retrying(|| propose_rebuild(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeRebuildResponse { proposal: Some(one.into()) })))
    }

    async fn get_integrity(&self, request: Request<GetIntegrityRequest>) -> Reply<GetIntegrityResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        // What is not known of the chains is no fault of the ledger.
        let holdings = self.holdings().await?;
        let faults = holdings.as_ref().map(Holdings::faults).unwrap_or_default();
        let mut integrity = get_integrity(&self.db, faults).await?;
        let found = compare(&self.db, &integrity.books, holdings.as_ref(), self.tolerance).await?;
        integrity.faults.extend(found.faults(OffsetDateTime::now_utc()));
        let mut response = GetIntegrityResponse::from(integrity);
        response.solvency = Some((&found).into());
        Ok(Response::new(response))
    }

    async fn get_holdings(&self, request: Request<GetHoldingsRequest>) -> Reply<GetHoldingsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let found = self.holdings().await?.ok_or_else(Refusal::unavailable).map_err(Error::from)?;
        Ok(Response::new(found.into()))
    }

    async fn list_postings(&self, request: Request<ListPostingsRequest>) -> Reply<ListPostingsResponse> {
        self.verifier.staff(request.metadata(), Permission::SeeJournal).await?;
        let message = request.into_inner();
        let Page { after, size } = Page::parse(message.page, page::LARGEST)?;
        let end = cursor::optional(&message.end_cursor)?;
        let page = list_postings(&self.db, after, end, size).await?;
        let told = |place: Option<JournalPlaces>| place.map(|place| place.to_string()).unwrap_or_default();
        Ok(Response::new(ListPostingsResponse {
            postings: page.postings.into_iter().map(Into::into).collect(),
            next_cursor: told(page.next),
            end_cursor: told(page.end),
        }))
    }
}

impl Decides for GrpcServer {
    const PERMISSIONS: &'static [Permission] = &[Permission::CorrectBalances, Permission::ReopenWithdrawals];
    type Error = Error;

    async fn decide(&self, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
        decide_proposal(&self.db, command).await
    }

    async fn check(&self, proposal: &Proposal, _: StaffId) -> Result<(), Error> {
        check_proposal(&mut *self.db.conn().await?, proposal).await
    }
}
