//! The quote that a deposit or withdrawal names.

use chassis::db::Db;
use chassis::id::{MemberId, QuoteId};
use chassis::money::Cents;

use crate::clients::{Quoted, Quotes};
use crate::domain::transaction::{MethodCopy, QuoteDirection};
use crate::error::Error;
use crate::store::transactions;

/// The member's open quote, or one of a deposit that `may_have_ended` within the last day. That it serves once is decided with
/// the transaction that keeps it, by a unique index: it is used exactly if a transaction has it, no matter what became of other
/// requests.
///
/// # Errors
/// `QuoteUsed`, `Refused` (not found, expired, unavailable).
pub async fn resolve_quote(
    db: &Db,
    quotes: &Quotes,
    (user_id, id): (MemberId, QuoteId),
    may_have_ended: bool,
) -> Result<Quoted, Error> {
    // A request that would lose anyway does not take others of its commit with it.
    if transactions::is_quote_used(&mut *db.conn().await?, id).await? {
        return Err(Error::QuoteUsed);
    }
    Ok(quotes.get(user_id, id, may_have_ended).await?)
}

/// The member's open quotes that serve for nothing else any more.
pub async fn used_quotes(db: &Db, user_id: MemberId) -> Result<Vec<QuoteId>, Error> {
    Ok(transactions::used_quotes(&mut *db.conn().await?, user_id).await?)
}

impl Quoted {
    /// Whether it is for this payment. A method keeps its id when its owner changes its currency or network, so both are
    /// compared.
    ///
    /// # Errors
    /// `QuoteDiffers` if it is for another direction, amount, method, currency or network.
    pub fn check(&self, direction: QuoteDirection, amount: Cents, method: &MethodCopy) -> Result<(), Error> {
        let quoted = (self.direction, self.amount, self.method_id, &self.quote.asset, &self.network);
        let is_same = quoted == (direction, amount, method.id, &method.currency, &method.network);
        if is_same { Ok(()) } else { Err(Error::QuoteDiffers) }
    }
}
