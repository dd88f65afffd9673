//! Sends every call to the bucket that it is about. What is about no bucket is answered by the first, which reads in all of them.

use std::ops::Deref;

use chassis::grpc::Reply;
use chassis::id::{MemberId, TransactionId};
use chassis::member_data::MemberData;
use moka::future::Cache;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::dead_letter_service_server::DeadLetterServiceServer;
use proto::common::v1::file_owner_service_server::FileOwnerServiceServer;
use proto::common::v1::member_data_service_server::{MemberDataService, MemberDataServiceServer};
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use proto::wallet::v1::backing_service_server::BackingServiceServer;
use proto::wallet::v1::closing_service_server::{ClosingService, ClosingServiceServer};
use proto::wallet::v1::course_access_service_server::{CourseAccessService, CourseAccessServiceServer};
use proto::wallet::v1::liabilities_service_server::LiabilitiesServiceServer;
use proto::wallet::v1::receipt_service_server::{ReceiptService, ReceiptServiceServer};
use proto::wallet::v1::staff_service_server::{StaffService, StaffServiceServer};
use proto::wallet::v1::status_service_server::StatusServiceServer;
use proto::wallet::v1::trade_settlement_service_server::{TradeSettlementService, TradeSettlementServiceServer};
use proto::wallet::v1::treasury_service_server::{TreasuryService, TreasuryServiceServer};
use proto::wallet::v1::wallet_service_server::{WalletService, WalletServiceServer};
use proto::wallet::v1::*;
use tonic::metadata::MetadataMap;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::domain::bucket::of_account;
use crate::error::Error;
use crate::grpc::GrpcServer;
use crate::store::member_buckets::{self, Bucket};
use crate::store::member_data::MemberTables;
use crate::store::transactions;

/// Maximum entries of each cache.
const KNOWN: u64 = 1_000_000;

/// The servers of all buckets.
#[derive(Clone)]
pub struct Router {
    first: GrpcServer,
    others: Vec<GrpcServer>,
    /// Where the accounts of members are, which never changes.
    members: Cache<MemberId, u16>,
    transactions: Cache<TransactionId, u16>,
}

impl Deref for Router {
    type Target = GrpcServer;
    fn deref(&self) -> &GrpcServer {
        &self.first
    }
}

impl Router {
    /// Over the server of the first bucket, and those of the others by number.
    #[must_use]
    pub fn new(first: GrpcServer, others: Vec<GrpcServer>) -> Self {
        let (members, transactions) = (Cache::new(KNOWN), Cache::new(KNOWN));
        Self { first, others, members, transactions }
    }

    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let first = self.first.clone();
        Routes::new(WalletServiceServer::new(self.clone()))
            .add_service(TradeSettlementServiceServer::new(self.clone()))
            .add_service(CourseAccessServiceServer::new(self.clone()))
            .add_service(LiabilitiesServiceServer::new(first.clone()))
            .add_service(ClosingServiceServer::new(self.clone()))
            .add_service(ReceiptServiceServer::new(self.clone()))
            .add_service(FileOwnerServiceServer::new(first.clone()))
            .add_service(MemberDataServiceServer::new(self.clone()))
            .add_service(TreasuryServiceServer::new(self.clone()))
            .add_service(BackingServiceServer::new(first.clone()))
            .add_service(AuditServiceServer::new(first.audit_log()))
            .add_service(ProposalServiceServer::new(first.proposals()))
            .add_service(DeadLetterServiceServer::new(first.dead_letters()))
            .add_service(StatusServiceServer::new(first))
            .add_service(StaffServiceServer::new(self))
    }

    /// Those of all buckets, by number.
    pub fn servers(&self) -> impl Iterator<Item = &GrpcServer> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The same, to set them up.
    pub fn servers_mut(&mut self) -> impl Iterator<Item = &mut GrpcServer> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// The server of a bucket; of one that there is not, the first, where nothing of it is found.
    fn server(&self, bucket: u16) -> &GrpcServer {
        self.servers().nth(bucket.into()).unwrap_or(&self.first)
    }

    /// The server of a member's bucket.
    ///
    /// # Errors
    /// Of the database.
    pub async fn of_member(&self, user_id: MemberId) -> Result<&GrpcServer, Error> {
        if self.others.is_empty() {
            return Ok(&self.first);
        }
        if let Some(bucket) = self.members.get(&user_id).await {
            return Ok(self.server(bucket));
        }
        let bucket = member_buckets::of_member(&mut *self.first.db.conn().await?, user_id).await?;
        if let Bucket::Recorded(number) = bucket {
            self.members.insert(user_id, number).await;
        }
        Ok(self.server(bucket.number()))
    }

    /// The server of the member who calls. Who cannot be identified is refused by any.
    async fn of_caller(&self, metadata: &MetadataMap) -> Result<&GrpcServer, Error> {
        // The server reads it again: of a token that was read, that is a hash and a look.
        if self.others.is_empty() {
            return Ok(&self.first);
        }
        match self.first.verifier.named_user(metadata) {
            Ok(user_id) => self.of_member(user_id.assume_member()).await,
            Err(_) => Ok(&self.first),
        }
    }

    /// The server of the member with this id.
    async fn of_user(&self, id: &str) -> Result<&GrpcServer, Error> {
        match id.parse() {
            Ok(user_id) => self.of_member(user_id).await,
            Err(_) => Ok(&self.first),
        }
    }

    /// The server of the member of the transaction with this id: it is looked for in all buckets, the first time.
    async fn of_transaction(&self, id: &str) -> Result<&GrpcServer, Error> {
        let Some(id) = id.parse().ok().filter(|_| !self.others.is_empty()) else { return Ok(&self.first) };
        if let Some(bucket) = self.transactions.get(&id).await {
            return Ok(self.server(bucket));
        }
        let mut conn = self.first.db.conn().await?;
        let Some(found) = transactions::find_anywhere(&mut conn, id).await? else { return Ok(&self.first) };
        let bucket = member_buckets::find(&mut conn, found.user_id).await?.unwrap_or(0);
        self.transactions.insert(id, bucket).await;
        Ok(self.server(bucket))
    }
}

