//! What the chain shows about a deposit or a payout (D-Q4).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::{Cents, Conversion, Units};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::observe_chain::{World, world};
use crate::clients::chain::Chain;
use crate::domain::address;
use crate::domain::evidence::{Check, FRESH, Facts, Search, Seen, checks, known_at};
use crate::domain::network::{self, Format};
use crate::domain::payment::{self, Fate, Way};
use crate::domain::quote::{Asset, Quote};
use crate::domain::rate::agree;
use crate::error::Error;
use crate::store::chain_payments::Payment;
use crate::store::{assets, chain_cursors, chain_payments, quotes, rate_points};

/// Which payment is looked for.
#[derive(Debug, Clone)]
pub struct GetEvidence {
    pub user_id: Uuid,
    pub way: Way,
    pub currency: String,
    pub network: String,
    /// The platform's address as it was shown, or the destination of a payout.
    pub address: String,
    /// In lower case without `0x`; empty if it is unknown.
    pub txid: String,
    /// The output, if that is known.
    pub index: Option<i32>,
    pub quote_id: Option<Uuid>,
    /// Payouts at a quote.
    pub units_due: Option<Units>,
    pub claimed: Cents,
    pub requested_at: OffsetDateTime,
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
pub async fn get_evidence(db: &Db, chains: &[Chain], asked: &GetEvidence) -> Result<Option<Evidence>, Error> {
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
    let payments = candidates(&mut conn, (chain, &asset), asked, quote.as_ref()).await?;
    let trouble = cursor.map(|cursor| cursor.trouble).unwrap_or_default();
    let is_fresh = trouble.is_empty() && at.is_some_and(|at| now - at <= FRESH);
    let world = world(&mut conn, chain).await?;
    drop(conn);
    let search = if !is_fresh {
        Search::Unknown(if trouble.is_empty() { "not looked at lately".to_owned() } else { trouble })
    } else if !payments.is_empty() {
        Search::Found
    } else {
        elsewhere(chains, (chain, &world), &asked.txid).await
    };
    let mut conn = db.conn().await?;
    let seen: Vec<_> = payments.iter().map(|one| seen(chain.format(), asked, one)).collect();
    let suggested = match asked.way {
        Way::In => value(&mut conn, &asset, quote.as_ref(), &seen).await?,
        Way::Out | Way::Fee => None,
    };
    let mut owners = Vec::new();
    for one in seen.iter().filter(|one| asked.way == Way::In && one.is_at_address) {
        owners.extend(quotes::owners(&mut conn, (&asked.address, &one.symbol), one.units, known_at(one)).await?);
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
        is_of_another: owners.iter().any(|owner| *owner != asked.user_id),
        claimed: asked.claimed,
        value: suggested,
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

/// Those of the hash that is given; without one, what matches the quote exactly, or went to the destination.
async fn candidates(
    conn: &mut PgConnection,
    (chain, asset): (&Chain, &Asset),
    asked: &GetEvidence,
    quote: Option<&Quote>,
) -> Result<Vec<Payment>, Error> {
    if !asked.txid.is_empty() {
        let all = chain_payments::of_transactions(conn, chain.name(), std::slice::from_ref(&asked.txid)).await?;
        let mut own: Vec<_> = all.into_iter().filter(|one| one.key.way == asked.way).collect();
        if let Some(index) = asked.index {
            own.retain(|one| one.key.index == index);
        } else if own.iter().any(|one| is_at_address(chain.format(), asked, one)) {
            // A transaction may pay several members, each at an address of their own.
            own.retain(|one| is_at_address(chain.format(), asked, one));
            let due = units_due(asked, quote);
            if own.iter().any(|one| Some(one.units) == due) {
                own.retain(|one| Some(one.units) == due);
            }
        }
        return Ok(own);
    }
    match asked.way {
        Way::Fee => Ok(Vec::new()),
        Way::Out => {
            let place = (chain.name(), asset.symbol.as_str(), asked.address.as_str());
            let mut paid = chain_payments::paid_to(conn, place, asked.requested_at).await?;
            paid.retain(|one| is_at_address(chain.format(), asked, one));
            Ok(paid)
        }
        Way::In => match quote {
            None => Ok(Vec::new()),
            Some(quote) => {
                // Units are free again when a quote expires: an earlier payment was for the quote of somebody else.
                let place = (chain.name(), asset.symbol.as_str(), asked.address.as_str());
                let due = Units::parse(&quote.units)?;
                chain_payments::of_units(conn, place, due, quote.created_at).await
            }
        },
    }
}

fn is_at_address(format: Format, asked: &GetEvidence, one: &Payment) -> bool {
    let side = if asked.way == Way::In { &one.address } else { &one.counterparty };
    let script = address::script(format, side);
    script.is_some() && script == address::script(format, &asked.address)
}

fn seen(format: Format, asked: &GetEvidence, one: &Payment) -> Seen {
    Seen {
        symbol: one.symbol.clone(),
        is_at_address: is_at_address(format, asked, one),
        units: one.units,
        state: one.state,
        depth: one.depth,
        block: one.block.clone(),
        replaced_by: one.replaced_by.clone(),
        seen_at: one.seen_at,
    }
}

/// Why a hash is not among the payments: the node is asked, and those of the other chains.
async fn elsewhere(chains: &[Chain], (chain, world): (&Chain, &World), txid: &str) -> Search {
    let is_hash = txid.len() == 64 && txid.bytes().all(|byte| byte.is_ascii_hexdigit());
    if txid.is_empty() {
        return Search::NoHash;
    }
    if !is_hash {
        return Search::NoSuch;
    }
    match chain.transaction(txid, world.search()).await {
        Err(error) => Search::Unknown(error.as_str().to_owned()),
        Ok(Some(found)) => match found.fate {
            Fate::Failed(_) => Search::Reverted,
            // It pays us, or may, and will be seen with the next look.
            Fate::Waiting => Search::Unknown("the transaction is in no block yet".to_owned()),
            _ if !found.payments.is_empty() => Search::Unknown("the payment was seen just now".to_owned()),
            _ => Search::Foreign { worthless: found.worthless },
        },
        Ok(None) => {
            for other in chains.iter().filter(|other| other.name() != chain.name()) {
                let nothing = payment::Search { watched: &[], contracts: &[], coin: false };
                if let Ok(Some(_)) = other.transaction(txid, nothing).await {
                    return Search::Elsewhere(other.name());
                }
            }
            Search::NoSuch
        }
    }
}

/// At the quote if the payment came while it was open, else at the rate when it was seen; of one asset alone.
async fn value(
    conn: &mut PgConnection,
    asset: &Asset,
    quote: Option<&Quote>,
    payments: &[Seen],
) -> Result<Option<Cents>, Error> {
    let Some(first) = payments.iter().map(known_at).min() else { return Ok(None) };
    if payments.iter().any(|one| one.symbol != asset.symbol || !one.is_at_address || !one.state.is_alive()) {
        return Ok(None);
    }
    let rate = chassis::money::Rate::new;
    let conversion = match quote.filter(|quote| first <= quote.expires_at) {
        Some(quote) => rate(quote.rate_micros).ok().map(|rate| Conversion {
            rate,
            decimals: quote.decimals,
            spread_bps: quote.spread_bps,
        }),
        None => {
            let points = rate_points::recent(conn, &asset.symbol, first).await?;
            let agreed = agree(&points, asset.pegged, first).ok();
            agreed.map(|agreed| Conversion { rate: agreed.bid, decimals: asset.decimals, spread_bps: 0 })
        }
    };
    let mut sum = Units::new(0)?;
    for one in payments {
        sum = sum.plus(one.units)?;
    }
    Ok(conversion.and_then(|conversion| conversion.value_received(sum).ok()))
}
