//! For the service trade: moves the amount of a new trade from available to invested.

use chassis::db::Db;
use chassis::id::{MemberId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::account::AccountRef;
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::trade_funding::FundingStatus;
use crate::domain::transaction::{Details, TradePart, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{Movement, Outcome, Posting, Precondition};
use crate::store::{accounts, trade_fundings};

#[derive(Debug, Clone)]
pub struct FundTrade {
    pub trade_id: TradeId,
    pub user_id: MemberId,
    /// How much; positive.
    pub amount: Cents,
    /// For the description.
    pub plan_title: String,
}

/// Funds a trade once. A repetition is answered as the first call was; a refusal stands, so that a late repetition
/// cannot fund a trade that was given up.
///
/// # Errors
/// `InsufficientBalance`, `AmountOwed`, `TradeTermsDiffer`, Unavailable.
pub async fn fund_trade(ledger: &Ledger, command: &FundTrade) -> Result<(), Error> {
    match ledger.apply(movement(command, ledger.now().await?)?).await? {
        Outcome::TradeKnown => repeated(ledger.db(), command).await,
        outcome => outcome.into_result(),
    }
}

/// The answer that was given before: the terms of a known trade never change.
async fn repeated(db: &Db, command: &FundTrade) -> Result<(), Error> {
    let known = trade_fundings::find(&mut *db.conn().await?, command.trade_id).await?.ok_or(Error::TradeNotFunded)?;
    if known.user_id != command.user_id || known.amount != command.amount {
        return Err(Error::TradeTermsDiffer);
    }
    match known.status {
        FundingStatus::Refused if accounts::owed(&mut *db.conn().await?, known.user_id).await? > Cents::ZERO => {
            Err(Error::AmountOwed)
        }
        FundingStatus::Refused => Err(Error::InsufficientBalance),
        _ => Ok(()),
    }
}

fn movement(command: &FundTrade, now: OffsetDateTime) -> Result<Movement, Error> {
    let FundTrade { trade_id, user_id, amount, ref plan_title } = *command;
    let line = Transaction::done(user_id, Details::Trade { part: TradePart::Invested, trade_id }, amount, now)
        .described(format!("Invested in {plan_title}"));
    let way = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let posting = Posting::transfer(PostingKind::TradeFund, Cause::Trade(trade_id), user_id, way, amount)?;
    Ok(Movement {
        user_id,
        precondition: Some(Precondition::TradeUnknown { trade_id, amount, at: now }),
        postings: vec![posting.shown_as(line.id)],
        lines: vec![line],
        events: vec![published::trade_funded(trade_id, user_id)],
    })
}
