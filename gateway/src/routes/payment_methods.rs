//! Payment methods: those of the platform, and the member's own.

use axum::extract::{Path, State};
use axum::response::Response;
use chassis::grpc::Outgoing;
use proto::payment_method::v1 as methods;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, DeletePaymentMethodRequest, ListPaymentMethodsRequest, MethodFields, Scope,
    UpdatePaymentMethodRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{ActiveMember, VerifiedMember};
use crate::files::{Files, Purpose};
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Json, Reply, created, ok};
use crate::routes::Done;
use crate::routes::destinations::{ask_for_method, unconfirmed};
use crate::routes::quotes::Derivation;
use crate::routes::transactions::payments::ChainPayment;
use crate::routes::users::discard_replaced;

/// The owner of a payment method.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MethodScope {
    Platform,
    Personal,
}

/// A way to deposit or to be paid out.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentMethod {
    /// Id of the method.
    pub id: String,
    pub scope: MethodScope,
    /// Currency code, e.g. `USDT`.
    pub currency: String,
    /// Network, e.g. `TRC20`.
    pub network: String,
    /// The address on that network. In the back office perhaps an extended public key, from which each member gets an address.
    pub address: String,
    /// Memo or destination tag, on networks that use one.
    pub memo: Option<String>,
    /// Name that the member gave it.
    pub label: Option<String>,
    /// Link to its picture.
    pub image: Option<String>,
    /// Whether the caller may change it.
    pub editable: bool,
    /// Own methods: whether the member has to confirm the address before payouts.
    #[serde(rename = "needsConfirmation", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub needs_confirmation: Option<bool>,
    /// Increases with every change.
    pub version: i32,
    /// Platform methods: `<valid from>.<signature>` of the operator's treasury key over this version, which the web app
    /// verifies before it shows the address. Missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<String>,
    /// Platform methods: how the address was derived, if it is the member's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub derivation: Option<Derivation>,
}

impl From<methods::PaymentMethod> for PaymentMethod {
    fn from(method: methods::PaymentMethod) -> Self {
        let personal = method.scope() == Scope::Personal;
        Self {
            id: method.id,
            scope: if personal { MethodScope::Personal } else { MethodScope::Platform },
            currency: method.currency,
            network: method.network,
            address: method.address,
            memo: Some(method.memo).filter(|memo| !memo.is_empty()),
            label: Some(method.label).filter(|label| !label.is_empty()),
            image: Files::public_link(&method.image_key),
            editable: personal,
            needs_confirmation: None,
            version: method.version,
            signature: Some(method.signature).filter(|signature| !signature.is_empty()),
            derivation: method.derivation.map(Into::into),
        }
    }
}

/// The methods the caller may use.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentMethods {
    success: bool,
    payment_methods: Vec<PaymentMethod>,
    /// Payments to own addresses of the member that belong to no deposit yet, newest first; at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    arrived: Vec<ChainPayment>,
}

/// List the payment methods
#[utoipa::path(get, path = "/payment-methods", responses((status = 200, body = PaymentMethods), Errors), tag = "Payment methods")]
pub async fn list(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
) -> Result<Reply<PaymentMethods>, ApiError> {
    let message = ListPaymentMethodsRequest {};
    let answer = call_retrying!(app.clients.payment_method, list_payment_methods, caller.out, message)?.into_inner();
    let unconfirmed = unconfirmed(&app, &caller.out, &answer.payment_methods).await;
    let told = |method: PaymentMethod| {
        let own = unconfirmed.as_ref().filter(|_| method.editable);
        PaymentMethod { needs_confirmation: own.map(|ids| ids.contains(&method.id)), ..method }
    };
    let payment_methods = answer.payment_methods.into_iter().map(PaymentMethod::from).map(told).collect();
    let arrived = answer.arrived.into_iter().map(ChainPayment::from).collect();
    Ok(ok(PaymentMethods { success: true, payment_methods, arrived }))
}

/// The fields of a method.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewMethod {
    /// Currency code, 2 to 10 characters of A-Z and 0-9.
    #[schema(value_type = String, example = "USDT")]
    pub(crate) currency: Field,
    /// Network, 2 to 40 characters.
    #[schema(value_type = String, example = "ERC20")]
    pub(crate) network: Field,
    /// 10-128 characters; its checksum is verified where the network is known.
    #[schema(value_type = String, example = "0x52908400098527886E0F7030069857D2E4169EE7")]
    pub(crate) address: Field,
    #[schema(value_type = Option<String>)]
    pub(crate) memo: Field,
    #[schema(value_type = Option<String>, example = "My wallet")]
    pub(crate) label: Field,
    /// PNG, JPEG or WebP as a data URL.
    #[schema(value_type = Option<String>)]
    pub(crate) image: Field,
}

