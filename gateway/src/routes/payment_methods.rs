//! Payment methods: those of the platform, and the member's own.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::payment_method::v1 as methods;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, DeletePaymentMethodRequest, ListPaymentMethodsRequest, MethodFields, Scope,
    UpdatePaymentMethodRequest,
};
use route_macros::{delete, get, post, put, request, response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{ask, call, keyed, send};
use crate::error::ApiError;
use crate::extract::{ActiveMember, VerifiedMember};
use crate::files::{Files, Purpose};
use crate::idempotency::Keyed;
use crate::json::{Answer, Created, Field, Form, Json, created, marked, ok};
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
#[response]
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
    #[nullable]
    pub memo: Option<String>,
    /// Name that the member gave it.
    #[nullable]
    pub label: Option<String>,
    /// Link to its picture.
    #[nullable]
    pub image: Option<String>,
    /// Whether the caller may change it.
    pub editable: bool,
    /// Own methods: whether the member has to confirm the address before payouts.
    #[serde(rename = "needsConfirmation")]
    pub needs_confirmation: Option<bool>,
    /// Increases with every change.
    pub version: i32,
    /// Platform methods: `<valid from>.<signature>` of the operator's treasury key over this version, which the web app
    /// verifies before it shows the address. Missing if there is none.
    pub signature: Option<String>,
    /// Platform methods: how the address was derived, if it is the member's own.
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
#[response]
pub struct PaymentMethods {
    payment_methods: Vec<PaymentMethod>,
    /// Payments to own addresses of the member that belong to no deposit yet, newest first; at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    arrived: Vec<ChainPayment>,
}

/// List the payment methods
#[get("/payment-methods", "Payment methods")]
pub async fn list(caller: VerifiedMember) -> Answer<PaymentMethods> {
    let message = ListPaymentMethodsRequest {};
    let answer = ask!(caller.payment_method.list_payment_methods(message))?;
    let unconfirmed = unconfirmed(&caller.app, &caller.out, &answer.payment_methods).await;
    let told = |method: PaymentMethod| {
        let own = unconfirmed.as_ref().filter(|_| method.editable);
        PaymentMethod { needs_confirmation: own.map(|ids| ids.contains(&method.id)), ..method }
    };
    let payment_methods = answer.payment_methods.into_iter().map(PaymentMethod::from).map(told).collect();
    let arrived = answer.arrived.into_iter().map(ChainPayment::from).collect();
    Ok(ok(PaymentMethods { payment_methods, arrived }))
}

/// The fields of a method.
#[request]
pub struct NewMethod {
    /// Currency code, 2 to 10 characters of A-Z and 0-9.
    #[schema(example = "USDT")]
    pub(crate) currency: Field<String>,
    /// Network, 2 to 40 characters.
    #[schema(example = "ERC20")]
    pub(crate) network: Field<String>,
    /// 10-128 characters; its checksum is verified where the network is known.
    #[schema(example = "0x52908400098527886E0F7030069857D2E4169EE7")]
    pub(crate) address: Field<String>,
    pub(crate) memo: Field<Option<String>>,
    #[schema(example = "My wallet")]
    pub(crate) label: Field<Option<String>>,
    /// PNG, JPEG or WebP as a data URL.
    pub(crate) image: Field<Option<String>>,
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
#[response]
pub struct MethodReply {
    message: String,
    payment_method: PaymentMethod,
}

/// The reply to a change of a method. The error is 500 if the service gave none.
pub fn reply(method: Option<methods::PaymentMethod>, message: &str) -> Result<MethodReply, ApiError> {
    let method = method.ok_or_else(|| ApiError::internal("an answer without method"))?;
    Ok(MethodReply { message: message.to_owned(), payment_method: method.into() })
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
#[post("/payment-methods", "Payment methods")]
pub async fn create(caller: ActiveMember, Keyed { value, claim }: Keyed<NewMethod>) -> Created<MethodReply> {
    let fields = value.read(&caller.app).await?;
    let image_key = fields.image_key.clone();
    let message = CreatePaymentMethodRequest { fields: Some(fields), idempotency: claim.clone() };
    let answer = keyed!(caller.payment_method.create_payment_method(message), claim);
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        caller.app.files.discard(&image_key).await;
    }
    let (answer, replayed) = answer?;
    let reply = saved(&caller.app, &caller.out, answer.payment_method, "Your payment method has been saved.").await?;
    Ok(marked(replayed, created(reply)))
}

/// Change an own payment method
#[put("/payment-methods/{id}", "Payment methods")]
pub async fn update(caller: ActiveMember, Path(id): Path<String>, body: Json<NewMethod>) -> Answer<MethodReply> {
    let keep_image = !body.value.image.is_given();
    let fields = body.value.read(&caller.app).await?;
    let image_key = fields.image_key.clone();
    let message = UpdatePaymentMethodRequest { id, fields: Some(fields), keep_image };
    let answer = call!(caller.app.clients.payment_method, update_payment_method, caller.out, message);
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        caller.app.files.discard(&image_key).await;
    }
    let answer = answer?.into_inner();
    discard_replaced(&caller.app, &answer.replaced_image_key).await;
    Ok(ok(saved(&caller.app, &caller.out, answer.payment_method, "Your payment method has been updated.").await?))
}

/// Delete an own payment method
#[delete("/payment-methods/{id}", "Payment methods")]
pub async fn delete(caller: ActiveMember, Path(id): Path<String>) -> Answer<Done> {
    let message = DeletePaymentMethodRequest { id };
    let answer = send!(caller.payment_method.delete_payment_method(message))?;
    discard_replaced(&caller.app, &answer.image_key).await;
    Ok(ok(Done::saying("Your payment method has been deleted.")))
}
