//! Claims an open transaction for a staff member, so that two do not work on the same one.

use chassis::db::Db;
use chassis::id::{StaffId, TransactionId};

use crate::domain::transaction::Status;
use crate::error::Error;
use crate::store::{claims, transactions};

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Take,
    Release,
}

/// Takes it for 30 minutes unless somebody else has it, or gives the own claim back. Returns who has it now.
///
/// # Errors
/// `NotFound` if there is no transaction with this id, `AlreadyDecided` for what waits for nobody.
pub async fn claim_transaction(
    db: &Db,
    id: TransactionId,
    by: StaffId,
    claim: Claim,
) -> Result<Option<StaffId>, Error> {
    let mut conn = db.conn().await?;
    let one = transactions::find(&mut conn, id).await?.ok_or(Error::NotFound)?;
    match claim {
        Claim::Release => claims::release(&mut conn, id, by).await?,
        Claim::Take if one.status != Status::Pending => return Err(Error::AlreadyDecided),
        Claim::Take => claims::claim(&mut conn, id, by).await?,
    }
    Ok(claims::holder(&mut conn, id).await?)
}
