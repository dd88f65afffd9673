//! Opens a trade (D-I3): range, then balance. A saga: the trade is written with the plan's terms and value, wallet
//! moves the amount, the trade is open.

use chassis::clock;
use chassis::db::{Db, PgConnection, retrying};
use chassis::error::Refusal;
use chassis::id::{MemberId, PlanId, TradeId};
use chassis::idempotency::{Answer, Claim, Work};
use chassis::money::Cents;
use uuid::Uuid;

use crate::app::fund_trade::{LEASE, fund_trade};
use crate::clients::Wallet;
use crate::domain::trade::{Status, Trade, maturity};
use crate::error::Error;
use crate::store::{plans, trades};

#[derive(Debug, Clone)]
pub struct CreateTrade {
    pub user_id: MemberId,
    pub plan_id: PlanId,
    pub amount: Cents,
}

/// The open trade, once a key. The key stands for the trade from its first transaction on, so that it shows what became
/// of it, no matter who finished it.
///
/// # Errors
/// `PlanNotFound`, `NoValue`, `AmountOutOfRange`, what wallet refuses, `InFlight`; Unavailable if wallet does not
/// answer: the trade is then finished later.
pub async fn create_trade(
    db: &Db,
    wallet: &Wallet,
    command: &CreateTrade,
    claim: Option<Claim>,
) -> Result<Answer<Trade>, Error> {
    match retrying(|| begin(db, command, claim.clone())).await? {
        Begun::Before(answer) => Ok(*answer),
        Begun::Now(id) => {
            chassis::crash_point!("trade.create.before_funding");
            let trade = fund_trade(db, wallet, id).await?;
            Ok(Answer { result: trade.as_opened(), replayed: None })
        }
    }
}

enum Begun {
    /// This call wrote the trade.
    Now(TradeId),
    /// An earlier call with the key did.
    Before(Box<Answer<Trade>>),
}

async fn begin(db: &Db, command: &CreateTrade, claim: Option<Claim>) -> Result<Begun, Error> {
    let mut work = Work::begin::<Error>(db, claim).await?;
    if let Some(Answer { result: id, replayed }) = work.replay::<TradeId, Error>()? {
        let result = outcome(&mut work, id, replayed.clone()).await?;
        return Ok(Begun::Before(Box::new(Answer { result, replayed })));
    }
    let result = decide(&mut work, command).await;
    Ok(Begun::Now(work.settle(result).await?.result))
}

/// Decides the terms and writes them down.
async fn decide(conn: &mut PgConnection, command: &CreateTrade) -> Result<TradeId, Error> {
    let now = clock::now(conn).await?;
    let plan =
        plans::get(conn, command.plan_id, now).await?.filter(|plan| plan.terms.active).ok_or(Error::PlanNotFound)?;
    let value = plan.value.ok_or(Error::NoValue)?;
    let terms = plan.terms;
    if !terms.allows(command.amount) {
        return Err(Error::AmountOutOfRange { min: terms.min, max: terms.max });
    }
    let trade = Trade {
        id: Uuid::now_v7().into(),
        user_id: command.user_id,
        plan_id: plan.id,
        plan_title: terms.title.clone(),
        roi_basis_points: terms.roi_basis_points,
        duration_days: terms.duration_days,
        plan_version: Some(plan.version),
        min_holding_days: terms.disclosure.min_holding_days,
        exit_fee_basis_points: terms.disclosure.exit_fee_basis_points,
        amount: command.amount,
        opening_value_micros: value.micros,
        value_in_force_micros: value.micros,
        seen_at: now,
        status: Status::Opening,
        settlement: None,
        created_at: now,
        matures_at: maturity(now, terms.duration_days),
        ended_at: None,
        cash_short_since: None,
    };
    trades::insert(conn, &trade, &terms, now + LEASE).await?;
    Ok(trade.id)
}

/// What became of the trade under a key that was used before.
async fn outcome(conn: &mut PgConnection, id: TradeId, replayed: Option<String>) -> Result<Trade, Error> {
    let now = clock::now(conn).await?;
    let trade = trades::get(conn, id, now).await?.ok_or(Error::TradeNotFound)?;
    match trade.status {
        Status::Opening => Err(Error::InFlight),
        Status::Failed => {
            let refusal = trades::refusal(conn, id).await?.ok_or(Error::TradeNotFound)?;
            Err(Error::Refused(Refusal { replayed: replayed.map(Into::into), ..refusal }))
        }
        _ => Ok(trade.as_opened()),
    }
}
