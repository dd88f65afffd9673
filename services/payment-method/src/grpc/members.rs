//! Members and their own methods.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::permission::MemberAct;
use proto::common::v1::ChainPayment;
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, CreatePaymentMethodResponse, DeletePaymentMethodRequest, DeletePaymentMethodResponse,
    GetQuoteTermsRequest, GetQuoteTermsResponse, ListPaymentMethodsRequest, ListPaymentMethodsResponse, PaymentMethod,
    UpdatePaymentMethodRequest, UpdatePaymentMethodResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::create_payment_method::create_payment_method;
use crate::app::delete_payment_method::delete_payment_method;
use crate::app::get_quote_terms::{Quotable, get_quote_terms};
use crate::app::list_payment_methods::list_payment_methods;
use crate::app::list_payments::Arrival;
use crate::app::update_payment_method::{Picture, Updated, update_payment_method};
use crate::domain::method::ShownMethod;
use crate::error::Error;

#[tonic::async_trait]
impl PaymentMethodService for GrpcServer {
    async fn list_payment_methods(
        &self,
        request: Request<ListPaymentMethodsRequest>,
    ) -> Reply<ListPaymentMethodsResponse> {
        let (methods, arrived) = self.list(request).await?;
        let payment_methods = methods.into_iter().map(PaymentMethod::from).collect();
        let arrived = arrived.into_iter().map(ChainPayment::from).collect();
        Ok(Response::new(ListPaymentMethodsResponse { payment_methods, arrived }))
    }

    async fn create_payment_method(
        &self,
        request: Request<CreatePaymentMethodRequest>,
    ) -> Reply<CreatePaymentMethodResponse> {
        Ok(self.create(request).await?)
    }

    async fn update_payment_method(
        &self,
        request: Request<UpdatePaymentMethodRequest>,
    ) -> Reply<UpdatePaymentMethodResponse> {
        let Updated { method, replaced } = self.update(request).await?;
        Ok(Response::new(UpdatePaymentMethodResponse {
            payment_method: Some(method.into()),
            replaced_image_key: replaced,
        }))
    }

    async fn delete_payment_method(
        &self,
        request: Request<DeletePaymentMethodRequest>,
    ) -> Reply<DeletePaymentMethodResponse> {
        let image_key = self.delete(request).await?;
        Ok(Response::new(DeletePaymentMethodResponse { image_key }))
    }

    async fn get_quote_terms(&self, request: Request<GetQuoteTermsRequest>) -> Reply<GetQuoteTermsResponse> {
        let assets = self.quotable(request).await?;
        Ok(Response::new(convert::quote_terms(self.spread_bps, assets)))
    }
}

impl GrpcServer {
    async fn list(
        &self,
        request: Request<ListPaymentMethodsRequest>,
    ) -> Result<(Vec<ShownMethod>, Vec<Arrival>), Error> {
        let session = self.verifier.session(request.metadata()).await?.reader()?;
        list_payment_methods(&self.db, session.member_id()).await
    }

    async fn quotable(&self, request: Request<GetQuoteTermsRequest>) -> Result<Vec<Quotable>, Error> {
        self.verifier.session(request.metadata()).await?.reader()?;
        get_quote_terms(&self.db).await
    }

    async fn create(
        &self,
        request: Request<CreatePaymentMethodRequest>,
    ) -> Result<Response<CreatePaymentMethodResponse>, Error> {
        let user_id = self.verifier.member(request.metadata(), MemberAct::SetDestination).await?.member_id();
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(user_id, message.idempotency.as_ref(), &request_id)?;
        let fields = convert::fields(message.fields)?;
        let created = retrying(|| create_payment_method(&self.db, user_id, fields.clone(), claim.clone())).await?;
        Ok(answer(created.map(|method| CreatePaymentMethodResponse { payment_method: Some(method.into()) })))
    }

    async fn update(&self, request: Request<UpdatePaymentMethodRequest>) -> Result<Updated, Error> {
        let user_id = self.verifier.member(request.metadata(), MemberAct::SetDestination).await?.member_id();
        let message = request.into_inner();
        let id = convert::id(&message.id)?;
        let fields = convert::fields(message.fields)?;
        let picture = if message.keep_image { Picture::Keep } else { Picture::Replace };
        retrying(|| update_payment_method(&self.db, user_id, id, fields.clone(), picture)).await
    }

    async fn delete(&self, request: Request<DeletePaymentMethodRequest>) -> Result<String, Error> {
        let user_id = self.verifier.member(request.metadata(), MemberAct::DeleteDestination).await?.member_id();
        let id = convert::id(&request.into_inner().id)?;
        retrying(|| delete_payment_method(&self.db, user_id, id)).await
    }
}
