//! Observes the payments to and from the platform on a chain (D-Q4).

mod look;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use miniscript::bitcoin::ScriptBuf;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use self::look::look_with_any;
use self::world::held;
use crate::app::node_refusal;
use crate::app::price::price;
use crate::clients::chain::Chain;
use crate::clients::rpc::ChainError;
use crate::domain::address;
use crate::domain::payment::{Balance, Key, Observation, State, Way, arrived_at, depth, state};
use crate::domain::quote::{self, Asset, Direction};
use crate::error::Error;
use crate::events::published::{payment_changed, payment_seen};
use crate::store::chain_cursors::Cursor;
use crate::store::chain_payments::{Arrival, Payment};
use crate::store::holdings::{self, Reading};
use crate::store::{chain_cursors, chain_payments, deposit_addresses, quotes, treasury_addresses};

pub(crate) use self::look::Look;
pub(crate) use self::world::{World, world};

/// In the audit log: an address of the treasury's own wallet is the platform's from now on.
const WATCHED: &str = "treasury_address.watch";
/// The network of change addresses, as people write it.
const BITCOIN: &str = "Bitcoin";
/// Balances are read once a minute, and where a chain is looked at more often than usual, at every twelfth look.
const READ: Duration = Duration::minutes(1);
const READ_LOOKS: i32 = 12;

/// Reads the blocks above the last final one, unless another process is doing so. If the node fails or contradicts itself,
/// only the reason is stored. Payments are valued at their arrival, less the spread.
pub async fn observe_chain(db: &Db, chain: &Chain, spread_bps: u16) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let Some(cursor) = chain_cursors::begin(&mut conn, chain.name()).await? else { return Ok(()) };
    let now = clock::now(&mut conn).await?;
    let mut world = world(&mut conn, chain).await?;
    let unsettled = chain_payments::unsettled(&mut conn, chain.name(), cursor.height.unwrap_or(0)).await?;
    let read_every = READ.min(Duration::seconds_f64(chain.interval().as_secs_f64()) * READ_LOOKS);
    let is_reading_due = holdings::read_at(&mut conn, chain.name()).await?.is_none_or(|at| now - at >= read_every);
    if is_reading_due {
        world.held = held(&mut conn, chain, &world).await?;
    }
    drop(conn);
    let mut looked = look_with_any(chain, &world, (&cursor, &unsettled), (now, is_reading_due)).await;
    let change = match &mut looked {
        Ok(look) => take_change(db, chain, look).await?,
        Err(_) => BTreeSet::new(),
    };
    let mut tx = db.begin().await?;
    match looked {
        Ok(look) => {
            for address in &change {
                watch(&mut tx, chain, &world, address, (look.height, now)).await?;
            }
            let is_deep = write(&mut tx, chain, &world, &look, (now, &cursor), spread_bps).await?;
            let Look { tip, height, balances, .. } = look;
            if is_deep {
                holdings::recount(&mut tx, chain.name()).await?;
            }
            if let Some(balances) = balances {
                let readings = readings(&world, balances);
                holdings::read(&mut tx, chain.name(), &readings, (height, now)).await?;
                let held: Vec<_> = world.held.iter().map(|one| one.address.clone()).collect();
                deposit_addresses::note_read(&mut tx, &held, now).await?;
            }
            chain_cursors::advance(&mut tx, chain.name(), (&tip, height), (now, chain.interval())).await?;
            metrics::gauge!("chain_trouble", "chain" => chain.name()).set(0);
        }
        Err(error) => {
            tracing::warn!(chain = chain.name(), %error, "a chain cannot be observed");
            metrics::counter!("chain_failures_total", "chain" => chain.name(), "reason" => error.as_str()).increment(1);
            metrics::gauge!("chain_trouble", "chain" => chain.name()).set(1);
            chain_cursors::fail(&mut tx, chain.name(), error.as_str(), chain.interval()).await?;
        }
    }
    Ok(tx.commit().await?)
}

/// Takes out what went to addresses of the treasury's own wallet that are not watched yet: it is change, and no payment. The balances
/// do not have it, so the next look reads them.
async fn take_change(db: &Db, chain: &Chain, look: &mut Look) -> Result<BTreeSet<String>, Error> {
    let is_out = |one: &&Observation| one.key.way == Way::Out;
    let mut change = BTreeSet::new();
    let txids: Vec<_> = look.found.iter().filter(is_out).map(|one| one.key.txid.clone()).collect();
    if txids.is_empty() || chain.bitcoin().next().is_none() {
        return Ok(change);
    }
    let known = chain_payments::of_transactions(&mut *db.conn().await?, chain.name(), &txids).await?;
    for one in look.found.iter().filter(is_out) {
        let script = address::script(chain.format(), &one.counterparty);
        let script = script.and_then(|script| ScriptBuf::from_hex(&script).ok());
        let Some(script) = script.filter(|_| known.iter().all(|known| known.key != one.key)) else { continue };
        for node in chain.bitcoin() {
            let is_ours = match node.has_treasury().await {
                Ok(true) => node.owns(&script).await,
                Ok(false) | Err(ChainError::Contradiction(_)) => Ok(false),
                Err(error) => Err(error),
            };
            if is_ours.map_err(|error| node_refusal("address", error))? {
                change.insert(one.counterparty.clone());
            }
        }
    }
    if !change.is_empty() {
        look.found.retain(|one| one.key.way != Way::Out || !change.contains(&one.counterparty));
        look.balances = None;
    }
    Ok(change)
}

