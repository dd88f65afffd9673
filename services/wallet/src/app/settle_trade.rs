//! The service trade closes a trade: principal and gain go to the balance, a gain comes from the investment pool, a
//! loss goes to it.

use chassis::clock;
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{self, Guard, Movement, Posting};
use crate::store::trade_fundings;

/// Which trade, under which terms, at which value.
#[derive(Debug, Clone)]
pub struct SettleTrade {
    /// The trade.
    pub trade_id: Uuid,
    /// Whose.
    pub user_id: Uuid,
    /// What was invested.
    pub amount: Cents,
    /// What is paid to the member; zero or more.
    pub value: Cents,
    /// For the descriptions.
    pub plan_title: String,
}

/// Settles a funded trade once; a repetition under the same terms changes nothing.
///
/// # Errors
/// `TradeNotFunded`, `TradeTermsDiffer`, Unavailable, the database's.
pub async fn settle_trade(ledger: &Ledger, command: &SettleTrade) -> Result<(), Error> {
    let now = ledger.now().await?;
    if ledger.apply(movement(command, now)?, None, ()).await?.is_some() {
        return Ok(());
    }
    let mut tx = ledger.db().begin().await?;
    posting::lock_member(&mut tx, command.user_id).await?;
    let known = trade_fundings::lock(&mut tx, command.trade_id).await?.ok_or(Error::TradeNotFunded)?;
    if known.user_id != command.user_id || known.amount != command.amount {
        return Err(Error::TradeTermsDiffer);
    }
    match known.value {
        Some(value) if value == command.value => return Ok(()),
        Some(_) => return Err(Error::TradeTermsDiffer),
        None if known.status != "funded" => return Err(Error::TradeNotFunded),
        None => {}
    }
    let now = clock::now(&mut tx).await?;
    movement(command, now)?.apply(&mut tx).await?;
    tx.commit().await?;
    Ok(())
}

fn movement(command: &SettleTrade, now: OffsetDateTime) -> Result<Movement, Error> {
    let SettleTrade { trade_id, user_id, amount, value, ref plan_title } = *command;
    let (available, invested) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let pool = AccountRef::House(HouseAccount::InvestmentPool);
    let (principal, gain, loss) = if value > amount {
        (amount, value.minus(amount)?, Cents::ZERO)
    } else {
        (value, Cents::ZERO, amount.minus(value)?)
    };
    let line = |kind: Kind, amount: Cents, what: &str| {
        Transaction::done(user_id, kind, Direction::Credit, amount, now)
            .related_to(trade_id)
            .described(format!("{what} {plan_title}"))
    };
    let (mut postings, mut lines) = (Vec::new(), Vec::new());
    if principal > Cents::ZERO {
        let one = line(Kind::Trade, principal, "Paid out from");
        postings.push(Posting::transfer("trade_settle", user_id, one.id, invested, available, principal)?);
        lines.push(one);
    }
    if gain > Cents::ZERO {
        let one = line(Kind::Profit, gain, "Profit from");
        postings.push(Posting::transfer("trade_gain", user_id, one.id, pool, available, gain)?);
        lines.push(one);
    }
    if loss > Cents::ZERO {
        let posting = Posting::transfer("trade_loss", user_id, trade_id, invested, pool, loss)?;
        postings.push(Posting { transaction_id: None, ..posting });
    }
    Ok(Movement {
        user_id,
        guard: Some(Guard::Settle { trade_id, amount, value, at: now }),
        postings: postings.into_iter().map(|posting| posting.settling(trade_id)).collect(),
        lines,
        events: vec![published::trade_settled(trade_id, user_id)],
    })
}
