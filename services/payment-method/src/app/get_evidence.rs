//! What the chain shows about a deposit or a payout (D-Q4).

use chassis::id::{MemberId, QuoteId};
use std::collections::HashMap;

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::{Cents, Units};
use time::OffsetDateTime;

use crate::app::observe_chain::{World, world};
use crate::app::price::price;
use crate::clients::chain::Chain;
use crate::clients::lookups::{Asker, Lookups};
use crate::domain::address;
use crate::domain::evidence::{Basis, Check, Facts, JUST_ENDED, Owner, Rival, Search, Seen, checks};
use crate::domain::network::{self, Format};
use crate::domain::payment::{self, Fate, Found, Observation, State, Way};
use crate::domain::quote::{self, Asset, Direction, Quote, Tolerance};
use crate::error::Error;
use crate::store::chain_payments::Payment;
use crate::store::{assets, chain_cursors, chain_payments, deposit_addresses, quotes};

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

/// How deposits are valued.
#[derive(Debug, Clone, Copy)]
pub struct Pricing {
    /// What is taken off the rate at the arrival, in hundredths of a percent.
    pub spread_bps: u16,
    pub tolerance: Tolerance,
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
    let search = if !is_fresh {
        Search::Unknown(if trouble.is_empty() { "not looked at lately".to_owned() } else { trouble })
    } else if asked.is_for_member {
        stored(asked, &payments)
    } else if !payments.is_empty() {
        nodes.confirm(&payments).await
    } else if asked.way == Way::In && asked.txid.is_empty() && matching > 0 {
        Search::Taken
    } else if known.iter().any(|one| one.key.way == asked.way) {
        Search::Consumed
    } else if known.iter().any(|one| one.key.way != Way::Fee) {
        Search::OtherWay
    } else {
        nodes.elsewhere(&asked.txid).await
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
    let mut told = Vec::new();
    for one in payments {
        let decimals = world.decimals(&one.symbol);
        told.push((one, decimals));
    }
    Ok(Some(Evidence { at, tip, payments: told, checks, suggested: suggested.filter(|_| is_fresh) }))
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

/// What members read.
fn stored(asked: &GetEvidence, payments: &[Payment]) -> Search {
    match (payments.is_empty(), asked.txid.is_empty()) {
        (false, _) => Search::Found,
        (true, true) => Search::NoHash,
        (true, false) => Search::Unobserved,
    }
}

/// The nodes, for what is asked about one deposit or payout.
struct Nodes<'a> {
    chains: &'a [Chain],
    chain: &'a Chain,
    world: &'a World,
    asset: &'a Asset,
    lookups: &'a Lookups,
    asker: Asker,
}

impl Nodes<'_> {
    /// Why a hash is not among the payments: the node is asked, and those of the other chains.
    async fn elsewhere(&self, txid: &str) -> Search {
        if txid.is_empty() {
            return Search::NoHash;
        }
        if !payment::is_hash(txid) {
            return Search::NoSuch;
        }
        match self.lookups.transaction(self.chain, txid, self.world.search(), self.asker).await {
            Err(error) => Search::Unknown(error.as_str().to_owned()),
            Ok(Some(found)) => self.unobserved(&found),
            Ok(None) => {
                for other in self.chains.iter().filter(|other| other.name() != self.chain.name()) {
                    let nothing =
                        payment::Search { watched: &[], derived: &[], held: &[], contracts: &[], coin: false };
                    if let Ok(Some(_)) = self.lookups.transaction(other, txid, nothing, self.asker).await {
                        return Search::Elsewhere(other.name());
                    }
                }
                Search::NoSuch
            }
        }
    }

    /// Why a transaction that the node knows is not among the payments.
    fn unobserved(&self, found: &Found) -> Search {
        match found.fate {
            Fate::Failed(_) => Search::Reverted,
            // It pays us, or may, and will be seen with the next look.
            Fate::Waiting => Search::Unknown("the transaction is in no block yet".to_owned()),
            _ if found.payments.iter().any(|one| one.key.way == Way::In) => {
                Search::Unknown("the payment was seen just now".to_owned())
            }
            _ if found.call.may_hide(self.asset.contract.is_empty()) => Search::Hidden,
            _ => Search::Foreign { worthless: found.worthless },
        }
    }

