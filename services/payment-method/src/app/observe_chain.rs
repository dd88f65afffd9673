//! Observes the payments to and from the platform on a chain (D-Q4).

mod world;

use std::collections::{BTreeMap, BTreeSet};

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::Cents;
use miniscript::bitcoin::ScriptBuf;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use self::world::held;
use crate::app::node_refusal;
use crate::app::price::price;
use crate::clients::chain::{Chain, Node};
use crate::clients::rpc::ChainError;
use crate::domain::address;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Fate, Key, Observation, State, Tip, Way, arrived_at, depth, state};
use crate::domain::quote::{self, Asset, Direction};
use crate::error::Error;
use crate::events::published::{payment_changed, payment_seen};
use crate::store::chain_cursors::Cursor;
use crate::store::chain_payments::{Arrival, Payment};
use crate::store::holdings::{self, Reading};
use crate::store::{chain_cursors, chain_payments, deposit_addresses, quotes, treasury_addresses};

pub(crate) use self::world::{World, world};

/// In the audit log: an address of the treasury's own wallet is the platform's from now on.
const WATCHED: &str = "treasury_address.watch";
/// The network of change addresses, as people write it.
const BITCOIN: &str = "Bitcoin";
/// The depth at which a payment on Bitcoin is final at any value.
const DEEPEST: i64 = 6;
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

/// The height up to which blocks are final for payments of any value.
fn settled(tip: &Tip) -> i64 {
    tip.final_height.unwrap_or(tip.block.height - DEEPEST).max(0)
}

/// What a node answered in one look.
pub(crate) struct Look {
    tip: Tip,
    /// Up to here blocks are final.
    height: i64,
    found: Vec<Observation>,
    /// Those that this node calls final, but too few others.
    doubted: BTreeSet<Key>,
    /// Of the same moment as the payments; unset if no reading is due, or a payment was made meanwhile.
    balances: Option<Vec<Balance>>,
}

impl Look {
    /// Of payments alone.
    pub(crate) fn of(tip: Tip, found: Vec<Observation>) -> Self {
        Self { height: settled(&tip), tip, found, doubted: BTreeSet::new(), balances: None }
    }
}

/// One look through the first node that answers: different nodes may be at different heights.
async fn look_with_any(
    chain: &Chain,
    world: &World,
    (cursor, unsettled): (&Cursor, &[Payment]),
    (now, is_reading_due): (OffsetDateTime, bool),
) -> Result<Look, ChainError> {
    let mut failure = None;
    for (number, node) in chain.nodes() {
        match look(chain, node, world, (cursor.height, unsettled), (now, is_reading_due)).await {
            Ok(mut look) => {
                chain.prefer(number);
                let others: Vec<_> = chain.nodes().into_iter().filter(|(other, _)| *other != number).collect();
                if !others.is_empty() {
                    let known = (cursor.height.unwrap_or(look.height), unsettled);
                    compare(chain, world, &others, (&mut look, known), (now, is_reading_due)).await;
                }
                return Ok(look);
            }
            Err(error) => {
                tracing::debug!(chain = chain.name(), number, %error, "a node cannot be used");
                failure = failure.or(Some(error));
            }
        }
    }
    Err(failure.unwrap_or(ChainError::Late))
}

/// Has the other nodes confirm what became final: a payment stays included until most nodes show it in the same block and call
/// that final. The height that nothing below is read again moves once a minute, to what most nodes call final.
async fn compare(
    chain: &Chain,
    world: &World,
    others: &[(usize, &Node)],
    (look, (height, unsettled)): (&mut Look, (i64, &[Payment])),
    (now, is_reading_due): (OffsetDateTime, bool),
) {
    let candidates = newly_final(chain.format(), look, unsettled);
    let mut heights = vec![look.height];
    // With the node of this look, which calls all of them final.
    let mut votes: BTreeMap<Key, usize> = BTreeMap::new();
    if is_reading_due || !candidates.is_empty() {
        for (_, node) in others {
            let Ok(tip) = node.tip(now).await else { continue };
            let Ok(tip) = node.finality(tip).await else { continue };
            heights.push(settled(&tip));
            for one in &candidates {
                if let Ok(Some(found)) = node.transaction(&one.key.txid, world.search()).await {
                    *votes.entry(one.key.clone()).or_insert(1) +=
                        usize::from(is_final(chain.format(), &tip, one) && found.payments.contains(one));
                }
            }
        }
    }
    heights.sort_unstable_by(|one, other| other.cmp(one));
    look.height = heights.get(chain.quorum() - 1).map_or(height, |agreed| height.max(*agreed));
    let is_doubted = |key: &Key| votes.get(key).is_none_or(|votes| *votes < chain.quorum());
    look.doubted = candidates.into_iter().map(|one| one.key).filter(is_doubted).collect();
    if !look.doubted.is_empty() {
        tracing::warn!(chain = chain.name(), payments = look.doubted.len(), "nodes do not agree on what is final");
    }
}

