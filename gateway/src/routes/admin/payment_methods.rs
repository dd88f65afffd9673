//! Platform methods, for staff: every change is a proposal.

use axum::extract::Path;
use proto::payment_method::v1::{
    self as methods, ListPlatformMethodsRequest, MethodFields, ProposePlatformMethodRequest, ProveAddressRequest,
    SignPlatformMethodRequest,
};
use route_macros::{delete, get, post, put, request, response};

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::error::ApiError;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Field, ToProto, reply};
use crate::peers::clients::{Service, ask, keyed};
use crate::routes::admin::proposals::Proposed;
use crate::routes::money::payment_methods::{MethodReply, NewMethod, PaymentMethod};

/// A platform method with all its versions.
#[response(from = methods::PlatformMethod)]
pub struct PlatformMethod {
    #[nullable]
    current: Option<PaymentMethod>,
    active: bool,
    /// The day of the newest proof that the operator has the private key of its address; `null` without one.
    #[from(self, with = proven)]
    #[nullable]
    #[schema(example = "2026-11-28")]
    proven: Option<String>,
    versions: Vec<PaymentMethod>,
}

fn proven(method: &methods::PlatformMethod) -> Option<String> {
    method.current.as_ref()?.proof.as_ref().map(|proof| proof.day.clone())
}

/// The platform methods.
#[response(from = methods::ListPlatformMethodsResponse)]
pub struct PlatformMethods {
    #[from(methods)]
    payment_methods: Vec<PlatformMethod>,
}

/// List the platform methods with their versions
#[get("/admin/payment-methods", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<PlatformMethods> {
    let message = ListPlatformMethodsRequest {};
    reply(ask!(caller.payment_method_staff.list_platform_methods(message))?)
}

/// The next version of a platform method.
#[request]
pub struct NewPlatformMethod {
    /// Currency code, 2 to 10 characters of A-Z and 0-9.
    #[schema(example = "USDT")]
    currency: Field<String>,
    /// Network, 2 to 40 characters.
    #[schema(example = "ERC20")]
    network: Field<String>,
    /// 10-128 characters; its checksum is verified where the network is known.
    #[schema(example = "0x52908400098527886E0F7030069857D2E4169EE7")]
    address: Field<String>,
    memo: Field<Option<String>>,
    #[schema(example = "Cold wallet 2")]
    label: Field<Option<String>>,
    /// PNG, JPEG or WebP as a data URL.
    image: Field<Option<String>>,
    /// The treasury key's signature over this version; it can be attached later.
    signature: Field<Option<String>>,
}

impl NewPlatformMethod {
    /// Validates the fields and stores the picture, if there is one. Returns the signature beside them.
    async fn read(self, app: &App) -> Result<(MethodFields, String), ApiError> {
        let Self { currency, network, address, memo, label, image, signature } = self;
        let signature = signature.text("signature")?;
        Ok((NewMethod { currency, network, address, memo, label, image }.read(app).await?, signature))
    }
}

async fn propose(
    caller: StaffMember,
    id: String,
    next: Option<(MethodFields, String)>,
    claim: Option<proto::common::v1::Idempotency>,
) -> Created<Proposed> {
    let (fields, signature) = next.map(|(fields, signature)| (Some(fields), signature)).unwrap_or_default();
    let message = ProposePlatformMethodRequest {
        id,
        fields,
        client_address: caller.client.address,
        idempotency: claim,
        signature,
    };
    keyed!(caller.payment_method_staff.propose_platform_method(message))?
        .reply(|answer| Proposed::new(Service::PaymentMethod, answer.proposal))
}

/// Propose a platform method
#[post("/admin/payment-methods", "Back office")]
pub async fn create(caller: StaffMember, Keyed { value, claim }: Keyed<NewPlatformMethod>) -> Created<Proposed> {
    let next = value.read(&caller.app).await?;
    propose(caller, String::new(), Some(next), claim).await
}

/// Propose a change of a platform method
#[put("/admin/payment-methods/{id}", "Back office")]
pub async fn update(caller: StaffMember, Path(id): Path<String>, body: Keyed<NewPlatformMethod>) -> Created<Proposed> {
    let next = body.value.read(&caller.app).await?;
    propose(caller, id, Some(next), body.claim).await
}

/// Propose the end of a platform method
#[delete("/admin/payment-methods/{id}", "Back office")]
pub async fn delete(caller: StaffMember, Path(id): Path<String>, key: Key) -> Created<Proposed> {
    propose(caller, id, None, key.bodyless()).await
}

/// A signature over the current version of a platform method.
#[request(to = SignPlatformMethodRequest)]
pub struct NewSignature {
    /// The version that was signed.
    version: Field<i32>,
    /// As `payment-method treasury-key sign` prints it.
    signature: Field<String>,
}

/// Attach a signature to a platform method
///
/// Of the treasury key, over the current version. It takes the place of an earlier signature.
#[post("/admin/payment-methods/{id}/signature", "Back office")]
pub async fn sign(caller: StaffMember, Path(id): Path<String>, body: Keyed<NewSignature>) -> Answer<MethodReply> {
    let client_address = caller.client.address;
    let message = SignPlatformMethodRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    keyed!(caller.payment_method_staff.sign_platform_method(message))?
        .reply(|answer| MethodReply::new(answer.payment_method, "The signature has been attached."))
}

/// A proof that the operator has the private key of an address.
#[request(to = ProveAddressRequest)]
pub struct NewProof {
    /// As `payment-method address-proof message` prints it.
    #[schema(example = "Solvane Ltd controls the address bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l on 2026-11-28")]
    message: Field<String>,
    /// By the key of the address: BIP-322 on Bitcoin, EIP-191 on networks like Ethereum, TIP-191 on Tron.
    signature: Field<String>,
}

/// Attach a proof to the address of a platform method
///
/// By the key of the address. It takes the place of an earlier proof, and is published the next night.
#[post("/admin/payment-methods/{id}/proof", "Back office")]
pub async fn prove(caller: StaffMember, Path(id): Path<String>, body: Keyed<NewProof>) -> Answer<MethodReply> {
    let client_address = caller.client.address;
    let message = ProveAddressRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    keyed!(caller.payment_method_staff.prove_address(message))?
        .reply(|answer| MethodReply::new(answer.payment_method, "The proof has been attached."))
}
