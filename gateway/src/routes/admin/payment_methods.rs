//! Platform methods, for staff: every change is a proposal.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::payment_method::v1::{
    ListPlatformMethodsRequest, MethodFields, ProposePlatformMethodRequest, SignPlatformMethodRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{Service, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Reply, created, ok};
use crate::routes::admin::proposals::Proposed;
use crate::routes::payment_methods::{MethodReply, NewMethod, PaymentMethod, reply};

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

/// The next version of a platform method.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewPlatformMethod {
    /// Currency code, 2 to 10 characters of A-Z and 0-9.
    #[schema(value_type = String, example = "USDT")]
    currency: Field,
    /// Network, 2 to 40 characters.
    #[schema(value_type = String, example = "ERC20")]
    network: Field,
    /// 10-128 characters; its checksum is verified where the network is known.
    #[schema(value_type = String, example = "0x52908400098527886E0F7030069857D2E4169EE7")]
    address: Field,
    #[schema(value_type = Option<String>)]
    memo: Field,
    #[schema(value_type = Option<String>, example = "Cold wallet 2")]
    label: Field,
    /// PNG, JPEG or WebP as a data URL.
    #[schema(value_type = Option<String>)]
    image: Field,
    /// The treasury key's signature over this version; it can be attached later.
    #[schema(value_type = Option<String>)]
    signature: Field,
}

impl NewPlatformMethod {
    /// Validates the fields and stores the picture, if there is one. Returns the signature beside them.
    async fn read(self, app: &App) -> Result<(MethodFields, String), ApiError> {
        let Self { currency, network, address, memo, label, image, signature } = self;
        let mut form = Form::new();
        let signature = form.text("signature", &signature);
        form.finish()?;
        Ok((NewMethod { currency, network, address, memo, label, image }.read(app).await?, signature))
    }
}

async fn propose(
    app: &App,
    caller: SignedIn,
    id: String,
    next: Option<(MethodFields, String)>,
    claim: Option<proto::common::v1::Idempotency>,
) -> Result<Response, ApiError> {
    let (fields, signature) = next.map(|(fields, signature)| (Some(fields), signature)).unwrap_or_default();
    let message = ProposePlatformMethodRequest {
        id,
        fields,
        client_address: caller.client.address,
        idempotency: claim.clone(),
        signature,
    };
    let (metadata, answer, _) =
        call_keyed!(app.clients.payment_method_staff, propose_platform_method, caller.out, claim, message)?
            .into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::PaymentMethod, answer.proposal)?)))
}

/// Propose a platform method
#[utoipa::path(post, path = "/admin/payment-methods", request_body = NewPlatformMethod,
    params(Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn create(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Keyed { value, claim }: Keyed<NewPlatformMethod>,
) -> Result<Response, ApiError> {
    let next = value.read(&app).await?;
    propose(&app, caller, String::new(), Some(next), claim).await
}

/// Propose a change of a platform method
#[utoipa::path(put, path = "/admin/payment-methods/{id}", request_body = NewPlatformMethod,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn update(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    Keyed { value, claim }: Keyed<NewPlatformMethod>,
) -> Result<Response, ApiError> {
    let next = value.read(&app).await?;
    propose(&app, caller, id, Some(next), claim).await
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

/// A signature over the current version of a platform method.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewSignature {
    /// The version that was signed.
    #[schema(value_type = i32)]
    version: Field,
    /// As `payment-method treasury-key sign` prints it.
    #[schema(value_type = String)]
    signature: Field,
}

/// Attach a signature to a platform method
///
/// Of the treasury key, over the current version. It takes the place of an earlier signature.
#[utoipa::path(post, path = "/admin/payment-methods/{id}/signature", request_body = NewSignature,
    params(("id" = String, Path), Key),
    responses((status = 200, body = MethodReply), Errors), tag = "Back office")]
pub async fn sign(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    Keyed { value, claim }: Keyed<NewSignature>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let message = SignPlatformMethodRequest {
        id,
        version: form.integer("version", &value.version),
        signature: form.text("signature", &value.signature),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.payment_method_staff, sign_platform_method, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(reply(answer.payment_method, "The signature has been attached.")?)))
}
