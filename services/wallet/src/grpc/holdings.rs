//! What is held on chains, for staff.

use chassis::clock;
use proto::common::v1::{ChainPayment, HeldAtAddress};
use proto::wallet::v1::{self as message, GetHoldingsResponse};

use crate::app::treasury::check_holdings::{Holdings, check_holdings};
use crate::app::treasury::check_solvency::{Found, check_solvency, held_now};
use crate::domain::holding::{AssetHolding, Comparison, HeldAt, Movement, State, Undone};
use crate::domain::liabilities::HeldForMembers;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::grpc::GrpcServer;

impl GrpcServer {
    /// What is held beside the books; `None` if it is unknown now.
    pub(super) async fn holdings(&self) -> Result<Option<Holdings>, Error> {
        match self.chains.holdings().await {
            Some(observed) => check_holdings(&self.db, observed).await.map(Some),
            None => Ok(None),
        }
    }

    /// What is held now, as it is published.
    pub(super) async fn held(&self) -> Result<HeldForMembers, Error> {
        held_now(&self.db, &self.chains, self.tolerance).await
    }

    /// What is owed beside what is held.
    pub(super) async fn solvency(&self) -> Result<Found, Error> {
        let holdings = self.holdings().await?;
        check_solvency(&self.db, holdings.as_ref(), self.tolerance).await
    }
}

impl From<Holdings> for GetHoldingsResponse {
    fn from(found: Holdings) -> Self {
        Self {
            holdings: found.assets.into_iter().map(holding).collect(),
            outflows: found.outflows.into_iter().map(|one| one.payment.into()).collect(),
            undone: found.undone.into_iter().map(undone).collect(),
        }
    }
}

fn holding((one, comparison): (AssetHolding, Option<Comparison>)) -> message::Holding {
    message::Holding {
        chain: one.chain,
        asset: one.asset,
        decimals: one.decimals.into(),
        units: comparison.map(|found| found.units.to_string()).unwrap_or_default(),
        books: comparison.map(|found| found.books.to_string()).unwrap_or_default(),
        difference: comparison.map(|found| found.difference.to_string()).unwrap_or_default(),
        at: one.at.map(clock::to_proto),
        state: State::of(comparison).into_str().to_owned(),
        rate_micros: one.rate.map(|(micros, _)| micros),
        rate_at: one.rate.map(|(_, at)| clock::to_proto(at)),
        value_cents: one.value_cents.filter(|_| comparison.is_some()),
        addresses: one.addresses.into_iter().map(Into::into).collect(),
    }
}

fn undone((transaction, one): (Transaction, Undone)) -> message::UndoneTransaction {
    message::UndoneTransaction {
        transaction: Some(transaction.into()),
        payment: Some(one.payment.into()),
        changed_at: Some(clock::to_proto(one.changed_at)),
    }
}

impl From<HeldAt> for HeldAtAddress {
    fn from(one: HeldAt) -> Self {
        Self { address: one.address, units: one.units.to_string(), at: Some(clock::to_proto(one.at)) }
    }
}

impl From<Movement> for ChainPayment {
    fn from(one: Movement) -> Self {
        Self {
            chain: one.chain,
            txid: one.txid,
            index: one.vout,
            asset: one.asset,
            units: one.units.to_string(),
            decimals: one.decimals.into(),
            address: one.address,
            counterparty: one.counterparty,
            state: one.state,
            seen_at: Some(clock::to_proto(one.seen_at)),
            ..Self::default()
        }
    }
}
