//! Platform methods, for staff: every change is a proposal.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::payment_method::v1::{ListPlatformMethodsRequest, MethodFields, ProposePlatformMethodRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, marked};
use crate::json::{Json, Reply, created, ok};
use crate::routes::admin::proposals::{Owner, Proposed};
use crate::routes::payment_methods::{NewMethod, PaymentMethod};

/// A platform method with all its versions.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlatformMethod {
    current: Option<PaymentMethod>,
    active: bool,
    versions: Vec<PaymentMethod>,
}

/// The platform methods.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlatformMethods {
    success: bool,
    payment_methods: Vec<PlatformMethod>,
}

/// List the platform methods with their versions
#[utoipa::path(get, path = "/admin/payment-methods", responses((status = 200, body = PlatformMethods), Errors), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
) -> Result<Reply<PlatformMethods>, ApiError> {
    let message = ListPlatformMethodsRequest {};
    let answer =
        call_retrying!(app.clients.payment_method_staff, list_platform_methods, caller.out, message)?.into_inner();
    let payment_methods = answer.methods.into_iter().map(|method| PlatformMethod {
        current: method.current.map(PaymentMethod::from),
        active: method.active,
        versions: method.versions.into_iter().map(PaymentMethod::from).collect(),
    });
    Ok(ok(PlatformMethods { success: true, payment_methods: payment_methods.collect() }))
}

async fn propose(
    app: &App,
    caller: SignedIn,
    id: String,
    fields: Option<MethodFields>,
    claim: Option<proto::common::v1::Idempotency>,
) -> Result<Response, ApiError> {
    let message =
        ProposePlatformMethodRequest { id, fields, client_address: caller.client.address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.payment_method_staff, propose_platform_method, caller.out, claim, message)?
            .into_parts();
    Ok(marked(&metadata, created(Proposed::new(Owner::PaymentMethod, answer.proposal)?)))
}

/// Propose a platform method
#[utoipa::path(post, path = "/admin/payment-methods", request_body = NewMethod,
    params(Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn create(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    key: Key,
    Json { value, digest }: Json<NewMethod>,
) -> Result<Response, ApiError> {
    let fields = value.read(&app).await?;
    propose(&app, caller, String::new(), Some(fields), key.claim(&digest)).await
}

/// Propose a change of a platform method
#[utoipa::path(put, path = "/admin/payment-methods/{id}", request_body = NewMethod,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn update(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
    Json { value, digest }: Json<NewMethod>,
) -> Result<Response, ApiError> {
    let fields = value.read(&app).await?;
    propose(&app, caller, id, Some(fields), key.claim(&digest)).await
}

/// Propose the end of a platform method
#[utoipa::path(delete, path = "/admin/payment-methods/{id}",
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn delete(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
) -> Result<Response, ApiError> {
    propose(&app, caller, id, None, key.bodyless()).await
}
