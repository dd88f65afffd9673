//! What the chain shows about a deposit or a payout (D-Q4).

mod nodes;
mod value;

use std::collections::HashMap;

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, QuoteId};
use chassis::money::{Cents, Units};
use time::OffsetDateTime;

use self::nodes::Nodes;
use self::value::{deepen, depth_now, value};
use crate::app::observe_chain::world;
use crate::clients::chain::Chain;
use crate::clients::lookups::{Asker, Lookups};
use crate::domain::address;
use crate::domain::evidence::{Basis, Check, Facts, JUST_ENDED, Owner, Rival, Search, Seen, checks};
use crate::domain::network::{self, Format};
use crate::domain::payment::Way;
use crate::domain::quote::{Asset, Quote};
use crate::error::Error;
use crate::store::chain_payments::Payment;
use crate::store::{assets, chain_cursors, chain_payments, deposit_addresses, quotes};

pub use self::value::Pricing;

/// Which payment is looked for.
#[derive(Debug, Clone)]
pub struct GetEvidence {
    pub user_id: MemberId,
    pub way: Way,
    pub currency: String,
    pub network: String,
    /// The platform's address as it was shown, or the destination of a payout.
    pub address: String,
    /// In lower case without `0x`; empty if it is unknown.
    pub txid: String,
    /// The outputs, if those are known.
    pub outputs: Vec<i32>,
    /// What other transactions account for, by hash and index.
    pub consumed: Vec<(String, i32)>,
    /// Quotes that claim no payment any more.
    pub settled: Vec<QuoteId>,
    pub quote_id: Option<QuoteId>,
    /// Payouts at a quote.
    pub units_due: Option<Units>,
    pub claimed: Cents,
    /// What the same member claimed by other deposits within an hour.
    pub claimed_lately: Cents,
    pub requested_at: OffsetDateTime,
    /// The member reads what was observed, and no node is asked.
    pub is_for_member: bool,
}

#[derive(Debug, Clone)]
pub struct Evidence {
    /// When the chain was looked at last.
    pub at: Option<OffsetDateTime>,
    pub tip: i64,
    pub payments: Vec<(Payment, u8)>,
    pub checks: Vec<Check>,
    /// What a deposit is worth, as far as it is known.
    pub suggested: Option<Cents>,
}

