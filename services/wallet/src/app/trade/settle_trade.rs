//! For the service trade: pays out a trade. Principal and gain go to the balance; gains come from the cash of its
//! plan, losses go to it.

use chassis::db::{Db, retrying};
use chassis::id::{MemberId, PlanId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::treasury::collect_cash::collect_cash;
use crate::domain::account::{AccountRef, PlanAccount};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{Details, TradePart, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{Movement, Outcome, Posting, Precondition};
use crate::store::trade_fundings;

/// How often cash is brought for a settlement: another may have taken it.
const TRIES: u8 = 3;

/// Which trade, under which terms, at which value.
#[derive(Debug, Clone)]
pub struct SettleTrade {
    pub trade_id: TradeId,
    pub user_id: MemberId,
    pub amount: Cents,
    pub plan_id: PlanId,
    /// What is paid to the member; zero or more.
    pub value: Cents,
    /// For the descriptions.
    pub plan_title: String,
}

/// Settles a funded trade once; a repetition under the same terms changes nothing.
///
/// # Errors
/// `TradeNotFunded`, `TradeTermsDiffer`, `PlanCashShort`, Unavailable.
pub async fn settle_trade(ledger: &Ledger, command: &SettleTrade) -> Result<(), Error> {
    let mut outcome = ledger.apply(movement(command, ledger.now().await?)?).await?;
    let mut tries = if ledger.db().home().buckets.count == 1 { 0 } else { TRIES };
    while outcome == Outcome::PlanCashShort && tries > 0 {
        let is_there = has_cash(ledger.db(), command).await?;
        tries = if is_there { tries - 1 } else { 0 };
        // Also if it is not: a repetition of this call may have paid with it meanwhile.
        outcome = ledger.apply(movement(command, ledger.now().await?)?).await?;
    }
    match outcome {
        Outcome::TradeNotFunded => repeated(ledger.db(), command).await,
        outcome => outcome.into_result(),
    }
}

/// Whether the plan has the cash for a gain in other buckets: then it is brought here.
async fn has_cash(db: &Db, command: &SettleTrade) -> Result<bool, Error> {
    let gain = command.value.minus(command.amount)?;
    retrying(|| collect_cash(db, command.plan_id, gain)).await
}

/// Whether this is a repetition of what was done, or cannot be.
async fn repeated(db: &Db, command: &SettleTrade) -> Result<(), Error> {
    let known = trade_fundings::find(&mut *db.conn().await?, command.trade_id).await?.ok_or(Error::TradeNotFunded)?;
    if known.user_id != command.user_id || known.amount != command.amount {
        return Err(Error::TradeTermsDiffer);
    }
    match known.value {
        Some(value) if value == command.value => Ok(()),
        Some(_) => Err(Error::TradeTermsDiffer),
        None => Err(Error::TradeNotFunded),
    }
}

fn movement(command: &SettleTrade, now: OffsetDateTime) -> Result<Movement, Error> {
    let SettleTrade { trade_id, user_id, amount, plan_id, value, ref plan_title } = *command;
    let (available, invested) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let cash = AccountRef::Plan(plan_id, PlanAccount::Cash);
    let (principal, gain, loss) = if value > amount {
        (amount, value.minus(amount)?, Cents::ZERO)
    } else {
        (value, Cents::ZERO, amount.minus(value)?)
    };
    let line = |part: TradePart, amount: Cents, what: &str| {
        Transaction::done(user_id, Details::Trade { part, trade_id }, amount, now)
            .described(format!("{what} {plan_title}"))
    };
    let posting = |kind, way, amount| Posting::transfer(kind, Cause::Trade(trade_id), user_id, way, amount);
    let (mut postings, mut lines) = (Vec::new(), Vec::new());
    if principal > Cents::ZERO {
        let one = line(TradePart::Returned, principal, "Paid out from");
        postings.push(posting(PostingKind::TradeSettle, (invested, available), principal)?.shown_as(one.id));
        lines.push(one);
    }
    if gain > Cents::ZERO {
        let one = line(TradePart::Profit, gain, "Profit from");
        postings.push(posting(PostingKind::TradeGain, (cash, available), gain)?.shown_as(one.id));
        lines.push(one);
    }
    if loss > Cents::ZERO {
        postings.push(posting(PostingKind::TradeLoss, (invested, cash), loss)?);
    }
    Ok(Movement {
        user_id,
        precondition: Some(Precondition::TradeFunded { trade_id, amount, value, at: now }),
        postings,
        lines,
        events: vec![published::trade_settled(trade_id, user_id)],
    })
}
