//! A member's quote, for the deposit or withdrawal that names it.

use chassis::clock;
use chassis::db::Db;
use uuid::Uuid;

use crate::domain::quote::Quote;
use crate::error::Error;
use crate::store::quotes;

/// The quote. Whether it was used is what the wallet knows, which keeps it with the transaction.
///
/// # Errors
/// `QuoteNotFound` also for another member's; `QuoteExpired` by the database's clock.
pub async fn get_quote(db: &Db, user_id: Uuid, id: Uuid) -> Result<Quote, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let quote = quotes::find(&mut conn, user_id, id).await?.ok_or(Error::QuoteNotFound)?;
    if quote.is_open(now) { Ok(quote) } else { Err(Error::QuoteExpired) }
}