    /// Whether the node shows what was stored: a decision does not rest on rows alone.
    async fn confirm(&self, payments: &[Payment]) -> Search {
        for one in payments.iter().filter(|one| one.state.is_alive()) {
            let asked = self.lookups.transaction(self.chain, &one.key.txid, self.world.search(), self.asker).await;
            let found = match asked {
                Err(error) => return Search::Unknown(error.as_str().to_owned()),
                Ok(None) => return Search::Unconfirmed,
                Ok(Some(found)) => found,
            };
            let is_same = |other: &Observation| {
                (&other.key, &other.address, other.units) == (&one.key, &one.address, one.units)
                    && (one.block.is_none() || other.fate.block() == one.block.as_ref())
            };
            match found.fate {
                _ if found.payments.iter().any(is_same) => {}
                // Its block was replaced since the last look.
                Fate::Waiting if one.block.is_some() => {
                    return Search::Unknown("the block of the payment is gone".to_owned());
                }
                _ => return Search::Unconfirmed,
            }
        }
        Search::Found
    }
}

/// The confirmations that payments need now: by all that their transactions pay us, and by what the member claimed within an
/// hour.
async fn depth_now(
    conn: &mut PgConnection,
    (chain, asset): (&Chain, &Asset),
    claimed_lately: Cents,
    payments: &[Payment],
    now: OffsetDateTime,
) -> Result<i32, Error> {
    let txids: Vec<_> = payments.iter().map(|one| one.key.txid.clone()).collect();
    let all = chain_payments::of_transactions(conn, chain.name(), &txids).await?;
    let paid = sum(all.iter().filter(|one| one.key.way == Way::In))?;
    let agreed = price(conn, asset, now).await?.ok();
    let value = agreed.and_then(|agreed| {
        let conversion = quote::conversion(Direction::Deposit, asset, &agreed, 0);
        conversion.value_received(paid).ok()?.plus(claimed_lately).ok()
    });
    Ok(payment::depth(chain.format(), value))
}

/// A payment that was final for its own value may not be for the sum that it is part of.
fn deepen(one: &mut Payment, depth: i32, tip: i64) {
    one.depth = one.depth.max(depth);
    let confirmed = one.block.as_ref().map_or(0, |block| payment::confirmations(tip, block.height));
    if one.state == State::Final && confirmed < one.depth {
        one.state = State::Included;
    }
}

/// At the quoted rate if the payments came while the quote was open and differ little from it, else at the rate of their arrival.
async fn value(
    conn: &mut PgConnection,
    asset: &Asset,
    pricing: Pricing,
    quote: Option<&Quote>,
    payments: &[Payment],
) -> Result<(Option<Cents>, Basis), Error> {
    if payments.is_empty() {
        return Ok((None, Basis::Arrival));
    }
    if let Some(quote) = quote.filter(|quote| payments.iter().all(|one| quote.covers(one.arrived_at)))
        && let Some(value) = quote.value_of(sum(payments)?, pricing.tolerance)
    {
        return Ok((Some(value), Basis::Quote));
    }
    let mut total = Cents::new(0);
    for one in payments {
        let Some(value) = arrival_value(conn, asset, pricing.spread_bps, one).await? else {
            return Ok((None, Basis::Arrival));
        };
        total = total.plus(value)?;
    }
    Ok((Some(total), Basis::Arrival))
}

/// As it was stored; of payments that are older than the stored values, computed at the rate of the same moment.
async fn arrival_value(
    conn: &mut PgConnection,
    asset: &Asset,
    spread_bps: u16,
    one: &Payment,
) -> Result<Option<Cents>, Error> {
    if one.value.is_some() {
        return Ok(one.value);
    }
    let agreed = price(conn, asset, one.arrived_at).await?.ok();
    let conversion = agreed.map(|agreed| quote::conversion(Direction::Deposit, asset, &agreed, spread_bps));
    Ok(conversion.and_then(|conversion| conversion.value_received(one.units).ok()))
}

fn sum<'a>(payments: impl IntoIterator<Item = &'a Payment>) -> Result<Units, Error> {
    let mut sum = Units::default();
    for one in payments {
        sum = sum.plus(one.units)?;
    }
    Ok(sum)
}