impl NewMethod {
    /// Validates the fields and stores the picture, if there is one.
    pub async fn read(self, app: &App) -> Result<MethodFields, ApiError> {
        let mut form = Form::new();
        let mut fields = MethodFields {
            currency: form.text("currency", &self.currency),
            network: form.text("network", &self.network),
            address: form.text("address", &self.address),
            memo: form.text("memo", &self.memo),
            label: form.text("label", &self.label),
            image_key: String::new(),
        };
        let image = form.file("image", self.image);
        form.finish()?;
        if !image.is_empty() {
            fields.image_key = app.files.store("image", image, Purpose::Method).await?.key;
        }
        Ok(fields)
    }
}

/// The method after the change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodReply {
    success: bool,
    message: String,
    payment_method: PaymentMethod,
}

/// The reply to a change of a method. The error is 500 if the service gave none.
pub fn reply(method: Option<methods::PaymentMethod>, message: &str) -> Result<MethodReply, ApiError> {
    let method = method.ok_or_else(|| ApiError::internal("an answer without method"))?;
    Ok(MethodReply { success: true, message: message.to_owned(), payment_method: method.into() })
}

/// The reply to a member who saved a method, with whether its address has to be confirmed.
async fn saved(
    app: &App,
    out: &Outgoing,
    method: Option<methods::PaymentMethod>,
    message: &str,
) -> Result<MethodReply, ApiError> {
    let needs_confirmation = match &method {
        Some(saved) => ask_for_method(app, out, saved).await,
        None => None,
    };
    let mut reply = reply(method, message)?;
    reply.payment_method.needs_confirmation = needs_confirmation;
    Ok(reply)
}

/// Save an own payment method
#[utoipa::path(post, path = "/payment-methods", request_body = NewMethod,
    params(Key),
    responses((status = 201, body = MethodReply), Errors), tag = "Payment methods")]
pub async fn create(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    Keyed { value, claim }: Keyed<NewMethod>,
) -> Result<Response, ApiError> {
    let fields = value.read(&app).await?;
    let image_key = fields.image_key.clone();
    let message = CreatePaymentMethodRequest { fields: Some(fields), idempotency: claim.clone() };
    let answer = call_keyed!(app.clients.payment_method, create_payment_method, caller.out, claim, message);
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        app.files.discard(&image_key).await;
    }
    let (metadata, answer, _) = answer?.into_parts();
    let reply = saved(&app, &caller.out, answer.payment_method, "Your payment method has been saved.").await?;
    Ok(marked(&metadata, created(reply)))
}

/// Change an own payment method
#[utoipa::path(put, path = "/payment-methods/{id}", params(("id" = String, Path)), request_body = NewMethod,
    responses((status = 200, body = MethodReply), Errors), tag = "Payment methods")]
pub async fn update(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    Path(id): Path<String>,
    Json { value, .. }: Json<NewMethod>,
) -> Result<Reply<MethodReply>, ApiError> {
    let keep_image = !value.image.is_given();
    let fields = value.read(&app).await?;
    let image_key = fields.image_key.clone();
    let message = UpdatePaymentMethodRequest { id, fields: Some(fields), keep_image };
    let answer = call!(app.clients.payment_method, update_payment_method, caller.out, message);
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        app.files.discard(&image_key).await;
    }
    let answer = answer?.into_inner();
    discard_replaced(&app, &answer.replaced_image_key).await;
    Ok(ok(saved(&app, &caller.out, answer.payment_method, "Your payment method has been updated.").await?))
}

/// Delete an own payment method
#[utoipa::path(delete, path = "/payment-methods/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Done), Errors), tag = "Payment methods")]
pub async fn delete(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    Path(id): Path<String>,
) -> Result<Reply<Done>, ApiError> {
    let message = DeletePaymentMethodRequest { id };
    let answer = call!(app.clients.payment_method, delete_payment_method, caller.out, message)?.into_inner();
    discard_replaced(&app, &answer.image_key).await;
    Ok(ok(Done::saying("Your payment method has been deleted.")))
}
