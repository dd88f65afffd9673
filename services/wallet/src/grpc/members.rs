//! WalletService, for members.

mod lines;

use chassis::clock::{Timestamp, from_proto};
use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{REPLAYED, Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::money::Cents;
use chassis::page::{self, Page};
use chassis::permission::MemberAct;
use futures::future::OptionFuture;
use proto::common::v1::ChainEvidence;
use proto::payment_method::v1::CreateQuoteRequest;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    ConfirmDestinationRequest, ConfirmDestinationResponse, DepositArrivedRequest, DepositArrivedResponse,
    FindKnownDestinationsRequest, FindKnownDestinationsResponse, GetBalancesRequest, GetBalancesResponse,
    GetPaymentsRequest, GetPaymentsResponse, GetStatementRequest, GetStatementResponse, GetTermsRequest,
    GetTermsResponse, GetTimesRequest, GetTimesResponse, GetTransactionRequest, GetTransactionResponse,
    GetWalletRequest, GetWalletResponse, GetYearReportRequest, GetYearReportResponse, ListDailyBalancesRequest,
    ListDailyBalancesResponse, ListTransactionsRequest, ListTransactionsResponse, PayWithdrawalFeeRequest,
    PayWithdrawalFeeResponse, PurchaseCourseRequest, PurchaseCourseResponse, RequestDepositRequest,
    RequestDepositResponse, RequestQuoteRequest, RequestQuoteResponse, RequestWithdrawalRequest,
    RequestWithdrawalResponse, SendDestinationCodeRequest, SendDestinationCodeResponse, SetDestinationRequest,
    SetDestinationResponse, TakeBackDepositRequest, TakeBackDepositResponse,
};
use tonic::{Request, Response};

use crate::app::account::get_balances::get_balances;
use crate::app::account::get_terms::get_withdrawal_rest;
use crate::app::account::get_times::get_times;
use crate::app::account::get_wallet::get_wallet;
use crate::app::account::list_daily_balances::list_daily_balances;
use crate::app::answered_before;
use crate::app::course::purchase_course::purchase_course;
use crate::app::deposit::deposit_arrived::{DepositArrived, deposit_arrived};
use crate::app::deposit::request_deposit::{RequestDeposit, request_deposit};
use crate::app::deposit::resolve_quote::{resolve_quote, used_quotes};
use crate::app::deposit::take_back_deposit::take_back_deposit;
use crate::app::transaction::get_statement::{StatementPage, get_statement};
use crate::app::transaction::get_transaction::get_transaction;
use crate::app::transaction::get_year_report::get_year_report;
use crate::app::transaction::list_transactions::list_transactions;
use crate::app::withdrawal::ask_confirmation::{Confirmation, ask_afterwards, ask_confirmation, destination_of};
use crate::app::withdrawal::confirm_destination::confirm_destination;
use crate::app::withdrawal::find_known_destinations::find_known_destinations;
use crate::app::withdrawal::pay_withdrawal_fee::{PayWithdrawalFee, pay_withdrawal_fee};
use crate::app::withdrawal::request_withdrawal::{RequestWithdrawal, check_unused, request_withdrawal, unless_known};
use crate::app::withdrawal::set_destination::{method_in_need, set_destination};
use crate::domain::destination::PayoutAddress;
use crate::domain::limits;
use crate::domain::search::Search;
use crate::domain::transaction::{PaymentClaim, Purpose, QuoteDirection, Status as Stands, Transaction, Withdrawal};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::{GrpcServer, convert};

/// Destinations that are asked about at once.
const MOST_DESTINATIONS: usize = 100;

#[tonic::async_trait]
impl WalletService for GrpcServer {
    async fn get_wallet(&self, request: Request<GetWalletRequest>) -> Reply<GetWalletResponse> {
        let member = self.member(request.metadata()).await?;
        let wallet = get_wallet(&self.db, member.member_id()).await?;
        Ok(Response::new(GetWalletResponse { wallet: Some(convert::own_wallet(wallet)) }))
    }

