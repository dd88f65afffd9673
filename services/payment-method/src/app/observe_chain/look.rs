//! One look at a chain through its nodes.

use std::collections::{BTreeMap, BTreeSet};

use chassis::money::Cents;
use time::OffsetDateTime;

use super::world::World;
use crate::clients::chain::{Chain, Node};
use crate::clients::rpc::ChainError;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Fate, Key, Observation, State, Tip, depth, state};
use crate::store::chain_cursors::Cursor;
use crate::store::chain_payments::Payment;

/// The depth at which a payment on Bitcoin is final at any value.
const DEEPEST: i64 = 6;

/// The height up to which blocks are final for payments of any value.
fn settled(tip: &Tip) -> i64 {
    tip.final_height.unwrap_or(tip.block.height - DEEPEST).max(0)
}

/// What a node answered in one look.
pub(crate) struct Look {
    pub(super) tip: Tip,
    /// Up to here blocks are final.
    pub(super) height: i64,
    pub(super) found: Vec<Observation>,
    /// Those that this node calls final, but too few others.
    pub(super) doubted: BTreeSet<Key>,
    /// Of the same moment as the payments; unset if no reading is due, or a payment was made meanwhile.
    pub(super) balances: Option<Vec<Balance>>,
}

impl Look {
    /// Of payments alone.
    pub(crate) fn of(tip: Tip, found: Vec<Observation>) -> Self {
        Self { height: settled(&tip), tip, found, doubted: BTreeSet::new(), balances: None }
    }
}

/// One look through the first node that answers: different nodes may be at different heights.
pub(super) async fn look_with_any(
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
