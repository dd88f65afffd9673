//! Reports to wallet what the open trades of each plan cost and are worth, so that it compares what is owed with what is held, and what
//! each of them gained, for the proof of liabilities.

use chassis::id::{PlanId, TradeId};
use std::time::{Duration, Instant};

use chassis::clock;
use chassis::db::Db;
use chassis::money::Cents;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::clients::Wallet;
use crate::error::Error;
use crate::store::open_trades;

/// How often, unless the sums take long.
const EVERY: Duration = Duration::from_secs(60);
/// The sums take at most 1/N of the time.
const SHARE: u32 = 20;
/// Trades a page of gains.
const PAGE: i64 = 5_000;

/// Reports every minute until shutdown.
///
/// # Errors
/// None: what fails is tried again.
pub async fn run(db: Db, wallet: Wallet, shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        let began = Instant::now();
        if let Err(error) = report_plans(&db, &wallet).await {
            tracing::warn!(%error, "open trades were not reported");
        }
        let pause = EVERY.max(began.elapsed().saturating_mul(SHARE));
        if shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return Ok(());
        }
    }
}

/// Reports once.
///
/// # Errors
/// Unavailable if wallet does not answer.
pub async fn report_plans(db: &Db, wallet: &Wallet) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let plans = open_trades::of_all_plans(&mut conn, now).await?;
    drop(conn);
    let values: Vec<_> = plans.iter().filter_map(|plan| Some((plan.plan_id, plan.value_at?))).collect();
    let known = wallet.report_plans(plans, now).await?;
    for (plan_id, at) in values {
        if known.get(&plan_id).is_none_or(|known| *known < at) {
            report_gains(db, wallet, (plan_id, at)).await?;
        }
    }
    Ok(())
}

/// Reports what each live trade of a plan gained at its newest value: gains change with values alone, and wallet knows which
/// trades have ended since.
async fn report_gains(db: &Db, wallet: &Wallet, value: (PlanId, OffsetDateTime)) -> Result<(), Error> {
    let mut after = TradeId::default();
    loop {
        let mut conn = db.conn().await?;
        let mut page = open_trades::gains_of(&mut conn, value.0, value.1, after, PAGE).await?;
        drop(conn);
        let is_last = page.len() < PAGE as usize;
        after = page.last().map_or(after, |(id, _)| *id);
        page.retain(|(_, gain)| *gain > Cents::ZERO);
        wallet.report_gains(value, &page, is_last).await?;
        if is_last {
            return Ok(());
        }
    }
}
