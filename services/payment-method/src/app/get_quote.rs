//! A member's quote, for the deposit or withdrawal that names it.

use chassis::clock;
use chassis::db::Db;
use chassis::id::{MemberId, QuoteId};
use time::Duration;

use crate::domain::quote::{Direction, Quote};
use crate::error::Error;
use crate::store::quotes;

/// How long after its end the payment of a quote can be reported: members send the proof when the payment has gone through.
const REPORTED_WITHIN: Duration = Duration::hours(24);

/// The quote. Whether it was used is what the wallet knows, which keeps it with the transaction.
///
/// # Errors
/// `QuoteNotFound` also for another member's; `QuoteExpired` by the database's clock, of deposits that `may_have_ended` a day later.
pub async fn get_quote(db: &Db, user_id: MemberId, id: QuoteId, may_have_ended: bool) -> Result<Quote, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let quote = quotes::find(&mut conn, user_id, id).await?.ok_or(Error::QuoteNotFound)?;
    let is_late = may_have_ended && quote.direction == Direction::Deposit;
    if quote.is_open(if is_late { now - REPORTED_WITHIN } else { now }) { Ok(quote) } else { Err(Error::QuoteExpired) }
}
