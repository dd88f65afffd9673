//! Conversion between proto messages and the types of this service.

use chassis::error::{Kind, Refusal};
use proto::common::v1::{ErrorReason, PageRequest};
use proto::payment_method::v1::{
    MethodFields, PaymentMethod, PlatformMethod as PlatformMethodMessage, ResolveWithdrawalMethodRequest,
    ResolveWithdrawalMethodResponse, Scope as ScopeMessage,
};
use uuid::Uuid;

use crate::app::list_platform_methods::PlatformMethod;
use crate::app::resolve_withdrawal_method::{Destination, ResolveWithdrawalMethod};
use crate::domain::method::{Fields, Method, Scope};
use crate::error::Error;

/// How many rows a page has when the caller does not say.
const PAGE: i64 = 100;
/// How many it has at the most.
const LARGEST_PAGE: i64 = 500;

pub(super) fn fields(message: Option<MethodFields>) -> Result<Fields, Error> {
    let message = message.unwrap_or_default();
    Fields::parse(Fields {
        currency: message.currency,
        network: message.network,
        address: message.address,
        memo: message.memo,
        label: message.label,
        image_key: message.image_key,
    })
    .map_err(Error::Fields)
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

/// A proposal's id; text that is none names no proposal.
pub(super) fn proposal_id(text: &str) -> Result<Uuid, Error> {
    let unknown = || Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Proposal not found.");
    Ok(text.parse().map_err(|_| unknown())?)
}

/// The cursor and the size of a page.
pub(super) fn page<C: std::str::FromStr>(message: Option<PageRequest>) -> Result<(Option<C>, i64), Error> {
    let message = message.unwrap_or_default();
    let cursor = match message.cursor.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| Refusal::field("cursor", "This page link is not valid."))?),
    };
    let size = if message.size == 0 { PAGE } else { i64::from(message.size).clamp(1, LARGEST_PAGE) };
    Ok((cursor, size))
}

/// The cursor to what follows a page: its last row's, if the page is full.
pub(super) fn next_cursor<T>(rows: &[T], size: i64, key: impl Fn(&T) -> String) -> String {
    let full = i64::try_from(rows.len()).is_ok_and(|length| length >= size);
    rows.last().filter(|_| full).map(key).unwrap_or_default()
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
        }
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
