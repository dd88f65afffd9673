//! Lists what own addresses of members hold, for the signer that sweeps them (D-N2).

use chassis::db::Db;
use serde::Serialize;

use crate::domain::deposit_key::DepositKey;
use crate::error::Error;
use crate::store::deposit_addresses;

/// Rows of a page.
const PAGE: i64 = 1_000;

/// An address that holds something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sweep {
    /// Of its private key.
    pub path: String,
    pub address: String,
    pub asset: String,
    /// In the smallest unit, when the balance was read last.
    pub units: String,
    /// What its part of a transaction takes, to be paid for beside the units.
    pub needs: &'static str,
}

/// About what a transfer of an asset takes on its chain: a segwit input, or a call of a token's contract.
fn needs(chain: &str, asset: &str) -> &'static str {
    match (chain, asset) {
        ("bitcoin", _) => "68 vB",
        ("ethereum", "ETH") => "21000 gas",
        ("ethereum", _) => "65000 gas",
        ("tron", "TRX") => "268 bandwidth",
        _ => "65000 energy and 345 bandwidth",
    }
}

/// The page after a row, by asset and address; empty at the end.
pub async fn list_sweeps(db: &Db, chain: &str, after: Option<&Sweep>) -> Result<Vec<Sweep>, Error> {
    let after = after.map_or(("", ""), |one| (one.asset.as_str(), one.address.as_str()));
    let held = deposit_addresses::held(&mut *db.conn().await?, chain, after, PAGE).await?;
    let sweeps = held.into_iter().filter_map(|one| {
        let key = DepositKey::parse(chain, &one.key).ok()?;
        let path = key.path(one.index.unsigned_abs());
        let needs = needs(chain, &one.symbol);
        Some(Sweep { path, address: one.address, asset: one.symbol, units: one.units, needs })
    });
    Ok(sweeps.collect())
}
