//! Returns the latest proof of liabilities, and a member's part in it.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::liabilities::{Leaf, Liabilities};
use crate::error::Error;
use crate::store::liabilities;

/// The newest publication.
///
/// # Errors
/// `NotFound` before the first one.
pub async fn get_liabilities(db: &Db) -> Result<Liabilities, Error> {
    liabilities::newest(&mut *db.conn().await?).await?.ok_or(Error::NotFound)
}

/// The newest publication and the member's leaves in it, read in one snapshot: a publication between the two would give
/// paths to another root.
///
/// # Errors
/// `NotFound` before the first one.
pub async fn get_liability_proof(db: &Db, user_id: Uuid) -> Result<(Liabilities, Vec<Leaf>), Error> {
    let mut conn = db.conn().await?;
    loop {
        let before = liabilities::newest(&mut conn).await?.ok_or(Error::NotFound)?;
        let leaves = liabilities::leaves_of(&mut conn, user_id).await?;
        if liabilities::newest(&mut conn).await?.is_some_and(|after| after.at == before.at) {
            return Ok((before, leaves));
        }
    }
}