    async fn get_terms(&self, request: Request<GetTermsRequest>) -> Reply<GetTermsResponse> {
        self.verifier.visitor(request.metadata())?;
        let mut terms = GetTermsResponse::from(&self.limits);
        // A caller who is no verified member, or cannot be identified now, gets the public part.
        if let Ok(member) = self.reader(request.metadata()).await {
            let rest = get_withdrawal_rest(&self.ledger, &self.limits, member.member_id()).await?;
            terms.rest = Some(rest.into());
        }
        Ok(Response::new(terms))
    }

    async fn get_balances(&self, request: Request<GetBalancesRequest>) -> Reply<GetBalancesResponse> {
        let member = self.reader(request.metadata()).await?;
        let no_moment = || Error::from(Refusal::field("at", "Please choose a date and time."));
        let at = match request.into_inner().at {
            Some(at) => Some(from_proto(&at).ok_or_else(no_moment)?),
            None => None,
        };
        Ok(Response::new(get_balances(&self.db, member.member_id(), at).await?.into()))
    }

    async fn list_daily_balances(
        &self,
        request: Request<ListDailyBalancesRequest>,
    ) -> Reply<ListDailyBalancesResponse> {
        let member = self.reader(request.metadata()).await?;
        let days = list_daily_balances(&self.db, member.member_id(), request.into_inner().days).await?;
        Ok(Response::new(ListDailyBalancesResponse { days: days.into_iter().map(Into::into).collect() }))
    }

    async fn request_quote(&self, request: Request<RequestQuoteRequest>) -> Reply<RequestQuoteResponse> {
        let member = self.acting(request.metadata(), MemberAct::PayIn).await?;
        let message = request.into_inner();
        let amount = Cents::new(message.amount_cents);
        let priced = self.limits.priced(convert::quote_direction(message.direction())?, amount)?;
        let used = used_quotes(&self.db, member.member_id()).await?;
        let asked = CreateQuoteRequest {
            user_id: member.member_id().to_string(),
            direction: message.direction,
            amount_cents: amount.get(),
            priced_cents: priced.get(),
            method: convert::method(&message.method)?,
            idempotency: message.idempotency,
            used_quote_ids: used.iter().map(ToString::to_string).collect(),
        };
        let (metadata, made, _) = self.quotes.create(asked).await?.into_parts();
        let mut response = Response::new(RequestQuoteResponse { quote: made.quote });
        if let Some(first) = metadata.get(REPLAYED) {
            response.metadata_mut().insert(REPLAYED, first.clone());
        }
        Ok(response)
    }

