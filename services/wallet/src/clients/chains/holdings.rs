//! What the platform holds on the chains.

use std::time::Duration;

use chassis::call;
use chassis::clock::from_proto;
use chassis::error::{Refusal, from_status};
use chassis::grpc::Outgoing;
use chassis::money::{SignedUnits, Units};
use proto::common::v1 as common;
use proto::payment_method::v1 as payment_method;
use proto::payment_method::v1::{GetHoldingsRequest, ListOutflowsRequest};

use super::Chains;
use crate::domain::holding::{AddressProof, AssetHolding, HeldAt, Movement, Observed, Outflow, SharedAddress, Undone};

/// How long a report waits for the holdings before it is returned without them.
const PATIENCE: Duration = Duration::from_secs(2);

impl Chains {
    /// The holdings of the platform's addresses and the payments without a withdrawal; `None` if payment-method does not
    /// answer in time.
    pub async fn holdings(&self) -> Option<Observed> {
        let request = Outgoing::service(&self.credential).idempotent(GetHoldingsRequest {});
        let asked = call!(self.client, get_holdings, request);
        let all = async {
            let mut answer = asked.await.ok()?.into_inner();
            // What is missing is the sum of all of them, however many there are.
            while let Some(last) = answer.outflows.last() {
                let next = self.outflows(last.number).await.ok()?;
                if next.is_empty() {
                    break;
                }
                answer.outflows.extend(next);
            }
            Some(answer)
        };
        let answer = tokio::time::timeout(PATIENCE, all).await.ok()??;
        Some(Observed {
            assets: answer.holdings.into_iter().filter_map(holding).collect(),
            outflows: answer.outflows.into_iter().filter_map(outflow).collect(),
            undone: answer.undone.into_iter().filter_map(undone).collect(),
            shared: answer.shared.into_iter().map(shared).collect(),
        })
    }

    async fn outflows(&self, after: i64) -> Result<Vec<payment_method::Outflow>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(ListOutflowsRequest { after });
        let answer = call!(self.client, list_outflows, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().outflows)
    }
}

fn holding(one: payment_method::AssetHolding) -> Option<AssetHolding> {
    let sums = Units::parse(&one.units).ok().zip(SignedUnits::parse(&one.recorded).ok());
    Some(AssetHolding {
        chain: one.chain,
        asset: one.asset,
        decimals: one.decimals.try_into().ok()?,
        sums,
        at: one.at.as_ref().and_then(from_proto),
        rate: one.rate_micros.zip(one.rate_at.as_ref().and_then(from_proto)),
        value_cents: one.value_cents,
        addresses: one.addresses.into_iter().filter_map(held_at).collect(),
    })
}

fn held_at(one: common::HeldAtAddress) -> Option<HeldAt> {
    Some(HeldAt { units: Units::parse(&one.units).ok()?, at: from_proto(one.at.as_ref()?)?, address: one.address })
}

fn movement(one: common::ChainPayment) -> Option<Movement> {
    Some(Movement {
        units: Units::parse(&one.units).ok()?,
        seen_at: from_proto(one.seen_at.as_ref()?)?,
        decimals: one.decimals.try_into().ok()?,
        chain: one.chain,
        txid: one.txid,
        vout: one.index,
        asset: one.asset,
        address: one.address,
        counterparty: one.counterparty,
        state: one.state,
    })
}

fn outflow(one: payment_method::Outflow) -> Option<Outflow> {
    Some(Outflow { number: one.number, payment: movement(one.payment?)?, replaces: one.replaces })
}

fn undone(one: payment_method::UndonePayment) -> Option<Undone> {
    let changed_at = from_proto(one.changed_at.as_ref()?)?;
    Some(Undone { payment: movement(one.payment?)?, changed_at, is_deposit: one.is_deposit })
}

fn shared(one: payment_method::PaymentMethod) -> SharedAddress {
    SharedAddress {
        currency: one.currency,
        network: one.network,
        address: one.address,
        memo: one.memo,
        version: one.version,
        signature: one.signature,
        proof: one.proof.map(|proof| AddressProof {
            message: proof.message,
            signature: proof.signature,
            day: proof.day,
        }),
    }
}
