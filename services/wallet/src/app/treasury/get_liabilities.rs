//! Returns the latest proof of liabilities, and a member's part in it.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::liabilities::{HeldForMembers, Leaf, Liabilities, PastPublication};
use crate::error::Error;
use crate::store::liabilities;

/// The newest publication.
///
/// # Errors
/// `NotFound` before the first one.
pub async fn get_liabilities(db: &Db) -> Result<Liabilities, Error> {
    liabilities::newest(&mut *db.conn().await?).await?.ok_or(Error::NotFound)
}

/// Publications that are listed.
const LISTED: i64 = 400;

/// The newest publication, what was held then, and those before it.
#[derive(Debug, Clone)]
pub struct Published {
    pub newest: Liabilities,
    pub held: Option<HeldForMembers>,
    /// With the newest, which is the first.
    pub publications: Vec<PastPublication>,
}

/// What was owed and held, night by night.
///
/// # Errors
/// `NotFound` before the first publication.
pub async fn get_solvency(db: &Db) -> Result<Published, Error> {
    let mut conn = db.conn().await?;
    loop {
        let newest = liabilities::newest(&mut conn).await?.ok_or(Error::NotFound)?;
        let held = liabilities::newest_held(&mut conn).await?;
        let publications = liabilities::past(&mut conn, LISTED).await?;
        if publications.first().is_some_and(|first| first.at == newest.at) {
            return Ok(Published { newest, held, publications });
        }
    }
}

/// The newest publication and the member's leaves in it, read in one snapshot: a publication between the two would give
/// paths to another root.
///
/// # Errors
/// `NotFound` before the first one.
pub async fn get_liability_proof(db: &Db, user_id: MemberId) -> Result<(Liabilities, Vec<Leaf>), Error> {
    let mut conn = db.conn().await?;
    loop {
        let before = liabilities::newest(&mut conn).await?.ok_or(Error::NotFound)?;
        let leaves = liabilities::leaves_of(&mut conn, user_id).await?;
        if liabilities::newest(&mut conn).await?.is_some_and(|after| after.at == before.at) {
            return Ok((before, leaves));
        }
    }
}