/// Implements a service: each call by what it is about.
macro_rules! route {
    ($service:ident { $($rpc:ident($request:ty) -> $response:ty => $what:ident $($field:ident)?;)+ }) => {
        #[tonic::async_trait]
        impl $service for Router {
            $(async fn $rpc(&self, request: Request<$request>) -> Reply<$response> {
                route!(@answer self, $service, $rpc, request, $what $($field)?)
            })+
        }
    };
    (@answer $self:ident, $service:ident, $rpc:ident, $request:ident, own) => { $self.$rpc($request).await };
    (@answer $self:ident, $service:ident, $rpc:ident, $request:ident, $what:ident $($field:ident)?) => {{
        let server = route!(@server $self, $request, $what $($field)?);
        <GrpcServer as $service>::$rpc(server, $request).await
    }};
    (@server $self:ident, $request:ident, first) => { &$self.first };
    (@server $self:ident, $request:ident, caller) => { $self.of_caller($request.metadata()).await? };
    (@server $self:ident, $request:ident, member $field:ident) => { $self.of_user(&$request.get_ref().$field).await? };
    (@server $self:ident, $request:ident, transaction $field:ident) => {
        $self.of_transaction(&$request.get_ref().$field).await?
    };
    (@server $self:ident, $request:ident, account $field:ident) => { $self.server(of_account($request.get_ref().$field)) };
}

route!(WalletService {
    get_wallet(GetWalletRequest) -> GetWalletResponse => caller;
    get_terms(GetTermsRequest) -> GetTermsResponse => caller;
    get_balances(GetBalancesRequest) -> GetBalancesResponse => caller;
    list_daily_balances(ListDailyBalancesRequest) -> ListDailyBalancesResponse => caller;
    request_quote(RequestQuoteRequest) -> RequestQuoteResponse => caller;
    request_deposit(RequestDepositRequest) -> RequestDepositResponse => caller;
    deposit_arrived(DepositArrivedRequest) -> DepositArrivedResponse => caller;
    request_withdrawal(RequestWithdrawalRequest) -> RequestWithdrawalResponse => caller;
    pay_withdrawal_fee(PayWithdrawalFeeRequest) -> PayWithdrawalFeeResponse => caller;
    take_back_deposit(TakeBackDepositRequest) -> TakeBackDepositResponse => caller;
    set_destination(SetDestinationRequest) -> SetDestinationResponse => caller;
    send_destination_code(SendDestinationCodeRequest) -> SendDestinationCodeResponse => caller;
    confirm_destination(ConfirmDestinationRequest) -> ConfirmDestinationResponse => caller;
    find_known_destinations(FindKnownDestinationsRequest) -> FindKnownDestinationsResponse => caller;
    purchase_course(PurchaseCourseRequest) -> PurchaseCourseResponse => caller;
    list_transactions(ListTransactionsRequest) -> ListTransactionsResponse => caller;
    get_transaction(GetTransactionRequest) -> GetTransactionResponse => caller;
    get_payments(GetPaymentsRequest) -> GetPaymentsResponse => caller;
    get_statement(GetStatementRequest) -> GetStatementResponse => caller;
    get_year_report(GetYearReportRequest) -> GetYearReportResponse => caller;
    get_times(GetTimesRequest) -> GetTimesResponse => first;
});