/// `None` where the chain has no node.
pub async fn get_evidence(
    db: &Db,
    (chains, lookups): (&[Chain], &Lookups),
    pricing: Pricing,
    asked: &GetEvidence,
) -> Result<Option<Evidence>, Error> {
    let Some(chain) = chains.iter().find(|chain| network::chain(&asked.network) == Some(chain.name())) else {
        return Ok(None);
    };
    let mut conn = db.conn().await?;
    let Some(asset) = assets::find(&mut conn, chain.name(), &asked.currency).await? else { return Ok(None) };
    let now = clock::now(&mut conn).await?;
    let cursor = chain_cursors::find(&mut conn, chain.name()).await?;
    let at = cursor.as_ref().and_then(|cursor| cursor.observed_at);
    let tip = cursor.as_ref().and_then(|cursor| cursor.tip_height).unwrap_or(0);
    let quote = match asked.quote_id {
        Some(id) => quotes::find(&mut conn, asked.user_id, id).await?,
        None => None,
    };
    // What may be the payment, the best match first, without those that other transactions account for.
    let (mut payments, owners) = matching(&mut conn, (chain, &asset), asked, quote.as_ref()).await?;
    let matching = payments.len();
    payments.retain(|one| !asked.consumed.iter().any(|(txid, index)| (txid, *index) == (&one.key.txid, one.key.index)));
    if let (Way::In, Some(due)) = (asked.way, units_due(asked, quote.as_ref())) {
        payments.sort_by_key(|one| one.units.distance(due));
    }
    if chain.format() == Format::Bitcoin && asked.way == Way::In {
        let depth = depth_now(&mut conn, (chain, &asset), asked.claimed_lately, &payments, now).await?;
        payments.iter_mut().for_each(|one| deepen(one, depth, tip));
    }
    let is_fresh = cursor.as_ref().is_some_and(|cursor| cursor.is_fresh(now));
    let trouble = cursor.map(|cursor| cursor.trouble).unwrap_or_default();
    let world = world(&mut conn, chain).await?;
    let known = match &payments[..] {
        [] if !asked.txid.is_empty() => {
            chain_payments::of_transactions(&mut conn, chain.name(), std::slice::from_ref(&asked.txid)).await?
        }
        _ => Vec::new(),
    };
    drop(conn);
    let nodes = Nodes {
        chains,
        chain,
        world: &world,
        asset: &asset,
        lookups,
        asker: Asker { user_id: asked.user_id, tip, now },
    };
    let search = if is_fresh {
        search(asked, &nodes, &payments, (matching, &known)).await
    } else {
        Search::Unknown(if trouble.is_empty() { "not looked at lately".to_owned() } else { trouble })
    };
    let mut conn = db.conn().await?;
    // The others of a transaction are returned, and may belong to other members.
    let considered = if asked.way == Way::In && asked.outputs.is_empty() { 1 } else { payments.len() };
    let seen: Vec<_> = payments.iter().take(considered).map(|one| seen(chain.format(), asked, one, &owners)).collect();
    let is_valued = asked.way == Way::In
        && seen.iter().all(|one| one.symbol == asset.symbol && one.is_at_address && one.state.is_alive());
    let (suggested, basis) = if is_valued {
        value(&mut conn, &asset, pricing, quote.as_ref(), &payments[..considered.min(payments.len())]).await?
    } else {
        (None, Basis::Arrival)
    };
    let mut rivals = Vec::new();
    let is_shared = |one: &&Seen| asked.way == Way::In && one.is_at_address && one.owner == Owner::Shared;
    for one in seen.iter().filter(is_shared) {
        rivals.extend(rival(&mut conn, asked, quote.as_ref(), one).await?);
    }
    let facts = Facts {
        way: asked.way,
        asset: &asset,
        search,
        payments: &seen,
        tip,
        requested_at: asked.requested_at,
        units_due: units_due(asked, quote.as_ref()),
        quote: quote.as_ref(),
        rival: rivals.into_iter().min(),
        claimed: asked.claimed,
        value: suggested,
        basis,
    };
    let checks = checks(&facts);
    let decimals: Vec<_> = payments.iter().map(|one| world.decimals(&one.symbol)).collect();
    let payments = payments.into_iter().zip(decimals).collect();
    Ok(Some(Evidence { at, tip, payments, checks, suggested: suggested.filter(|_| is_fresh) }))
}

/// Why there are these payments, or none; `matching` with those that other transactions account for, `known` the stored
/// payments of the hash if there are none.
async fn search(
    asked: &GetEvidence,
    nodes: &Nodes<'_>,
    payments: &[Payment],
    (matching, known): (usize, &[Payment]),
) -> Search {
    if asked.is_for_member {
        stored(asked, payments)
    } else if !payments.is_empty() {
        nodes.confirm(payments).await
    } else if asked.way == Way::In && asked.txid.is_empty() && matching > 0 {
        Search::Taken
    } else if known.iter().any(|one| one.key.way == asked.way) {
        Search::Consumed
    } else if known.iter().any(|one| one.key.way != Way::Fee) {
        Search::OtherWay
    } else {
        nodes.elsewhere(&asked.txid).await
    }
}

/// What members read.
fn stored(asked: &GetEvidence, payments: &[Payment]) -> Search {
    match (payments.is_empty(), asked.txid.is_empty()) {
        (false, _) => Search::Found,
        (true, true) => Search::NoHash,
        (true, false) => Search::Unobserved,
    }
}

fn units_due(asked: &GetEvidence, quote: Option<&Quote>) -> Option<Units> {
    asked.units_due.or_else(|| quote.and_then(|quote| Units::parse(&quote.units).ok()))
}

/// Whose addresses are, of those that are a member's own.
type Owners = HashMap<String, MemberId>;