/// The payments that were not final before this look.
fn newly_final(format: Format, look: &Look, unsettled: &[Payment]) -> Vec<Observation> {
    let was_final = |key: &Key| unsettled.iter().any(|known| known.key == *key && known.state == State::Final);
    let is_candidate = |one: &&Observation| is_final(format, &look.tip, one) && !was_final(&one.key);
    look.found.iter().filter(is_candidate).cloned().collect()
}

/// Whether a payment may be final at a tip; on Bitcoin, if it is small.
fn is_final(format: Format, tip: &Tip, one: &Observation) -> bool {
    state(&one.fate, tip, depth(format, Some(Cents::new(0)))) == State::Final
}

/// The payments above the cursor, and the state of open payments that are not among them.
async fn look(
    chain: &Chain,
    node: &Node,
    world: &World,
    (height, unsettled): (Option<i64>, &[Payment]),
    (now, is_reading_due): (OffsetDateTime, bool),
) -> Result<Look, ChainError> {
    let mut tip = node.tip(now).await?;
    if !unsettled.is_empty() {
        tip = node.finality(tip).await?;
    }
    let from = height.unwrap_or_else(|| first(chain, &tip));
    let mut found = node.payments_above(from, &tip, world.search()).await?;
    if unsettled.is_empty() && !found.is_empty() {
        tip = node.finality(tip).await?;
    }
    // Before its first payment an own address holds nothing, so that there may be no balance to read.
    let is_readable = !world.watched.is_empty() || !world.held.is_empty();
    let balances = if is_reading_due && is_readable { balances(node, world, (from, &found), now).await } else { None };
    let seen: BTreeSet<Key> = found.iter().map(|one| one.key.clone()).collect();
    let missing: Vec<_> = unsettled.iter().filter(|one| !seen.contains(&one.key)).collect();
    let mut told: BTreeMap<&str, Option<Fate>> = BTreeMap::new();
    for one in missing {
        let txid = one.key.txid.as_str();
        if !told.contains_key(txid) {
            let asked = node.transaction(txid, world.search()).await?;
            found
                .extend(asked.iter().flat_map(|asked| &asked.payments).filter(|one| !seen.contains(&one.key)).cloned());
            told.insert(txid, asked.map(|asked| asked.fate));
        }
        if found.iter().all(|other| other.key != one.key) {
            // A block that has the transaction, but not this payment, ended it as surely as none.
            let fate = match told.get(txid) {
                Some(Some(Fate::In(_))) | Some(None) | None => Fate::Gone,
                Some(Some(fate)) => fate.clone(),
            };
            found.push(gone(one, world, fate));
        }
    }
    Ok(Look { balances, ..Look::of(tip, found) })
}

/// The balances, if the payments are the same before and after they are read; blocks without payments of ours do not matter.
/// `None` also if the node cannot report balances: payments are still observed, and the last reading becomes stale.
async fn balances(
    node: &Node,
    world: &World,
    (from, before): (i64, &[Observation]),
    now: OffsetDateTime,
) -> Option<Vec<Balance>> {
    let read = async {
        let balances = node.balances(world.search()).await?;
        let tip = node.tip(now).await?;
        let after = node.payments_above(from, &tip, world.search()).await?;
        Ok::<_, ChainError>((after == before).then_some(balances))
    };
    match read.await {
        Ok(balances) => balances,
        Err(error) => {
            tracing::warn!(%error, "balances cannot be read");
            None
        }
    }
}

/// The balances of known assets.
fn readings(world: &World, balances: Vec<Balance>) -> Vec<Reading> {
    let reading = |one: Balance| {
        let asset = world.assets.iter().find(|asset| asset.contract == one.contract)?;
        Some((asset.symbol.clone(), one.address, one.units))
    };
    balances.into_iter().filter_map(reading).collect()
}

/// The height at which the first look at a chain starts: 0 on Bitcoin, whose wallet has the whole history; on other chains,
/// the last final block.
fn first(chain: &Chain, tip: &Tip) -> i64 {
    if chain.format() == Format::Bitcoin { 0 } else { settled(tip) }
}

fn gone(one: &Payment, world: &World, fate: Fate) -> Observation {
    let asset = world.assets.iter().find(|asset| asset.symbol == one.symbol);
    Observation {
        key: one.key.clone(),
        contract: asset.map(|asset| asset.contract.clone()).unwrap_or_default(),
        address: one.address.clone(),
        counterparty: one.counterparty.clone(),
        units: one.units,
        fate,
    }
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
