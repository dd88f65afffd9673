//! The service payment-method, as the wallet needs it.

use chassis::caller::Credential;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Outgoing, read};
use proto::payment_method::v1::method_lookup_service_client::MethodLookupServiceClient;
use proto::payment_method::v1::{ResolveDepositMethodRequest, ResolveWithdrawalMethodRequest};
use tonic::transport::Channel;
use uuid::Uuid;

use crate::domain::transaction::{Destination, MethodCopy};

/// Looks payment methods up.
#[derive(Clone)]
pub struct Methods {
    client: MethodLookupServiceClient<Channel>,
    credential: Credential,
}

impl Methods {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: MethodLookupServiceClient::new(channel), credential }
    }

    /// The active platform method that a payment names, by id or unique currency code.
    ///
    /// # Errors
    /// Invalid if there is none, Unavailable if it cannot be asked.
    pub async fn resolve_deposit(&self, method: &str) -> Result<MethodCopy, Refusal> {
        let request = ResolveDepositMethodRequest { method: method.to_owned() };
        let request = Outgoing::service(&self.credential)?.idempotent(request);
        let answer = read(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.resolve_deposit_method(request).await },
        )
        .await
        .map_err(|status| from_status(&status))?;
        let found = answer.into_inner().payment_method.ok_or_else(Refusal::unavailable)?;
        Ok(MethodCopy {
            id: found.id.parse().map_err(|_| Refusal::unavailable())?,
            currency: found.currency,
            network: found.network,
            address: found.address,
            memo: found.memo,
            version: found.version,
        })
    }

    /// The network and destination of a withdrawal; the address is checked for the network. No destination if the
    /// member gave none and has saved none.
    ///
    /// # Errors
    /// Invalid for an unknown method or a bad address, Unavailable if it cannot be asked.
    pub async fn resolve_withdrawal(
        &self,
        user_id: Uuid,
        method: &str,
        typed: Destination,
    ) -> Result<(MethodCopy, Option<Destination>), Refusal> {
        let request = ResolveWithdrawalMethodRequest {
            user_id: user_id.to_string(),
            method: method.to_owned(),
            address: typed.address,
            memo: typed.memo,
        };
        let request = Outgoing::service(&self.credential)?.idempotent(request);
        let answer = read(
            || self.client.clone(),
            request,
            |mut client, request| async move { client.resolve_withdrawal_method(request).await },
        )
        .await
        .map_err(|status| from_status(&status))?
        .into_inner();
        let method = MethodCopy {
            id: answer.method_id.parse().map_err(|_| Refusal::unavailable())?,
            currency: answer.currency,
            network: answer.network,
            address: String::new(),
            memo: String::new(),
            version: 0,
        };
        let destination = Destination { address: answer.address, memo: answer.memo };
        Ok((method, Some(destination).filter(|destination| !destination.address.is_empty())))
    }
}
