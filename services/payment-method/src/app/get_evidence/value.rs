//! What payments are worth, and the confirmations that they need for it.

use chassis::db::PgConnection;
use chassis::money::{Cents, Units};
use time::OffsetDateTime;

use crate::app::price::price;
use crate::clients::chain::Chain;
use crate::domain::evidence::Basis;
use crate::domain::payment::{self, State, Way};
use crate::domain::quote::{self, Asset, Direction, Quote, Tolerance};
use crate::error::Error;
use crate::store::chain_payments::{self, Payment};

/// How deposits are valued.
#[derive(Debug, Clone, Copy)]
pub struct Pricing {
    /// What is taken off the rate at the arrival, in hundredths of a percent.
    pub spread_bps: u16,
    pub tolerance: Tolerance,
}

/// The confirmations that payments need now: by all that their transactions pay us, and by what the member claimed within an
/// hour.
pub(super) async fn depth_now(
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
pub(super) fn deepen(one: &mut Payment, depth: i32, tip: i64) {
    one.depth = one.depth.max(depth);
    let confirmed = one.block.as_ref().map_or(0, |block| payment::confirmations(tip, block.height));
    if one.state == State::Final && confirmed < one.depth {
        one.state = State::Included;
    }
}

/// At the quoted rate if the payments came while the quote was open and differ little from it, else at the rate of their arrival.
pub(super) async fn value(
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
