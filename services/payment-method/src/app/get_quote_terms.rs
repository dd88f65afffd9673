//! What can be quoted, and at which rates now.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MethodId;

use crate::app::price::price;
use crate::domain::quote::Asset;
use crate::domain::rate::{Agreed, NoRate};
use crate::error::Error;
use crate::store::{assets, methods};

/// An asset that the platform receives or pays, and its rate now.
#[derive(Debug, Clone)]
pub struct Quotable {
    pub asset: Asset,
    /// The active platform methods of it.
    pub method_ids: Vec<MethodId>,
    pub rate: Result<Agreed, NoRate>,
}

/// The assets of active platform methods, by chain and symbol.
pub async fn get_quote_terms(db: &Db) -> Result<Vec<Quotable>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let mut quotable = Vec::new();
    for (asset, method_ids) in in_use(&mut conn).await? {
        let rate = price(&mut conn, &asset, now).await?;
        quotable.push(Quotable { asset, method_ids, rate });
    }
    Ok(quotable)
}

/// The assets of active platform methods, with these methods.
pub(crate) async fn in_use(conn: &mut PgConnection) -> Result<Vec<(Asset, Vec<MethodId>)>, Error> {
    let methods = methods::active_platform(conn).await?;
    let assets = assets::all(conn).await?.into_iter().map(|asset| {
        let ids = methods.iter().filter(|method| asset.is_of(&method.fields)).map(|method| method.id).collect();
        (asset, ids)
    });
    Ok(assets.filter(|(_, ids): &(Asset, Vec<MethodId>)| !ids.is_empty()).collect())
}
