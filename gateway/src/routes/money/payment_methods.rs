//! Payment methods: those of the platform, and the member's own.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::payment_method::v1 as methods;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, DeletePaymentMethodRequest, ListPaymentMethodsRequest, MethodFields, Scope,
    UpdatePaymentMethodRequest,
};
use route_macros::{delete, get, post, put, request, response};

use crate::app::App;
use crate::extract::{ActiveMember, VerifiedMember};
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Done, Field, Form, Json, Kept, ToProto, created, done, marked, ok};
use crate::peers::clients::{ask, keyed, send};
use crate::routes::money::destinations::{ask_for_method, unconfirmed};
use crate::routes::money::quotes::Derivation;
use crate::routes::money::transactions::payments::ChainPayment;
use crate::storage::files::{Files, Purpose};

/// The owner of a payment method.
#[response]
pub enum MethodScope {
    Platform,
    Personal,
}

/// A way to deposit or to be paid out.
#[response(from = methods::PaymentMethod)]
pub struct PaymentMethod {
    /// Id of the method.
    pub id: String,
    #[from(with = shown_scope)]
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
    #[from(image_key, with = |key: String| Files::public_link(&key))]
    #[nullable]
    pub image: Option<String>,
    /// Whether the caller may change it.
    #[from(scope, with = |scope: i32| scope == i32::from(Scope::Personal))]
    pub editable: bool,
    /// Own methods: whether the member has to confirm the address before payouts.
    #[from(skip)]
    pub needs_confirmation: Option<bool>,
    /// Increases with every change.
    pub version: i32,
    /// Platform methods: `<valid from>.<signature>` of the operator's treasury key over this version, which the web app
    /// verifies before it shows the address. Missing if there is none.
    pub signature: Option<String>,
    /// Platform methods: how the address was derived, if it is the member's own.
    pub derivation: Option<Derivation>,
}

fn shown_scope(scope: i32) -> MethodScope {
    if scope == i32::from(Scope::Personal) { MethodScope::Personal } else { MethodScope::Platform }
}

/// The methods the caller may use.
#[response(from = methods::ListPaymentMethodsResponse)]
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
    let mut methods: PaymentMethods = from_proto(answer)?;
    for method in methods.payment_methods.iter_mut().filter(|method| method.editable) {
        method.needs_confirmation = unconfirmed.as_ref().map(|ids| ids.contains(&method.id));
    }
    Ok(ok(methods))
}

/// The fields of a method.
#[request(to = MethodFields)]
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
    #[to(skip)]
    pub(crate) image: Field<Option<String>>,
}

impl NewMethod {
    /// Validates the fields and stores the picture, if there is one.
    pub async fn read(self, app: &App) -> Result<MethodFields, ApiError> {
        let mut form = Form::new();
        let mut fields: MethodFields = self.fill(&mut form);
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

impl MethodReply {
    /// The reply to a change of a method. The error is 500 if the service gave none.
    pub fn new(method: Option<methods::PaymentMethod>, message: &str) -> Result<Self, ApiError> {
        Ok(Self { message: message.to_owned(), payment_method: from_proto(method)? })
    }
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
    let mut reply = MethodReply::new(method, message)?;
    reply.payment_method.needs_confirmation = needs_confirmation;
    Ok(reply)
}

/// Save an own payment method
#[post("/payment-methods", "Payment methods")]
pub async fn create(caller: ActiveMember, Keyed { value, claim }: Keyed<NewMethod>) -> Created<MethodReply> {
    let fields = value.read(&caller.app).await?;
    let image_key = fields.image_key.clone();
    let message = CreatePaymentMethodRequest { fields: Some(fields), idempotency: claim };
    let answer = keyed!(caller.payment_method.create_payment_method(message));
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        caller.app.files.discard(&image_key).await;
    }
    let Kept { sent, is_replay } = answer?;
    let reply = saved(&caller.app, &caller.out, sent.payment_method, "Your payment method has been saved.").await?;
    Ok(marked(is_replay, created(reply)))
}

/// Change an own payment method
#[put("/payment-methods/{id}", "Payment methods")]
pub async fn update(caller: ActiveMember, Path(id): Path<String>, body: Json<NewMethod>) -> Answer<MethodReply> {
    let keep_image = !body.value.image.is_given();
    let fields = body.value.read(&caller.app).await?;
    let image_key = fields.image_key.clone();
    let message = UpdatePaymentMethodRequest { id, fields: Some(fields), keep_image };
    let answer = send!(caller.payment_method.update_payment_method(message));
    if answer.as_ref().is_err_and(ApiError::is_final) && !image_key.is_empty() {
        caller.app.files.discard(&image_key).await;
    }
    let answer = answer?;
    caller.app.files.discard(&answer.replaced_image_key).await;
    Ok(ok(saved(&caller.app, &caller.out, answer.payment_method, "Your payment method has been updated.").await?))
}

/// Delete an own payment method
#[delete("/payment-methods/{id}", "Payment methods")]
pub async fn delete(caller: ActiveMember, Path(id): Path<String>) -> Answer<Done> {
    let message = DeletePaymentMethodRequest { id };
    let answer = send!(caller.payment_method.delete_payment_method(message))?;
    caller.app.files.discard(&answer.image_key).await;
    done("Your payment method has been deleted.")
}
