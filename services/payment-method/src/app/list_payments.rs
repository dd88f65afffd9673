//! Lists payments to the platform, for the wallet to find those that nobody claims (D-Q6).

use chassis::id::MemberId;
use std::collections::HashMap;

use chassis::db::{Db, PgConnection};

use crate::error::Error;
use crate::store::chain_payments::Payment;
use crate::store::{assets, chain_cursors, chain_payments, deposit_addresses};

/// A payment to the platform.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub payment: Payment,
    pub decimals: u8,
    /// The newest block of its chain.
    pub tip: i64,
    /// The member whose own address was paid.
    pub owner: Option<MemberId>,
}

/// Payments that count or still may, below a number, newest first.
pub async fn list_payments(db: &Db, before: i64, size: i64) -> Result<Vec<Arrival>, Error> {
    let mut conn = db.conn().await?;
    let found = chain_payments::arrivals(&mut conn, before, size).await?;
    arrivals(&mut conn, found).await
}

/// What else is returned about payments.
pub(crate) async fn arrivals(conn: &mut PgConnection, found: Vec<Payment>) -> Result<Vec<Arrival>, Error> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let (mut decimals, mut tips) = (HashMap::new(), HashMap::new());
    for asset in assets::all(conn).await? {
        if !tips.contains_key(&asset.chain) {
            let cursor = chain_cursors::find(conn, &asset.chain).await?;
            tips.insert(asset.chain.clone(), cursor.and_then(|cursor| cursor.tip_height).unwrap_or(0));
        }
        decimals.insert((asset.chain, asset.symbol), asset.decimals);
    }
    let addresses: Vec<_> = found.iter().map(|one| one.address.clone()).collect();
    let owners = deposit_addresses::owners(conn, &addresses).await?;
    let arrival = |payment: Payment| {
        let key = (payment.chain.clone(), payment.symbol.clone());
        Arrival {
            decimals: decimals.get(&key).copied().unwrap_or(0),
            tip: tips.get(&payment.chain).copied().unwrap_or(0),
            owner: owners.get(&payment.address).copied(),
            payment,
        }
    };
    Ok(found.into_iter().map(arrival).collect())
}