/// Those of the hash that is given; without one, what arrived at the member's own address, matches the quote exactly, or went to
/// the destination.
async fn matching(
    conn: &mut PgConnection,
    (chain, asset): (&Chain, &Asset),
    asked: &GetEvidence,
    quote: Option<&Quote>,
) -> Result<(Vec<Payment>, Owners), Error> {
    if !asked.txid.is_empty() {
        let all = chain_payments::of_transactions(conn, chain.name(), std::slice::from_ref(&asked.txid)).await?;
        let mut own: Vec<_> = all.into_iter().filter(|one| one.key.way == asked.way).collect();
        let addresses: Vec<_> = own.iter().map(|one| one.address.clone()).collect();
        let owners =
            if asked.way == Way::In { deposit_addresses::owners(conn, &addresses).await? } else { Owners::new() };
        let is_here = |one: &Payment| is_at_address(chain.format(), asked, one, &owners);
        if !asked.outputs.is_empty() {
            own.retain(|one| asked.outputs.contains(&one.key.index));
        } else if own.iter().any(is_here) {
            // A transaction may pay several members, each at an address of their own.
            own.retain(is_here);
            let due = units_due(asked, quote);
            if own.iter().any(|one| Some(one.units) == due) {
                own.retain(|one| Some(one.units) == due);
            }
        }
        return Ok((own, owners));
    }
    let nobody = Owners::new();
    match asked.way {
        Way::Fee => Ok((Vec::new(), nobody)),
        Way::Out => {
            let place = (chain.name(), asset.symbol.as_str(), asked.address.as_str());
            let mut paid = chain_payments::paid_to(conn, place, asked.requested_at).await?;
            paid.retain(|one| is_at_address(chain.format(), asked, one, &nobody));
            Ok((paid, nobody))
        }
        Way::In => match quote {
            _ if deposit_addresses::index_of(conn, &asked.address, asked.user_id).await?.is_some() => {
                let place = (chain.name(), asset.symbol.as_str(), asked.address.as_str());
                let arrived = chain_payments::unclaimed_at(conn, place).await?;
                Ok((arrived, Owners::from([(asked.address.clone(), asked.user_id)])))
            }
            None => Ok((Vec::new(), nobody)),
            Some(quote) => {
                // Units are free again when a quote expires: an earlier payment was for the quote of somebody else.
                let place = (chain.name(), asset.symbol.as_str(), asked.address.as_str());
                let due = Units::parse(&quote.units)?;
                let mut near = chain_payments::near(conn, place, due, quote.created_at).await?;
                if near.iter().any(|one| one.units == due) {
                    near.retain(|one| one.units == due);
                }
                let mut own = Vec::new();
                for one in near {
                    if rival(conn, asked, Some(quote), &seen(chain.format(), asked, &one, &nobody)).await?.is_none() {
                        own.push(one);
                    }
                }
                Ok((own, nobody))
            }
        },
    }
}

/// The quote of another member, open at that time or just ended, that a payment is nearer to than to the quote of the member
/// who claims it.
async fn rival(
    conn: &mut PgConnection,
    asked: &GetEvidence,
    quote: Option<&Quote>,
    one: &Seen,
) -> Result<Option<Rival>, Error> {
    let (place, at) = ((asked.address.as_str(), one.symbol.as_str()), one.arrived_at);
    let others = quotes::near(conn, place, one.units, at, (asked.user_id, &asked.settled)).await?;
    // A quote that was made after the payment was seen may have been made for it.
    let own = quote.filter(|quote| quote.created_at <= at && at <= quote.expires_at + JUST_ENDED);
    let own = own.and_then(|quote| Units::parse(&quote.units).ok()).map(|due| due.distance(one.units));
    let nearest = others.into_iter().map(|other| other.distance(one.units)).min();
    let nearer = nearest.filter(|distance| own.is_none_or(|own| *distance < own));
    Ok(nearer.map(|distance| if distance.get() == 0 { Rival::Exact } else { Rival::Near }))
}

/// Whether it went where the member was shown, or to another own address of the member: an earlier one, or that of a quote.
fn is_at_address(format: Format, asked: &GetEvidence, one: &Payment, owners: &Owners) -> bool {
    if owners.get(&one.address) == Some(&asked.user_id) {
        return true;
    }
    let side = if asked.way == Way::In { &one.address } else { &one.counterparty };
    let script = address::script(format, side);
    script.is_some() && script == address::script(format, &asked.address)
}

fn seen(format: Format, asked: &GetEvidence, one: &Payment, owners: &Owners) -> Seen {
    Seen {
        symbol: one.symbol.clone(),
        is_at_address: is_at_address(format, asked, one, owners),
        owner: match owners.get(&one.address) {
            None => Owner::Shared,
            Some(user_id) if *user_id == asked.user_id => Owner::Member,
            Some(_) => Owner::Other,
        },
        units: one.units,
        state: one.state,
        depth: one.depth,
        block: one.block.clone(),
        replaced_by: one.replaced_by.clone(),
        arrived_at: one.arrived_at,
    }
}
