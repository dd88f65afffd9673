//! The platform methods and destinations, which payment-method keeps.

use chassis::batch::Batch;
use chassis::call;
use chassis::clock::to_proto;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::id::MemberId;
use chassis::identity::Credential;
use chassis::money::Cents;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::method_lookup_service_client::MethodLookupServiceClient;
use proto::payment_method::v1::{
    GetArrivedRequest, GetArrivedResponse, ResolveDepositMethodRequest, ResolveWithdrawalMethodRequest,
    ResolveWithdrawalMethodResponse, ResolveWithdrawalMethodsRequest, TakeBackMethodsRequest,
};
use time::OffsetDateTime;
use tonic::Response;

use crate::domain::observed_payment::ObservedPayment;
use crate::domain::transaction::{Destination, MethodCopy};

#[derive(Clone)]
pub struct Methods {
    lookup: Lookup,
    plain: Batch<ResolveWithdrawalMethodRequest, Resolved>,
}

/// A withdrawal's method and destination; `None` where it was not plain.
type Resolved = Result<Option<ResolveWithdrawalMethodResponse>, Refusal>;

#[derive(Clone)]
struct Lookup {
    client: MethodLookupServiceClient<Channel>,
    credential: Credential,
}

impl Methods {
    /// Asks over this channel with this credential. Call inside the runtime.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        let lookup = Lookup { client: MethodLookupServiceClient::new(channel), credential };
        let asked = lookup.clone();
        let plain = Batch::new(move |withdrawals| {
            let lookup = asked.clone();
            async move { lookup.plain(withdrawals).await }
        });
        Self { lookup, plain }
    }

    /// The active platform method that a payment names, by id or unique currency code, in the version that was shown; 0 for
    /// the one in force. With the member's own address, if the method gives each member one.
    ///
    /// # Errors
    /// Invalid if there is none, Unavailable if it cannot be asked.
    pub async fn resolve_deposit(&self, method: &str, version: i32, user_id: MemberId) -> Result<MethodCopy, Refusal> {
        let user_id = user_id.to_string();
        let request = ResolveDepositMethodRequest { method: method.to_owned(), version, user_id };
        let request = Outgoing::service(&self.lookup.credential).idempotent(request);
        let answer =
            call!(self.lookup.client, resolve_deposit_method, request).await.map_err(|status| from_status(&status))?;
        copy_of(answer.into_inner().payment_method.ok_or_else(Refusal::unavailable)?)
    }

    /// What arrived at an own address of a member, and the method that it was paid by.
    ///
    /// # Errors
    /// `NotFound` if nothing did, Invalid if no active method is of it, Unavailable if it cannot be asked.
    pub async fn arrived(
        &self,
        user_id: MemberId,
        (chain, txid, index): (&str, &str, u32),
    ) -> Result<(ObservedPayment, Option<Cents>, MethodCopy), Refusal> {
        let (chain, txid) = (chain.to_owned(), txid.to_owned());
        let request = GetArrivedRequest { user_id: user_id.to_string(), chain, txid, index };
        let request = Outgoing::service(&self.lookup.credential).idempotent(request);
        let answer = call!(self.lookup.client, get_arrived, request).await.map_err(|status| from_status(&status))?;
        let GetArrivedResponse { payment, payment_method } = answer.into_inner();
        let (payment, found) = payment.zip(payment_method).ok_or_else(Refusal::unavailable)?;
        let value = payment.value_cents.map(Cents::new);
        let payment = ObservedPayment {
            chain: payment.chain,
            txid: payment.txid,
            vout: payment.index,
            address: payment.address,
            asset: payment.asset,
            units: payment.units,
        };
        Ok((payment, value, copy_of(found)?))
    }

    /// The network and destination of a withdrawal; the address is checked for the network. No destination if the
    /// member gave none and has saved none.
    ///
    /// # Errors
    /// Invalid for an unknown method or a bad address, Unavailable if it cannot be asked.
    pub async fn resolve_withdrawal(
        &self,
        user_id: MemberId,
        method: &str,
        typed: Destination,
    ) -> Result<(MethodCopy, Option<Destination>), Refusal> {
        let request = ResolveWithdrawalMethodRequest {
            user_id: user_id.to_string(),
            method: method.to_owned(),
            address: typed.address,
            memo: typed.memo,
        };
        let answer = match self.plain.ask(request.clone()).await.ok_or_else(Refusal::unavailable)?? {
            Some(answer) => answer,
            None => self.lookup.alone(request).await?,
        };
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

fn copy_of(found: payment_method::PaymentMethod) -> Result<MethodCopy, Refusal> {
    Ok(MethodCopy {
        id: found.id.parse().map_err(|_| Refusal::unavailable())?,
        currency: found.currency,
        network: found.network,
        address: found.address,
        memo: found.memo,
        version: found.version,
    })
}

impl Methods {
    /// Takes back what happened to a member's own methods in this period.
    ///
    /// # Errors
    /// Unavailable if it cannot be asked.
    pub async fn take_back(
        &self,
        user_id: MemberId,
        (since, until): (OffsetDateTime, OffsetDateTime),
    ) -> Result<(), Refusal> {
        let (since, until) = (Some(to_proto(since)), Some(to_proto(until)));
        let message = TakeBackMethodsRequest { user_id: user_id.to_string(), since, until };
        let request = Outgoing::service(&self.lookup.credential).idempotent(message);
        call!(self.lookup.client, take_back_methods, request).await.map(drop).map_err(|status| from_status(&status))
    }
}

impl Lookup {
    async fn plain(&self, withdrawals: Vec<ResolveWithdrawalMethodRequest>) -> Vec<Resolved> {
        if let [withdrawal] = &withdrawals[..] {
            return vec![self.alone(withdrawal.clone()).await.map(Some)];
        }
        let count = withdrawals.len();
        let request = Outgoing::service(&self.credential).idempotent(ResolveWithdrawalMethodsRequest { withdrawals });
        let asked = call!(self.client, resolve_withdrawal_methods, request);
        match asked.await {
            Ok(answer) => answer.into_inner().resolutions.into_iter().map(|one| Ok(one.found)).collect(),
            Err(status) => vec![Err(from_status(&status)); count],
        }
    }

    async fn alone(&self, request: ResolveWithdrawalMethodRequest) -> Result<ResolveWithdrawalMethodResponse, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(request);
        call!(self.client, resolve_withdrawal_method, request)
            .await
            .map(Response::into_inner)
            .map_err(|status| from_status(&status))
    }
}
