//! Lists the payments that an open deposit may be about, for the wallet (D-Q6).

use chassis::db::Db;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::list_payments::{Arrival, arrivals};
use crate::error::Error;
use crate::store::chain_payments;

/// What a member claims to have paid.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Of the platform, as it was shown.
    pub address: String,
    pub currency: String,
    pub amount: Cents,
    pub since: OffsetDateTime,
}

/// Payments to the address that count or still may, the nearest in value first; at most 50.
pub async fn list_candidates(db: &Db, claim: &Claim) -> Result<Vec<Arrival>, Error> {
    let mut conn = db.conn().await?;
    let place = (claim.address.as_str(), claim.currency.as_str());
    let found = chain_payments::nearest_in_value(&mut conn, place, claim.amount, claim.since).await?;
    arrivals(&mut conn, found).await
}
