//! Quotes an amount (D-Q1, D-Q3).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer, Claim};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::resolve_deposit_method::named_method;
use crate::domain::method::{Method, Scope};
use crate::domain::network;
use crate::domain::quote::{self, Amount, Asset, Direction, LIFE, OPEN_LIMIT, Quote};
use crate::domain::rate::agree;
use crate::error::Error;
use crate::store::{assets, quotes, rate_points};

#[derive(Debug, Clone)]
pub struct CreateQuote {
    pub user_id: Uuid,
    pub amount: Amount,
    /// A platform method's id or unique currency code; of a withdrawal, also the id of an own method.
    pub method: String,
    pub spread_bps: u16,
    pub claim: Option<Claim>,
}

/// The quote, once a key.
///
/// # Errors
/// `MethodUnavailable`, `TooManyQuotes`; `RateUnavailable` also for a method whose currency is never quoted.
pub async fn create_quote(db: &Db, command: &CreateQuote) -> Result<Answer<Quote>, Error> {
    idempotency::once(db, command.claim.clone(), async |conn| create(conn, command).await).await
}

async fn create(conn: &mut PgConnection, command: &CreateQuote) -> Result<Quote, Error> {
    let now = clock::now(conn).await?;
    let direction = command.amount.direction;
    let owner = (direction == Direction::Withdrawal).then_some(command.user_id);
    let method = named_method(conn, &command.method, owner).await?;
    let asset = asset_of(conn, &method).await?;
    quotes::lock_member(conn, command.user_id).await?;
    if quotes::count_open(conn, command.user_id).await? >= OPEN_LIMIT {
        return Err(Error::TooManyQuotes);
    }
    let quote = price(conn, command, (&method, &asset), now).await?;
    quotes::insert(conn, &quote, &asset.symbol).await?;
    Ok(quote)
}

async fn asset_of(conn: &mut PgConnection, method: &Method) -> Result<Asset, Error> {
    let chain = network::chain(&method.fields.network).ok_or(Error::RateUnavailable)?;
    assets::find(conn, chain, &method.fields.currency).await?.ok_or(Error::RateUnavailable)
}

async fn price(
    conn: &mut PgConnection,
    command: &CreateQuote,
    (method, asset): (&Method, &Asset),
    now: OffsetDateTime,
) -> Result<Quote, Error> {
    let points = rate_points::recent(conn, &asset.symbol, now).await?;
    let agreed = agree(&points, asset.pegged, now).map_err(|_| Error::RateUnavailable)?;
    let direction = command.amount.direction;
    let conversion = quote::conversion(direction, asset, &agreed, command.spread_bps);
    let mut units = quote::units(command.amount, conversion)?;
    let (address, memo) = quote::shown(direction, &method.fields);
    if method.scope == Scope::Platform && direction == Direction::Deposit {
        // All deposits of an asset share an address: what arrives is told apart by its units.
        let candidates = quote::with_tails(units, asset)?;
        quotes::lock_address(conn, &address, &asset.symbol).await?;
        let taken = quotes::taken(conn, (&address, &asset.symbol), &candidates, now).await?;
        units = quote::free(&candidates, &taken).ok_or(Error::RateUnavailable)?;
    }
    Ok(Quote {
        id: Uuid::now_v7(),
        user_id: command.user_id,
        direction,
        amount: command.amount.requested,
        priced: command.amount.priced,
        method_id: method.id,
        method_version: method.version,
        currency: method.fields.currency.clone(),
        network: method.fields.network.clone(),
        address,
        memo,
        chain: asset.chain.clone(),
        contract: asset.contract.clone(),
        decimals: asset.decimals,
        units: units.to_string(),
        rate_micros: conversion.rate.micros(),
        spread_bps: command.spread_bps,
        sources: agreed.points,
        created_at: now,
        expires_at: now + LIFE,
    })
}
