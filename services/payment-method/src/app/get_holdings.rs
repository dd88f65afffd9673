//! Returns what the addresses of the platform hold, and which payouts belong to no withdrawal (D-Q8).

use chassis::id::MemberId;
use std::collections::HashMap;

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::{Cents, Conversion, Rate, SignedUnits, Units};
use time::{Duration, OffsetDateTime};

use crate::app::get_quote_terms::in_use;
use crate::app::price::price;
use crate::domain::method::SignedMethod;
use crate::domain::quote::Asset;
use crate::error::Error;
use crate::store::chain_payments::{Outflow, Payment};
use crate::store::holdings::{Holding, Sums};
use crate::store::{address_proofs, assets, chain_cursors, chain_payments, holdings, methods};

/// Outflows, payments and addresses of an asset that are listed.
const LISTED: i64 = 500;
/// After this time a balance is not known any more.
const FRESH: Duration = Duration::minutes(10);

/// What is held of an asset.
#[derive(Debug, Clone)]
pub struct AssetHolding {
    pub asset: Asset,
    /// What is held, and what should be according to the payments; `None` if it was not read lately.
    pub sums: Option<(Units, SignedUnits)>,
    /// The oldest reading of its addresses.
    pub at: Option<OffsetDateTime>,
    /// For display.
    pub rate: Option<(Rate, OffsetDateTime)>,
    pub value: Option<Cents>,
    /// Those that members share, and the largest of single members.
    pub addresses: Vec<Holding>,
}

#[derive(Debug, Clone)]
pub struct Holdings {
    pub assets: Vec<AssetHolding>,
    pub outflows: Vec<Outflow>,
    pub undone: Vec<Payment>,
    pub scales: Scales,
    /// Active methods of the platform with an address that members share.
    pub shared: Vec<SignedMethod>,
}

/// How payments are returned, by chain and symbol.
pub type Scales = HashMap<(String, String), Scale>;

/// The digits of an asset, and the newest block of its chain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scale {
    pub decimals: u8,
    pub tip: i64,
}

/// The assets that are held or that an active method is of.
pub async fn get_holdings(db: &Db) -> Result<Holdings, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let known = assets::all(&mut conn).await?;
    let used: Vec<_> = in_use(&mut conn).await?.into_iter().map(|(asset, _)| (asset.chain, asset.symbol)).collect();
    let mut shared = methods::visible_to(&mut conn, MemberId::default()).await?;
    shared.retain(|one| one.method.fields.deposit_key().is_none());
    address_proofs::add_to(&mut conn, &mut shared).await?;
    let mut held = Vec::new();
    for asset in &known {
        let name = (asset.chain.as_str(), asset.symbol.as_str());
        let sums = holdings::sums(&mut conn, name).await?;
        if !sums.is_empty || used.iter().any(|(chain, symbol)| (chain.as_str(), symbol.as_str()) == name) {
            let is_shared = |one: &SignedMethod| asset.is_of(&one.method.fields);
            let cursor = chain_cursors::find(&mut conn, &asset.chain).await?.filter(|cursor| cursor.is_fresh(now));
            // Before the first payment to an own address there is nothing to read.
            let empty_at = cursor.and_then(|cursor| cursor.observed_at).filter(|_| !shared.iter().any(is_shared));
            held.push(of_asset(&mut conn, asset, (sums, empty_at), now).await?);
        }
    }
    let scales = scales(&mut conn, known).await?;
    Ok(Holdings {
        assets: held,
        outflows: chain_payments::outflows(&mut conn, 0, LISTED).await?,
        undone: chain_payments::undone(&mut conn, LISTED).await?,
        scales,
        shared,
    })
}

/// A page of the payments from the platform above a number that belong to no withdrawal.
pub async fn list_outflows(db: &Db, after: i64) -> Result<(Vec<Outflow>, Scales), Error> {
    let mut conn = db.conn().await?;
    let known = assets::all(&mut conn).await?;
    Ok((chain_payments::outflows(&mut conn, after, LISTED).await?, scales(&mut conn, known).await?))
}

async fn scales(conn: &mut PgConnection, assets: Vec<Asset>) -> Result<Scales, Error> {
    let mut scales = HashMap::new();
    for asset in assets {
        let cursor = chain_cursors::find(conn, &asset.chain).await?;
        let tip = cursor.and_then(|cursor| cursor.tip_height).unwrap_or(0);
        scales.insert((asset.chain, asset.symbol), Scale { decimals: asset.decimals, tip });
    }
    Ok(scales)
}

/// What is held of an asset; if no address was read, nothing since the other moment, if there is one.
async fn of_asset(
    conn: &mut PgConnection,
    asset: &Asset,
    (sums, empty_at): (Sums, Option<OffsetDateTime>),
    now: OffsetDateTime,
) -> Result<AssetHolding, Error> {
    // The own addresses of members are read in turns: each balance agrees with the payments up to its reading.
    let at = sums.oldest_shared.or(sums.newest_own).or(empty_at);
    let sums = at.filter(|at| now - *at <= FRESH).map(|_| (sums.units, sums.recorded));
    let agreed = price(conn, asset, now).await?.ok();
    let value = agreed.as_ref().zip(sums).and_then(|(agreed, (units, _))| {
        let conversion = Conversion { rate: agreed.bid, decimals: asset.decimals, spread_bps: 0 };
        conversion.value_received(units).ok()
    });
    let rate = agreed.and_then(|agreed| Some((agreed.bid, agreed.points.iter().map(|point| point.at).min()?)));
    let addresses = holdings::largest(conn, (&asset.chain, &asset.symbol), LISTED).await?;
    Ok(AssetHolding { asset: asset.clone(), sums, at, rate, value, addresses })
}
