//! Finds what went back of rejected payments, and where one may go back to (D-M5).

use chassis::db::Db;
use chassis::id::{MemberId, TransactionId};
use chassis::keys::TrustedKeys;
use time::OffsetDateTime;

use crate::domain::destination::PayoutAddress;
use crate::domain::steps::Return;
use crate::error::Error;
use crate::store::{destinations, treasury};

/// The most destinations that are found.
const DESTINATIONS: i64 = 5;

/// What went back of these, oldest first.
///
/// # Errors
/// Of the database.
pub async fn find_returns(db: &Db, rejected: &[TransactionId]) -> Result<Vec<(TransactionId, Return)>, Error> {
    treasury::returns_of(&mut *db.conn().await?, rejected).await
}

/// The member's newest known destinations for a currency and network.
///
/// # Errors
/// Of the database.
pub async fn find_destinations(db: &Db, user_id: MemberId, of: (&str, &str)) -> Result<Vec<PayoutAddress>, Error> {
    Ok(destinations::newest(&mut *db.conn().await?, user_id, of, DESTINATIONS).await?)
}

/// Since when a member's destination is known, if auth signed that the member confirmed it.
///
/// # Errors
/// Of the database.
pub async fn confirmed_since(
    db: &Db,
    keys: &TrustedKeys,
    user_id: MemberId,
    to: &PayoutAddress,
) -> Result<Option<OffsetDateTime>, Error> {
    let known = destinations::find(&mut *db.conn().await?, user_id, to).await?;
    Ok(known.filter(|known| known.is_signed(keys)).map(|known| known.at))
}
