//! For wallet: the methods that deposits and withdrawals name.

use chassis::clock;
use chassis::db;
use chassis::error::Refusal;
use chassis::grpc::Reply;
use proto::payment_method::v1::method_lookup_service_server::MethodLookupService;
use proto::payment_method::v1::resolve_withdrawal_methods_response::Resolution;
use proto::payment_method::v1::{
    GetArrivedRequest, GetArrivedResponse, ResolveDepositMethodRequest, ResolveDepositMethodResponse,
    ResolveWithdrawalMethodRequest, ResolveWithdrawalMethodResponse, ResolveWithdrawalMethodsRequest,
    ResolveWithdrawalMethodsResponse, TakeBackMethodsRequest, TakeBackMethodsResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::get_arrived::get_arrived;
use crate::app::resolve_deposit_method::resolve_deposit_method;
use crate::app::resolve_withdrawal_method::{Destination, resolve_plain_withdrawals, resolve_withdrawal_method};
use crate::app::take_back_methods::take_back_methods;
use crate::domain::method::Method;
use crate::error::Error;

const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl MethodLookupService for GrpcServer {
    async fn resolve_deposit_method(
        &self,
        request: Request<ResolveDepositMethodRequest>,
    ) -> Reply<ResolveDepositMethodResponse> {
        let method = self.resolve_deposit(request).await?;
        Ok(Response::new(ResolveDepositMethodResponse { payment_method: Some(method.into()) }))
    }

    async fn get_arrived(&self, request: Request<GetArrivedRequest>) -> Reply<GetArrivedResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let GetArrivedRequest { user_id, chain, txid, index } = request.into_inner();
        let index = i32::try_from(index).map_err(|_| Error::NotFound)?;
        let (arrival, method) = get_arrived(&self.db, convert::id(&user_id)?, (&chain, &txid, index)).await?;
        Ok(Response::new(GetArrivedResponse { payment: Some(arrival.into()), payment_method: Some(method.into()) }))
    }

    async fn resolve_withdrawal_method(
        &self,
        request: Request<ResolveWithdrawalMethodRequest>,
    ) -> Reply<ResolveWithdrawalMethodResponse> {
        let destination = self.resolve_withdrawal(request).await?;
        Ok(Response::new(destination.into()))
    }

    async fn resolve_withdrawal_methods(
        &self,
        request: Request<ResolveWithdrawalMethodsRequest>,
    ) -> Reply<ResolveWithdrawalMethodsResponse> {
        let found = self.resolve_withdrawals(request).await?;
        let resolutions = found.into_iter().map(|one| Resolution { found: one.map(Into::into) }).collect();
        Ok(Response::new(ResolveWithdrawalMethodsResponse { resolutions }))
    }

    async fn take_back_methods(&self, request: Request<TakeBackMethodsRequest>) -> Reply<TakeBackMethodsResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let user_id = convert::id(&message.user_id)?;
        let moment = |field, at: Option<_>| {
            at.as_ref().and_then(clock::from_proto).ok_or_else(|| Refusal::field(field, "A period has two ends."))
        };
        let period = (moment("since", message.since)?, moment("until", message.until)?);
        db::retrying(|| take_back_methods(&self.db, user_id, period)).await?;
        Ok(Response::new(TakeBackMethodsResponse {}))
    }
}

impl GrpcServer {
    async fn resolve_deposit(&self, request: Request<ResolveDepositMethodRequest>) -> Result<Method, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        resolve_deposit_method(&self.db, &message.method, message.version, message.user_id.parse().ok()).await
    }

    async fn resolve_withdrawal(&self, request: Request<ResolveWithdrawalMethodRequest>) -> Result<Destination, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        resolve_withdrawal_method(&self.db, convert::resolve_withdrawal_method(request.into_inner())?).await
    }

    async fn resolve_withdrawals(
        &self,
        request: Request<ResolveWithdrawalMethodsRequest>,
    ) -> Result<Vec<Option<Destination>>, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let requests = request
            .into_inner()
            .withdrawals
            .into_iter()
            .map(convert::resolve_withdrawal_method)
            .collect::<Result<Vec<_>, _>>()?;
        resolve_plain_withdrawals(&self.db, &requests).await
    }
}
