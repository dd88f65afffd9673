//! The service trade opens a trade: the amount moves from the balance to invested.

use chassis::clock;
use chassis::money::Cents;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{self, Guard, Movement, Posting};
use crate::store::trade_fundings::{self, TradeFunding};

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
/// `InsufficientBalance`, `TradeTermsDiffer`, Unavailable, the database's.
pub async fn fund_trade(ledger: &Ledger, command: &FundTrade) -> Result<(), Error> {
    let now = ledger.now().await?;
    if ledger.apply(movement(command, now)?, None, ()).await?.is_some() {
        return Ok(());
    }
    let mut tx = ledger.db().begin().await?;
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
    let now = clock::now(conn).await?;
    let decided = movement(command, now)?.apply(conn).await;
    if let Err(Error::InsufficientBalance) = decided {
        let FundTrade { trade_id, user_id, amount, .. } = *command;
        let refused = TradeFunding { trade_id, user_id, amount, status: "refused".to_owned(), value: None };
        trade_fundings::insert(conn, &refused, now).await?;
    }
    decided
}

fn movement(command: &FundTrade, now: OffsetDateTime) -> Result<Movement, Error> {
    let FundTrade { trade_id, user_id, amount, ref plan_title } = *command;
    let line = Transaction::done(user_id, Kind::Trade, Direction::Debit, amount, now)
        .related_to(trade_id)
        .described(format!("Invested in {plan_title}"));
    let (from, to) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let posting = Posting::transfer("trade_fund", user_id, line.id, from, to, amount)?.settling(trade_id);
    Ok(Movement {
        user_id,
        guard: Some(Guard::Fund { trade_id, amount, at: now }),
        postings: vec![posting],
        lines: vec![line],
        events: vec![published::trade_funded(trade_id, user_id)],
    })
}
