//! Lists the chains that have a node, and how recent the view of each is.

use chassis::clock;
use chassis::db::Db;
use time::OffsetDateTime;

use crate::error::Error;
use crate::store::chain_cursors;

/// How recent the view of a chain is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    pub chain: &'static str,
    pub observed_at: Option<OffsetDateTime>,
    pub is_fresh: bool,
}

/// Each of these chains.
///
/// # Errors
/// Database.
pub async fn list_chains(db: &Db, chains: impl Iterator<Item = &'static str>) -> Result<Vec<Observed>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let mut observed = Vec::new();
    for chain in chains {
        let cursor = chain_cursors::find(&mut conn, chain).await?;
        observed.push(Observed {
            chain,
            observed_at: cursor.as_ref().and_then(|cursor| cursor.observed_at),
            is_fresh: cursor.is_some_and(|cursor| cursor.is_fresh(now)),
        });
    }
    Ok(observed)
}
