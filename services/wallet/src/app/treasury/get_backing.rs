//! What stands behind plans: their cash, and their assets at the last proven value.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{PlanId, ProposalId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::treasury::{Backing, OpenTrades, assets};
use crate::error::Error;
use crate::store::treasury;

/// That of a plan. One that is not known has nothing.
pub async fn get_backing(db: &Db, plan_id: PlanId) -> Result<Backing, Error> {
    backing(&mut *db.conn().await?, plan_id, ProposalId::default()).await
}

/// The same within a transaction that decides a movement: without that one.
pub async fn backing(conn: &mut PgConnection, plan_id: PlanId, without: ProposalId) -> Result<Backing, Error> {
    let (title, open) = treasury::open_trades(conn, plan_id).await?.unzip();
    let title = match title {
        Some(title) => title,
        None => treasury::title_of(conn, plan_id).await?.unwrap_or_default(),
    };
    Ok(Backing {
        plan_id,
        title,
        cash: treasury::plan_cash(conn, plan_id).await?,
        assets: assets(&treasury::of_subject(conn, Some(plan_id), without).await?)?,
        open,
    })
}

/// That of every plan.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Backing>, Error> {
    let mut all = Vec::new();
    for plan_id in treasury::plans(conn).await? {
        all.push(backing(conn, plan_id, ProposalId::default()).await?);
    }
    Ok(all)
}

/// Whether a plan stays backed with open trades of this cost and value.
///
/// # Errors
/// `NotBacked` with what is missing.
pub async fn check_backing(db: &Db, plan_id: PlanId, cost: Cents, value: Cents) -> Result<(), Error> {
    let missing = get_backing(db, plan_id).await?.missing(cost, value)?;
    if missing > Cents::ZERO { Err(Error::NotBacked(missing)) } else { Ok(()) }
}

/// What the open trades of a plan cost and are worth.
#[derive(Debug, Clone)]
pub struct PlanValue {
    pub plan_id: PlanId,
    pub title: String,
    pub cost: Cents,
    pub value: Cents,
    /// The moment of its newest value.
    pub value_at: Option<OffsetDateTime>,
}

/// Notes what trade says of all plans. Returns up to which value of each plan the gains of its trades are known.
///
/// A report is as old as its reading: one that was long on its way says nothing of values that came into force meanwhile.
pub async fn report_plans(
    db: &Db,
    plans: &[PlanValue],
    read_at: OffsetDateTime,
) -> Result<Vec<(PlanId, Option<OffsetDateTime>)>, Error> {
    let mut tx = db.begin().await?;
    let at = clock::now(&mut tx).await?.min(read_at);
    for PlanValue { plan_id, title, cost, value, value_at } in plans {
        treasury::report(&mut tx, (*plan_id, title), OpenTrades { cost: *cost, value: *value, at }, *value_at).await?;
    }
    let known = treasury::known_gains(&mut tx).await?;
    tx.commit().await?;
    Ok(known)
}

/// Gains of the open trades of a plan at one of its values.
#[derive(Debug, Clone)]
pub struct Gains {
    pub plan_id: PlanId,
    /// The moment of the value.
    pub value_at: OffsetDateTime,
    /// By trade.
    pub gains: Vec<(TradeId, Cents)>,
    /// Whether nothing follows at this value.
    pub is_last: bool,
}

/// Notes a page of gains for the proof of liabilities. With the last one, those of older values do not count any more.
pub async fn report_gains(db: &Db, page: &Gains) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    treasury::note_gains(&mut tx, page.plan_id, page.value_at, &page.gains).await?;
    if page.is_last {
        treasury::complete_gains(&mut tx, page.plan_id, page.value_at).await?;
    }
    tx.commit().await?;
    Ok(())
}
