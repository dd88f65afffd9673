//! What the chain shows of a payout by its hash (D-N4).

use chassis::clock;
use chassis::db::Db;
use chassis::money::{Cents, Units};

use crate::clients::chain::Chain;
use crate::domain::address;
use crate::domain::network::{self, Format};
use crate::domain::payment::{self, Block, Search, State, Tip, Watched, Way};
use crate::error::Error;
use crate::store::{assets, chain_cursors, chain_payments};

#[derive(Debug, Clone)]
pub struct GetPayout {
    pub currency: String,
    pub network: String,
    /// The destination.
    pub address: String,
    /// In lower case without `0x`.
    pub txid: String,
    /// What it is worth.
    pub amount: Cents,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payout {
    /// The node cannot be asked now.
    Unknown,
    /// The node knows no such transaction.
    Missing,
    /// The outputs of the asset at the destination.
    Shown { state: State, outputs: Vec<Output> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub index: i32,
    pub units: Units,
    /// Whether it is among the payments from the platform: not, if the wallet that sent it is not watched.
    pub is_observed: bool,
}

/// The wallet that pays need not be watched: what counts is what arrives at the destination. `None` where the chain has no node.
pub async fn get_payout(db: &Db, chains: &[Chain], asked: &GetPayout) -> Result<Option<Payout>, Error> {
    let Some(chain) = chains.iter().find(|chain| network::chain(&asked.network) == Some(chain.name())) else {
        return Ok(None);
    };
    let mut conn = db.conn().await?;
    let Some(asset) = assets::find(&mut conn, chain.name(), &asked.currency).await? else { return Ok(None) };
    let now = clock::now(&mut conn).await?;
    let cursor = chain_cursors::find(&mut conn, chain.name()).await?;
    drop(conn);
    let fresh = cursor.filter(|cursor| cursor.is_fresh(now));
    let Some((tip_height, settled)) = fresh.and_then(|cursor| cursor.tip_height.zip(cursor.height)) else {
        return Ok(Some(Payout::Unknown));
    };
    let Some(script) = address::script(chain.format(), &asked.address).filter(|_| payment::is_hash(&asked.txid)) else {
        return Ok(Some(Payout::Missing));
    };
    let watched = [Watched { address: asked.address.clone(), script, since: now }];
    let contracts: Vec<_> = std::iter::once(asset.contract.clone()).filter(|contract| !contract.is_empty()).collect();
    let coin = asset.contract.is_empty();
    let search = Search { watched: &watched, derived: &[], held: &[], contracts: &contracts, coin };
    let found = match chain.payout(&asked.txid, search).await {
        Err(_) => return Ok(Some(Payout::Unknown)),
        Ok(None) => return Ok(Some(Payout::Missing)),
        Ok(Some(found)) => found,
    };
    let tip = Tip {
        block: Block { height: tip_height, hash: String::new(), at: now },
        final_height: Some(settled).filter(|_| chain.format() != Format::Bitcoin),
    };
    let state = payment::state(&found.fate, &tip, payment::depth(chain.format(), Some(asked.amount)));
    let is_paid = |one: &&payment::Observation| one.key.way == Way::In && one.contract == asset.contract;
    let mut conn = db.conn().await?;
    let ours = chain_payments::of_transactions(&mut conn, chain.name(), std::slice::from_ref(&asked.txid)).await?;
    let is_observed = |index| ours.iter().any(|one| one.key.way == Way::Out && one.key.index == index);
    let outputs = found.payments.iter().filter(is_paid).map(|one| {
        let index = one.key.index;
        Output { index, units: one.units, is_observed: is_observed(index) }
    });
    Ok(Some(Payout::Shown { state, outputs: outputs.collect() }))
}