    async fn request_deposit(&self, request: Request<RequestDepositRequest>) -> Reply<RequestDepositResponse> {
        let member = self.acting(request.metadata(), MemberAct::PayIn).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let purpose = convert::purpose(&message.r#type)?;
        let amount = Cents::new(message.amount_cents);
        let within =
            if purpose == Purpose::Course { limits::check_course(amount) } else { self.limits.check_deposit(amount) };
        within?;
        let method = convert::method(&message.method)?;
        let receipt = convert::receipt(message.receipt)?;
        let quote_id = convert::quote_id(&message.quote_id)?;
        let claim = Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?;
        if let Some(before) = answered_before(&self.db, claim.as_ref()).await? {
            return Ok(answer(before.map(|one: Transaction| RequestDepositResponse { transaction: Some(one.into()) })));
        }
        let quoted = match quote_id {
            Some(id) => {
                let of = (member.member_id(), id);
                Some(resolve_quote(&self.db, &self.quotes, of, message.quote_may_have_ended).await?)
            }
            None => None,
        };
        // The address that was quoted is the one that was shown.
        let version = quoted.as_ref().map_or(message.method_version, |quoted| quoted.method_version);
        let mut method = self.methods.resolve_deposit(&method, version, member.member_id()).await?;
        if let Some(quoted) = &quoted {
            quoted.check(QuoteDirection::Deposit, amount, &method)?;
            method.address.clone_from(&quoted.address);
        }
        let quote = quoted.map(|quoted| quoted.quote);
        let txid = Txid::parse_optional(&message.txid, &method.network)?;
        let payment = PaymentClaim { amount, method, receipt: Some(receipt), txid };
        let command = RequestDeposit { user_id: member.member_id(), purpose, payment, quote, claim };
        let done = retrying(|| request_deposit(&self.db, &self.limits, &command)).await?;
        Ok(answer(done.map(|one| RequestDepositResponse { transaction: Some(one.into()) })))
    }

    async fn deposit_arrived(&self, request: Request<DepositArrivedRequest>) -> Reply<DepositArrivedResponse> {
        let user_id = self.acting(request.metadata(), MemberAct::PayIn).await?.member_id();
        let request_id = request_id(request.metadata()).to_owned();
        let DepositArrivedRequest { chain, txid, index, idempotency } = request.into_inner();
        let idempotency = Claim::of(user_id, idempotency.as_ref(), &request_id)?;
        if let Some(before) = answered_before(&self.db, idempotency.as_ref()).await? {
            return Ok(answer(before.map(|one: Transaction| DepositArrivedResponse { transaction: Some(one.into()) })));
        }
        let (payment, value, method) = self.methods.arrived(user_id, (&chain, &txid, index)).await?;
        let amount = value.filter(|value| *value > Cents::ZERO).ok_or(Error::PaymentWithoutValue)?;
        let txid = Some(Txid::parse(&payment.txid, &method.network)?);
        let claim = PaymentClaim { amount, method, receipt: None, txid };
        let command = DepositArrived { user_id, payment, claim, idempotency };
        let done = retrying(|| deposit_arrived(&self.db, &self.limits, &command)).await?;
        Ok(answer(done.map(|one| DepositArrivedResponse { transaction: Some(one.into()) })))
    }

    async fn request_withdrawal(&self, request: Request<RequestWithdrawalRequest>) -> Reply<RequestWithdrawalResponse> {
        // Others than members are refused below.
        let user_id = self.verifier.named_user(request.metadata())?.assume_member();
        let message = request.get_ref();
        let amount = Cents::new(message.amount_cents);
        let looked_up = async {
            self.limits.check_withdrawal(amount)?;
            let method = convert::method(&message.method)?;
            let typed = convert::destination(&message.address, &message.memo, false)?;
            let quote_id = convert::quote_id(&message.quote_id)?;
            let claim = Claim::of(user_id, message.idempotency.as_ref(), request_id(request.metadata()))?;
            let quoted = OptionFuture::from(quote_id.map(|id| self.quotes.get(user_id, id, false)));
            let (seen, resolved, quoted) = tokio::join!(
                self.outlooks.of(user_id, quote_id),
                self.methods.resolve_withdrawal(user_id, &method, typed),
                quoted,
            );
            let found = async {
                let (method, destination) = resolved?;
                let to = destination.as_ref().map(|destination| method.payout_address(destination));
                let unknown = unless_known(&self.db, seen.as_ref(), user_id, to).await?;
                let Some((id, quoted)) = quote_id.zip(quoted) else { return Ok((method, destination, unknown, None)) };
                check_unused(&self.db, seen.as_ref(), id).await?;
                let quoted = quoted?;
                quoted.check(QuoteDirection::Withdrawal, amount, &method)?;
                Ok::<_, Error>((method, destination, unknown, Some(quoted.quote)))
            };
            let found = found.await;
            Ok::<_, Error>((claim, seen, found))
        };
        // Asked at once; that the session lives is looked at first.
        let (member, looked_up) = tokio::join!(self.acting(request.metadata(), MemberAct::Withdraw), looked_up);
        let member = member?;
        let (claim, seen, found) = looked_up?;
        let (method, destination, unknown, quote) = match found {
            Ok(found) => found,
            // A repetition is answered as before, no matter what has become of the method and the quote meanwhile.
            Err(refusal) => {
                let before = answered_before::<Transaction>(&self.db, claim.as_ref()).await?;
                let before = before.ok_or(refusal)?;
                return Ok(answer(before.map(|one| RequestWithdrawalResponse { transaction: Some(one.into()) })));
            }
        };
        let is_known = unknown.is_none() || member.factor_proven;
        let command = RequestWithdrawal { user_id, amount, method, destination, is_known, quote, claim };
        let done = retrying(|| request_withdrawal(&self.ledger, &self.limits, seen.as_ref(), &command)).await?;
        if let Some(to) = &unknown {
            ask_afterwards(&self.db, &self.codes, &member, to).await?;
        }
        Ok(answer(done.map(|one| RequestWithdrawalResponse { transaction: Some(one.into()) })))
    }

    async fn pay_withdrawal_fee(&self, request: Request<PayWithdrawalFeeRequest>) -> Reply<PayWithdrawalFeeResponse> {
        let member = self.acting(request.metadata(), MemberAct::PayIn).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let withdrawal_id = convert::transaction_id(&message.withdrawal_id)?;
        let method = convert::method(&message.method)?;
        let receipt = convert::receipt(message.receipt)?;
        let claim = Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?;
        if let Some(before) = answered_before(&self.db, claim.as_ref()).await? {
            return Ok(answer(
                before.map(|one: Transaction| PayWithdrawalFeeResponse { transaction: Some(one.into()) }),
            ));
        }
        let method = self.methods.resolve_deposit(&method, message.method_version, member.member_id()).await?;
        let txid = Txid::parse_optional(&message.txid, &method.network)?;
        let payment = PaymentClaim { amount: Cents::new(message.amount_cents), method, receipt: Some(receipt), txid };
        let command = PayWithdrawalFee { user_id: member.member_id(), withdrawal_id, payment, claim };
        let done = retrying(|| pay_withdrawal_fee(&self.db, &command)).await?;
        Ok(answer(done.map(|one| PayWithdrawalFeeResponse { transaction: Some(one.into()) })))
    }

    async fn take_back_deposit(&self, request: Request<TakeBackDepositRequest>) -> Reply<TakeBackDepositResponse> {
        let user_id = self.acting(request.metadata(), MemberAct::PayIn).await?.member_id();
        let id = convert::transaction_id(&request.into_inner().id)?;
        let found = get_transaction(&self.db, &self.lines, user_id, id).await?;
        let is_seen = found.status == Stands::Pending && self.chains.is_seen(&found).await.map_err(Error::from)?;
        let done = retrying(|| take_back_deposit(&self.db, user_id, id, is_seen)).await?;
        Ok(Response::new(TakeBackDepositResponse { transaction: Some(done.into()) }))
    }

    async fn set_destination(&self, request: Request<SetDestinationRequest>) -> Reply<SetDestinationResponse> {
        let member = self.acting(request.metadata(), MemberAct::SetDestination).await?;
        let message = request.into_inner();
        let id = convert::transaction_id(&message.transaction_id)?;
        let typed = convert::destination(&message.address, &message.memo, true)?;
        let method = method_in_need(&self.db, member.member_id(), id).await?;
        let found = self.methods.resolve_withdrawal(member.member_id(), &method.id.to_string(), typed).await;
        let (_, destination) = found?;
        let destination = destination.ok_or_else(|| Error::from(Refusal::unavailable()))?;
        let done = retrying(|| set_destination(&self.db, member.member_id(), id, destination.clone())).await?;
        if let Some(to) = done.as_withdrawal().and_then(Withdrawal::payout_address) {
            ask_afterwards(&self.db, &self.codes, &member, &to).await?;
        }
        let done = get_transaction(&self.db, &self.lines, member.member_id(), id).await?;
        Ok(Response::new(SetDestinationResponse { transaction: Some(done.into()) }))
    }

    async fn send_destination_code(
        &self,
        request: Request<SendDestinationCodeRequest>,
    ) -> Reply<SendDestinationCodeResponse> {
        let member = self.acting(request.metadata(), MemberAct::SetDestination).await?;
        let subject = convert::code_subject(request.into_inner().subject)?;
        let to = destination_of(&self.db, &self.methods, member.member_id(), subject).await?;
        let confirmation = ask_confirmation(&self.db, &self.codes, &member, &to).await?;
        Ok(Response::new(SendDestinationCodeResponse { needs_confirmation: confirmation == Confirmation::Needed }))
    }

    async fn confirm_destination(
        &self,
        request: Request<ConfirmDestinationRequest>,
    ) -> Reply<ConfirmDestinationResponse> {
        let member = self.acting(request.metadata(), MemberAct::SetDestination).await?;
        let message = request.into_inner();
        let subject = convert::confirmation_subject(message.subject)?;
        let to = destination_of(&self.db, &self.methods, member.member_id(), subject).await?;
        confirm_destination(&self.db, &self.codes, &member, (subject, &to), &message.code).await?;
        Ok(Response::new(ConfirmDestinationResponse {}))
    }

    async fn find_known_destinations(
        &self,
        request: Request<FindKnownDestinationsRequest>,
    ) -> Reply<FindKnownDestinationsResponse> {
        let member = self.reader(request.metadata()).await?;
        let all: Vec<PayoutAddress> = request.into_inner().destinations.into_iter().map(Into::into).collect();
        if all.len() > MOST_DESTINATIONS {
            return Err(Error::from(Refusal::field("destinations", "Too many destinations in one request.")).into());
        }
        let known = find_known_destinations(&self.db, member.member_id(), all).await?;
        Ok(Response::new(FindKnownDestinationsResponse { known }))
    }

    async fn purchase_course(&self, request: Request<PurchaseCourseRequest>) -> Reply<PurchaseCourseResponse> {
        let member = self.acting(request.metadata(), MemberAct::BuyCourse).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?;
        let done = retrying(|| purchase_course(&self.ledger, member.member_id(), claim.clone())).await?;
        Ok(answer(done.map(|one| PurchaseCourseResponse { transaction: Some(one.into()) })))
    }

    async fn list_transactions(&self, request: Request<ListTransactionsRequest>) -> Reply<ListTransactionsResponse> {
        let member = self.reader(request.metadata()).await?;
        let message = request.into_inner();
        let moment = |at: &Option<Timestamp>| at.as_ref().and_then(from_proto);
        let search = Search::parse(&message.q)?.within(moment(&message.from), moment(&message.to))?;
        let page = Page::parse(message.page, page::LARGEST)?;
        let (found, next_cursor) = list_transactions(&self.db, member.member_id(), &search, &page).await?;
        let transactions = self.to_lines(&member, found, None).await;
        Ok(Response::new(ListTransactionsResponse { transactions, next_cursor }))
    }

    async fn get_transaction(&self, request: Request<GetTransactionRequest>) -> Reply<GetTransactionResponse> {
        let member = self.reader(request.metadata()).await?;
        let id = convert::transaction_id(&request.into_inner().id)?;
        let found = get_transaction(&self.db, &self.lines, member.member_id(), id).await?;
        let transaction = self.to_line(&member, found, None).await;
        Ok(Response::new(GetTransactionResponse { transaction: Some(transaction) }))
    }

    async fn get_payments(&self, request: Request<GetPaymentsRequest>) -> Reply<GetPaymentsResponse> {
        let member = self.reader(request.metadata()).await?;
        let id = convert::transaction_id(&request.into_inner().id)?;
        let found = get_transaction(&self.db, &self.lines, member.member_id(), id).await?;
        let evidence = self.chains.observed(&found).await.ok().flatten();
        let evidence = evidence.map(|evidence| ChainEvidence { checks: Vec::new(), ..evidence });
        let chain = evidence.as_ref().map(convert::chain);
        let steps = self.to_line(&member, found, chain).await.steps;
        Ok(Response::new(GetPaymentsResponse { evidence, steps }))
    }

    async fn get_statement(&self, request: Request<GetStatementRequest>) -> Reply<GetStatementResponse> {
        let member = self.reader(request.metadata()).await?;
        let message = request.into_inner();
        let (from, to) = convert::period(&message)?;
        let page = match message.page {
            None => None,
            page => {
                let Page { after, size } = Page::parse(page, page::LARGEST)?;
                Some(StatementPage { after, size })
            }
        };
        let statement = get_statement(&self.reads, member.member_id(), (from, to), page).await?;
        Ok(Response::new(GetStatementResponse {
            opening_balance_cents: statement.opening.get(),
            closing_balance_cents: statement.closing.get(),
            lines: statement.movements.into_iter().map(Into::into).collect(),
            next_cursor: statement.next.map(|next| next.to_string()).unwrap_or_default(),
        }))
    }

    async fn get_year_report(&self, request: Request<GetYearReportRequest>) -> Reply<GetYearReportResponse> {
        let member = self.reader(request.metadata()).await?;
        let report = get_year_report(&self.reads, member.member_id(), request.into_inner().year).await?;
        Ok(Response::new(report.try_into()?))
    }

    async fn get_times(&self, request: Request<GetTimesRequest>) -> Reply<GetTimesResponse> {
        self.reader(request.metadata()).await?;
        let times = get_times(&self.db, &self.times).await?;
        Ok(Response::new(GetTimesResponse { times: times.iter().cloned().map(Into::into).collect() }))
    }
}
