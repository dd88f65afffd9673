//! The price of an asset at a moment (D-N3), and of payouts (D-N4).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::{Cents, Conversion, Units};
use time::OffsetDateTime;

use crate::domain::network;
use crate::domain::quote::{self, Amount, Asset, Direction};
use crate::domain::rate::{Agreed, NoRate, agree};
use crate::error::Error;
use crate::store::{assets, rate_points};

/// What a payout sends.
#[derive(Debug, Clone)]
pub struct PayoutPrice {
    pub asset: Asset,
    pub conversion: Conversion,
    /// In the smallest unit of the asset.
    pub units: Units,
    pub at: OffsetDateTime,
}

/// The price at a moment, of which nothing newer counts; the same at any later time. The inner error is why there is none.
pub async fn price(
    conn: &mut PgConnection,
    asset: &Asset,
    at: OffsetDateTime,
) -> Result<Result<Agreed, NoRate>, Error> {
    let points = rate_points::recent(conn, &asset.symbol, at).await?;
    Ok(agree(&points, asset.pegged, at))
}

/// The asset of a currency on a network; `None` if it is never quoted.
pub async fn asset_of(conn: &mut PgConnection, currency: &str, network: &str) -> Result<Option<Asset>, Error> {
    match network::chain(network) {
        Some(chain) => assets::find(conn, chain, currency).await,
        None => Ok(None),
    }
}

/// What a payout of an amount sends at the rate of this moment; `None` for an asset that is never quoted.
///
/// # Errors
/// `RateUnavailable`, `Amount` if it is too little or too much.
pub async fn price_payout(
    db: &Db,
    (currency, network): (&str, &str),
    net: Cents,
    spread_bps: u16,
) -> Result<Option<PayoutPrice>, Error> {
    let mut conn = db.conn().await?;
    let Some(asset) = asset_of(&mut conn, currency, network).await? else { return Ok(None) };
    let at = clock::now(&mut conn).await?;
    let agreed = price(&mut conn, &asset, at).await?.map_err(|_| Error::RateUnavailable)?;
    let conversion = quote::conversion(Direction::Withdrawal, &asset, &agreed, spread_bps);
    let units = quote::units(Amount { direction: Direction::Withdrawal, requested: net, priced: net }, conversion)?;
    Ok(Some(PayoutPrice { asset, conversion, units, at }))
}