route!(ReceiptService {
    reserve_receipt(ReserveReceiptRequest) -> ReserveReceiptResponse => caller;
});

route!(ClosingService {
    close_wallet(CloseWalletRequest) -> CloseWalletResponse => member user_id;
    check_closing(CheckClosingRequest) -> CheckClosingResponse => member user_id;
});

route!(CourseAccessService {
    get_member_course_access(GetMemberCourseAccessRequest) -> GetMemberCourseAccessResponse => member user_id;
});

route!(TradeSettlementService {
    fund_trade(FundTradeRequest) -> FundTradeResponse => member user_id;
    settle_trade(SettleTradeRequest) -> SettleTradeResponse => member user_id;
});

route!(TreasuryService {
    propose_movement(ProposeMovementRequest) -> ProposeMovementResponse => transaction transaction_id;
    prepare_payouts(PreparePayoutsRequest) -> PreparePayoutsResponse => first;
    send_payouts(SendPayoutsRequest) -> SendPayoutsResponse => first;
    dissolve_payouts(DissolvePayoutsRequest) -> DissolvePayoutsResponse => first;
    get_treasury(GetTreasuryRequest) -> GetTreasuryResponse => first;
});

route!(StaffService {
    get_queue(GetQueueRequest) -> GetQueueResponse => first;
    get_figures(GetFiguresRequest) -> GetFiguresResponse => first;
    list_staff_transactions(ListStaffTransactionsRequest) -> ListStaffTransactionsResponse => first;
    list_unclaimed_payments(ListUnclaimedPaymentsRequest) -> ListUnclaimedPaymentsResponse => first;
    list_verdicts(ListVerdictsRequest) -> ListVerdictsResponse => own;
    claim_transaction(ClaimTransactionRequest) -> ClaimTransactionResponse => transaction transaction_id;
    get_review(GetReviewRequest) -> GetReviewResponse => transaction id;
    note_viewing(NoteViewingRequest) -> NoteViewingResponse => transaction transaction_id;
    approve_transaction(ApproveTransactionRequest) -> ApproveTransactionResponse => transaction id;
    reject_transaction(RejectTransactionRequest) -> RejectTransactionResponse => transaction id;
    lease_payout(LeasePayoutRequest) -> LeasePayoutResponse => transaction id;
    mark_withdrawal_paid(MarkWithdrawalPaidRequest) -> MarkWithdrawalPaidResponse => transaction id;
    get_member_wallet(GetMemberWalletRequest) -> GetMemberWalletResponse => member user_id;
    list_member_wallets(ListMemberWalletsRequest) -> ListMemberWalletsResponse => first;
    propose_correction(ProposeCorrectionRequest) -> ProposeCorrectionResponse => member user_id;
    propose_reversal(ProposeReversalRequest) -> ProposeReversalResponse => transaction transaction_id;
    propose_payout_correction(ProposePayoutCorrectionRequest) -> ProposePayoutCorrectionResponse => transaction transaction_id;
    propose_course_refund(ProposeCourseRefundRequest) -> ProposeCourseRefundResponse => member user_id;
    place_hold(PlaceHoldRequest) -> PlaceHoldResponse => member user_id;
    release_hold(ReleaseHoldRequest) -> ReleaseHoldResponse => member user_id;
    propose_reopening(ProposeReopeningRequest) -> ProposeReopeningResponse => first;
    propose_rebuild(ProposeRebuildRequest) -> ProposeRebuildResponse => account account_id;
    get_integrity(GetIntegrityRequest) -> GetIntegrityResponse => first;
    get_holdings(GetHoldingsRequest) -> GetHoldingsResponse => first;
    list_postings(ListPostingsRequest) -> ListPostingsResponse => first;
});

#[tonic::async_trait]
impl MemberDataService for Router {
    async fn list_member_data(
        &self,
        request: Request<ListMemberDataRequest>,
    ) -> Result<Response<ListMemberDataResponse>, Status> {
        let server = self.of_caller(request.metadata()).await?;
        let data = MemberData::<MemberTables>::new(server.db.clone(), server.verifier.clone());
        data.list_member_data(request).await
    }
}
