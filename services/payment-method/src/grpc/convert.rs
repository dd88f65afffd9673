//! Conversion between proto messages and the types of this service.

use chassis::error::Refusal;
use proto::payment_method::v1::{
    MethodFields, PaymentMethod, PlatformMethod as PlatformMethodMessage, ResolveWithdrawalMethodRequest,
    ResolveWithdrawalMethodResponse, Scope as ScopeMessage,
};
use uuid::Uuid;

use crate::app::list_platform_methods::PlatformMethod;
use crate::app::propose_platform_method::{Change, Proposed};
use crate::app::resolve_withdrawal_method::{Destination, ResolveWithdrawalMethod};
use crate::domain::method::{Fields, Method, Scope, SignedMethod};
use crate::error::Error;

pub(super) fn fields(message: Option<MethodFields>) -> Result<Fields, Error> {
    let message = message.unwrap_or_default();
    let fields = Fields::parse(Fields {
        currency: message.currency,
        network: message.network,
        address: message.address,
        memo: message.memo,
        label: message.label,
        image_key: message.image_key,
    });
    Ok(fields.map_err(Refusal::from)?)
}

/// The change that a treasurer proposes.
pub(super) fn change(id_text: &str, typed: Option<MethodFields>, signature: String) -> Result<Change, Error> {
    Ok(match (id_text, typed) {
        ("", typed) => Change::Create(Proposed { fields: fields(typed)?, signature }),
        (text, Some(typed)) => Change::Update(id(text)?, Proposed { fields: fields(Some(typed))?, signature }),
        (text, None) => Change::Archive(id(text)?),
    })
}

/// A method's id; text that is none names no method.
pub(super) fn id(text: &str) -> Result<Uuid, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

pub(super) fn resolve_withdrawal_method(
    message: ResolveWithdrawalMethodRequest,
) -> Result<ResolveWithdrawalMethod, Error> {
    let user_id = id(&message.user_id)?;
    Ok(ResolveWithdrawalMethod { user_id, method: message.method, address: message.address, memo: message.memo })
}

impl From<Method> for PaymentMethod {
    fn from(method: Method) -> Self {
        let scope = match method.scope {
            Scope::Platform => ScopeMessage::Platform,
            Scope::Personal => ScopeMessage::Personal,
        };
        let fields = method.fields;
        Self {
            id: method.id.to_string(),
            scope: scope.into(),
            currency: fields.currency,
            network: fields.network,
            address: fields.address,
            memo: fields.memo,
            label: fields.label,
            image_key: fields.image_key,
            version: method.version,
            signature: String::new(),
        }
    }
}

impl From<SignedMethod> for PaymentMethod {
    fn from(SignedMethod { method, signature }: SignedMethod) -> Self {
        Self { signature: signature.unwrap_or_default(), ..method.into() }
    }
}

impl From<PlatformMethod> for PlatformMethodMessage {
    fn from(method: PlatformMethod) -> Self {
        let versions: Vec<PaymentMethod> = method.versions.into_iter().map(PaymentMethod::from).collect();
        Self { current: versions.first().cloned(), active: method.active, versions }
    }
}

impl From<Destination> for ResolveWithdrawalMethodResponse {
    fn from(destination: Destination) -> Self {
        Self {
            method_id: destination.method_id.to_string(),
            currency: destination.currency,
            network: destination.network,
            address: destination.address,
            memo: destination.memo,
        }
    }
}
