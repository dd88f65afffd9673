//! The service trade opens a trade: the amount moves from the balance to invested.

use chassis::clock;
use chassis::db::Db;
use chassis::money::Cents;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::trade_fundings::{self, TradeFunding};
use crate::store::transactions;

/// Which trade, under which terms.
#[derive(Debug, Clone)]
pub struct FundTrade {
    /// The trade.
    pub trade_id: Uuid,
    /// Whose.
    pub user_id: Uuid,
    /// How much; positive.
    pub amount: Cents,
    /// For the description.
    pub plan_title: String,
}

/// Funds a trade once. A repetition is answered as the first call was; a refusal stands, so that a late repetition
/// cannot fund a trade that was given up.
///
/// # Errors
/// `InsufficientBalance`, `TradeTermsDiffer`, the database's.
pub async fn fund_trade(db: &Db, command: &FundTrade) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    posting::lock_member(&mut tx, command.user_id).await?;
    if let Some(known) = trade_fundings::lock(&mut tx, command.trade_id).await? {
        if known.user_id != command.user_id || known.amount != command.amount {
            return Err(Error::TradeTermsDiffer);
        }
        return if known.status == "refused" { Err(Error::InsufficientBalance) } else { Ok(()) };
    }
    let decided = fund(&mut tx, command).await;
    if matches!(decided, Ok(()) | Err(Error::InsufficientBalance)) {
        tx.commit().await?;
    }
    decided
}

async fn fund(conn: &mut PgConnection, command: &FundTrade) -> Result<(), Error> {
    let FundTrade { trade_id, user_id, amount, ref plan_title } = *command;
    let now = clock::now(conn).await?;
    let transaction = Transaction::done(user_id, Kind::Trade, Direction::Debit, amount, now)
        .related_to(trade_id)
        .described(format!("Invested in {plan_title}"));
    let (from, to) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let posting = Posting::transfer("trade_fund", user_id, transaction.id, from, to, amount)?.settling(trade_id);
    // Refused before anything is written, so that the note of the refusal can be committed.
    let decided = posting::post(conn, &[posting]).await;
    let status = match &decided {
        Ok(()) => "funded",
        Err(Error::InsufficientBalance) => "refused",
        Err(_) => return decided,
    };
    let funding = TradeFunding { trade_id, user_id, amount, status: status.to_owned(), value: None };
    trade_fundings::insert(conn, &funding, now).await?;
    if decided.is_ok() {
        transactions::insert(conn, &transaction).await?;
        published::trade_funded(conn, trade_id, user_id).await?;
    }
    decided
}
