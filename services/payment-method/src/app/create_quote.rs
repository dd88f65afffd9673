//! Quotes an amount (D-Q1, D-Q3).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, QuoteId};
use chassis::idempotency::{self, Answer, Claim};
use chassis::money::{AmountError, Units};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::own_address;
use crate::app::price::{asset_of, price};
use crate::app::resolve_deposit_method::named_method;
use crate::domain::method::{Method, Scope};
use crate::domain::quote::{self, Amount, Asset, Direction, LIFE, OPEN_LIMIT, Quote, Tails};
use crate::error::Error;
use crate::store::quotes;

#[derive(Debug, Clone)]
pub struct CreateQuote {
    pub user_id: MemberId,
    pub amount: Amount,
    /// A platform method's id or unique currency code; of a withdrawal, also the id of an own method.
    pub method: String,
    pub spread_bps: u16,
    /// Quotes of the member that transactions use already.
    pub used: Vec<QuoteId>,
    pub claim: Option<Claim>,
}

/// The quote, once a key; the open one for the same method and amount again, unless it is used.
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
    let fields = &method.fields;
    let asset = asset_of(conn, &fields.currency, &fields.network).await?.ok_or(Error::RateUnavailable)?;
    quotes::lock_member(conn, command.user_id).await?;
    let open = quotes::find_open(conn, (command.user_id, &command.used), command.amount, (method.id, method.version));
    if let Some(quote) = open.await? {
        let derivation = own_address::derivation_of(conn, fields, &quote.address, command.user_id).await?;
        return Ok(Quote { derivation, ..quote });
    }
    if quotes::count_open(conn, command.user_id).await? >= OPEN_LIMIT {
        return Err(Error::TooManyQuotes);
    }
    let quote = priced(conn, command, (&method, &asset), now).await?;
    quotes::insert(conn, &quote, &asset.symbol).await?;
    Ok(quote)
}

async fn priced(
    conn: &mut PgConnection,
    command: &CreateQuote,
    (method, asset): (&Method, &Asset),
    now: OffsetDateTime,
) -> Result<Quote, Error> {
    let agreed = price(conn, asset, now).await?.map_err(|_| Error::RateUnavailable)?;
    let direction = command.amount.direction;
    let conversion = quote::conversion(direction, asset, &agreed, command.spread_bps);
    let mut units = quote::units(command.amount, conversion)?;
    let (mut address, memo) = quote::shown(direction, &method.fields);
    let (id, mut derivation) = (QuoteId::new(Uuid::now_v7()), None);
    if method.scope == Scope::Platform && direction == Direction::Deposit {
        if let Some(key) = method.fields.deposit_key() {
            let owner = (command.user_id, id);
            let (own, from) = own_address::of_quote(conn, (&method.fields, &key), owner, now).await?;
            (address, derivation) = (own, Some(from));
        } else {
            // All deposits of an asset share an address: what arrives is distinguished by its units.
            quotes::lock_address(conn, &address, &asset.symbol).await?;
            units = free_tail(conn, (&address, asset), units, now).await?;
        }
    }
    Ok(Quote {
        id,
        derivation,
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

/// The units with the smallest tail that no open quote of the address has.
async fn free_tail(
    conn: &mut PgConnection,
    (address, asset): (&str, &Asset),
    units: Units,
    now: OffsetDateTime,
) -> Result<Units, Error> {
    for tails in Tails::of(units, asset)? {
        let taken = quotes::taken(conn, (address, &asset.symbol), tails, now).await?;
        if let Some(units) = tails.free(&taken) {
            return Ok(units);
        }
    }
    Err(Error::Amount(AmountError::OutOfRange))
}
