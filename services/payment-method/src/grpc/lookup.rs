//! Wallet, which asks what a deposit or withdrawal names.

use proto::payment_method::v1::method_lookup_service_server::MethodLookupService;
use proto::payment_method::v1::{
    ResolveDepositMethodRequest, ResolveDepositMethodResponse, ResolveWithdrawalMethodRequest,
    ResolveWithdrawalMethodResponse,
};
use tonic::{Request, Response, Status};

use super::{Doors, convert, status};
use crate::app::resolve_deposit_method::resolve_deposit_method;
use crate::app::resolve_withdrawal_method::{Destination, Wish, resolve_withdrawal_method};
use crate::domain::method::Method;
use crate::error::Error;

/// Who may ask.
const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl MethodLookupService for Doors {
    async fn resolve_deposit_method(
        &self,
        request: Request<ResolveDepositMethodRequest>,
    ) -> Result<Response<ResolveDepositMethodResponse>, Status> {
        let method = self.resolve_deposit(request).await.map_err(status)?;
        Ok(Response::new(ResolveDepositMethodResponse { payment_method: Some(method.into()) }))
    }

    async fn resolve_withdrawal_method(
        &self,
        request: Request<ResolveWithdrawalMethodRequest>,
    ) -> Result<Response<ResolveWithdrawalMethodResponse>, Status> {
        let destination = self.resolve_withdrawal(request).await.map_err(status)?;
        Ok(Response::new(destination.into()))
    }
}

impl Doors {
    async fn resolve_deposit(&self, request: Request<ResolveDepositMethodRequest>) -> Result<Method, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        resolve_deposit_method(&self.db, &request.into_inner().method).await
    }

    async fn resolve_withdrawal(&self, request: Request<ResolveWithdrawalMethodRequest>) -> Result<Destination, Error> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let wish = Wish {
            user_id: convert::id(&message.user_id)?,
            method: message.method,
            address: message.address,
            memo: message.memo,
        };
        resolve_withdrawal_method(&self.db, wish).await
    }
}
