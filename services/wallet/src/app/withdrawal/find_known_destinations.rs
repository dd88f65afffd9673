//! Returns which destinations of a member are known.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::destination::PayoutAddress;
use crate::error::Error;
use crate::store::destinations;

/// Which of these the member confirmed or was paid to, in their order.
pub async fn find_known_destinations(db: &Db, user_id: MemberId, all: Vec<PayoutAddress>) -> Result<Vec<bool>, Error> {
    let wanted: Vec<_> = all.into_iter().map(|to| (user_id, to)).collect();
    let found = destinations::known_since(&mut *db.conn().await?, &wanted).await?;
    Ok(found.iter().map(Option::is_some).collect())
}