/// Watches an address of the treasury's own wallet from the next look on.
async fn watch(
    conn: &mut PgConnection,
    chain: &Chain,
    world: &World,
    address: &str,
    moment: (i64, OffsetDateTime),
) -> Result<(), Error> {
    let Some(coin) = world.assets.iter().find(|asset| asset.contract.is_empty()) else { return Ok(()) };
    treasury_addresses::learn(conn, BITCOIN, address, moment.1).await?;
    holdings::open_empty(conn, (chain.name(), &coin.symbol, address), moment).await?;
    audit::append_own(conn, WATCHED, address, json!({ "network": BITCOIN })).await?;
    tracing::info!(chain = chain.name(), address, "change went to an address of the treasury, which is watched now");
    Ok(())
}

/// The balances of known assets.
fn readings(world: &World, balances: Vec<Balance>) -> Vec<Reading> {
    let reading = |one: Balance| {
        let asset = world.assets.iter().find(|asset| asset.contract == one.contract)?;
        Some((asset.symbol.clone(), one.address, one.units))
    };
    balances.into_iter().filter_map(reading).collect()
}

/// Stores the observations. Returns whether a payment changed in a block that had been final.
pub(crate) async fn write(
    conn: &mut PgConnection,
    chain: &Chain,
    world: &World,
    Look { tip, found, doubted, .. }: &Look,
    (now, cursor): (OffsetDateTime, &Cursor),
    spread_bps: u16,
) -> Result<bool, Error> {
    let (settled, is_new_tip) = (cursor.height, cursor.tip_height != Some(tip.block.height));
    let mut is_deep = false;
    let (mut members, mut payers) = (BTreeSet::new(), BTreeSet::new());
    let txids: Vec<_> = found.iter().map(|one| one.key.txid.clone()).collect();
    let known = chain_payments::of_transactions(conn, chain.name(), &txids).await?;
    let known: BTreeMap<&Key, &Payment> = known.iter().map(|one| (&one.key, one)).collect();
    for one in found {
        let Some(asset) = world.assets.iter().find(|asset| asset.contract == one.contract) else { continue };
        let before = known.get(&one.key);
        let arrival = match before {
            Some(before) => Arrival { depth: before.depth, at: before.arrived_at, value: None },
            None => arrival(conn, (chain, asset), (one, found), (now, cursor.observed_at), spread_bps).await?,
        };
        let state = match (before.map(|before| before.state), state(&one.fate, tip, arrival.depth)) {
            // It waits again because its block is gone.
            (Some(State::Included | State::Final | State::Orphaned), State::Seen) => State::Orphaned,
            (_, State::Final) if doubted.contains(&one.key) => State::Included,
            (_, state) => state,
        };
        let is_news = chain_payments::observe(conn, (chain.name(), &asset.symbol), (one, state), arrival, now).await?;
        // Where blocks make it final, each one is news to those who wait.
        if one.key.way == Way::In && (is_news || tip.final_height.is_none() && is_new_tip && state == State::Included) {
            let place = (one.address.as_str(), asset.symbol.as_str());
            let mut owners = quotes::owners(conn, place, one.units, arrival.at).await?;
            // What arrives at an own address is its member's, no matter what was asked for.
            owners.extend(deposit_addresses::note_paid(conn, &one.address, now).await?);
            if before.is_none() {
                payers.extend(owners.iter().copied());
            }
            members.extend(owners);
        }
        if !is_news {
            continue;
        }
        let heights = [before.and_then(|before| before.block.as_ref()), one.fate.block()];
        is_deep |= heights.into_iter().flatten().any(|block| settled.is_some_and(|settled| block.height <= settled));
        tell(chain, &asset.symbol, one, (before.map(|before| before.state), state));
    }
    for user_id in members {
        payment_changed(conn, user_id).await?;
    }
    for user_id in payers {
        payment_seen(conn, user_id).await?;
    }
    Ok(is_deep)
}

fn tell(chain: &Chain, symbol: &str, one: &Observation, (before, state): (Option<State>, State)) {
    let (txid, index, way) = (&one.key.txid, one.key.index, one.key.way.into_str());
    let before = before.map_or("", <&str>::from);
    tracing::info!(
        chain = chain.name(),
        txid,
        index,
        way,
        symbol,
        before,
        state = state.into_str(),
        "a payment changed"
    );
    let labels = [("chain", chain.name()), ("way", way), ("state", state.into_str())];
    metrics::counter!("chain_payments_total", &labels).increment(1);
    if before == State::Final.into_str() && state != State::Final {
        tracing::error!(chain = chain.name(), txid, index, "a final payment is not final any more");
        metrics::counter!("chain_final_undone_total", "chain" => chain.name()).increment(1);
    }
}

/// What is stored about a payment that is seen first. All that its transaction pays us counts for the depth: a sum in many outputs
/// is as much worth reversing as one output.
async fn arrival(
    conn: &mut PgConnection,
    (chain, asset): (&Chain, &Asset),
    (one, found): (&Observation, &[Observation]),
    (now, observed_at): (OffsetDateTime, Option<OffsetDateTime>),
    spread_bps: u16,
) -> Result<Arrival, Error> {
    let at = arrived_at(&one.fate, now, observed_at);
    let agreed = price(conn, asset, at).await?.ok();
    let conversion = agreed.map(|agreed| quote::conversion(Direction::Deposit, asset, &agreed, spread_bps));
    let value = |units| conversion.and_then(|conversion| Some((conversion, conversion.value_received(units).ok()?)));
    let is_of_transaction = |other: &&Observation| (&other.key.txid, other.key.way) == (&one.key.txid, Way::In);
    let mut paid = one.units;
    for other in found.iter().filter(is_of_transaction).filter(|other| other.key != one.key) {
        paid = paid.plus(other.units)?;
    }
    let depth = depth(chain.format(), value(paid).map(|(_, cents)| cents));
    Ok(Arrival { depth, at, value: value(one.units) })
}
