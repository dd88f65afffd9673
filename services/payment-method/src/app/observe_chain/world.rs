//! What a chain is searched for: addresses and assets.

use std::sync::Arc;

use chassis::db::PgConnection;

use crate::clients::chain::Chain;
use crate::domain::address;
use crate::domain::network::{self, Format};
use crate::domain::payment::{Search, Watched};
use crate::domain::quote::Asset;
use crate::error::Error;
use crate::store::{assets, deposit_addresses, methods};

/// Balances of own addresses of members that are read at a time, each by a call.
const READ_AT_ONCE: i64 = 200;
/// Addresses that are read from the database at a time.
const PART: i64 = 10_000;

/// What is looked for on a chain.
pub(crate) struct World {
    pub(super) watched: Vec<Watched>,
    /// The own addresses of members.
    pub(super) derived: Arc<Vec<Watched>>,
    /// Those of them whose balances are to be read.
    pub(super) held: Vec<Watched>,
    pub(super) assets: Vec<Asset>,
    pub(super) contracts: Vec<String>,
    pub(super) coin: bool,
}

impl World {
    /// The addresses of platform methods, also archived ones.
    pub(crate) fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// Digits after the point of a whole unit.
    pub(crate) fn decimals(&self, symbol: &str) -> u8 {
        self.assets.iter().find(|asset| asset.symbol == symbol).map_or(0, |asset| asset.decimals)
    }

    pub(crate) fn search(&self) -> Search<'_> {
        let Self { watched, derived, held, contracts, coin, .. } = self;
        Search { watched, derived, held, contracts, coin: *coin }
    }
}

pub(crate) async fn world(conn: &mut PgConnection, chain: &Chain) -> Result<World, Error> {
    let mut watched = Vec::new();
    for (network, address, since) in methods::platform_addresses(conn).await? {
        let is_here = network::chain(&network) == Some(chain.name());
        if let Some(script) = address::script(chain.format(), &address).filter(|_| is_here) {
            watched.push(Watched { address, script, since });
        }
    }
    watched.sort_by(|one, other| (&one.script, one.since).cmp(&(&other.script, other.since)));
    // A Bitcoin address in capitals is the same address.
    watched.dedup_by(|one, other| one.script == other.script);
    let assets: Vec<_> = assets::all(conn).await?.into_iter().filter(|one| one.chain == chain.name()).collect();
    let contracts = assets.iter().map(|one| one.contract.clone()).filter(|contract| !contract.is_empty()).collect();
    let coin = chain.format() == Format::Bitcoin || is_coin_in_use(conn, chain, &assets).await?;
    let derived = derived(conn, chain).await?;
    Ok(World { watched, derived, held: Vec::new(), assets, contracts, coin })
}

/// The own addresses of members: those that were derived since the last time are read from the database.
async fn derived(conn: &mut PgConnection, chain: &Chain) -> Result<Arc<Vec<Watched>>, Error> {
    let mut known = chain.derived().lock().await;
    let (mut ends, mut new) = (Vec::new(), Vec::new());
    for (key, count) in deposit_addresses::keys(conn, chain.name()).await? {
        let mut next = known.next(key);
        while next < count {
            let part = deposit_addresses::derived(conn, (key, next), PART).await?;
            let Some((last, ..)) = part.last() else { break };
            next = last + 1;
            new.extend(part.into_iter().filter_map(|(_, address, since)| {
                let script = address::script(chain.format(), &address)?;
                Some(Watched { address, script, since })
            }));
        }
        ends.push((key, next));
    }
    Ok(known.add(ends, new))
}

/// The own addresses whose balances are read next: on Bitcoin one call returns them all.
pub(super) async fn held(conn: &mut PgConnection, chain: &Chain, world: &World) -> Result<Vec<Watched>, Error> {
    let limit = if chain.format() == Format::Bitcoin { PART } else { READ_AT_ONCE };
    let due = deposit_addresses::due(conn, chain.name(), limit).await?;
    let scripts = due.iter().filter_map(|address| address::script(chain.format(), address));
    Ok(scripts.filter_map(|script| world.search().ours(&script).cloned()).collect())
}

/// Whether an active method uses the coin of the chain, because searching for it takes reading whole blocks.
async fn is_coin_in_use(conn: &mut PgConnection, chain: &Chain, assets: &[Asset]) -> Result<bool, Error> {
    let coin = assets.iter().find(|one| one.contract.is_empty());
    let methods = methods::active_platform(conn).await?;
    Ok(methods.iter().any(|method| {
        let is_here = network::chain(&method.fields.network) == Some(chain.name());
        is_here && coin.is_some_and(|coin| coin.symbol == method.fields.currency)
    }))
}
