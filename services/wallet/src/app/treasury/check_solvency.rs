//! Compares what is owed to members with what is held for them (D-T4).

use chassis::db::Db;
use chassis::id::ProposalId;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::ledger::check_ledger::pause_withdrawals;
use crate::app::treasury::check_holdings::{Holdings, check_holdings};
use crate::app::treasury::get_backing;
use crate::clients::Chains;
use crate::domain::holding::AssetHolding;
use crate::domain::liabilities::{HeldAsset, HeldDocument, HeldForMembers};
use crate::domain::treasury::{Asset, Backing, Solvency, assets};
use crate::error::Error;
use crate::store::accounts::{self, Books};
use crate::store::ledger_checks::Fault;
use crate::store::treasury;

/// How much may be missing for what members are owed.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// So much may be missing before it is a fault.
    pub missing: Cents,
    /// More than this pauses withdrawals.
    pub pause: Cents,
}

/// What is owed, what is held, and what stands behind each plan.
#[derive(Debug, Clone)]
pub struct Found {
    pub solvency: Solvency,
    /// Beyond the tolerance.
    pub missing: Cents,
    pub plans: Vec<Backing>,
    /// What is held where no chain shows it.
    pub stated: Vec<Asset>,
}

/// Owed are the balances of members and the gains of open trades. Held is what the chains show at its rates and what documents
/// state; where not every asset is observed and rated, what the books say. What plans own comes to it.
pub async fn check_solvency(db: &Db, holdings: Option<&Holdings>, tolerance: Tolerance) -> Result<Found, Error> {
    let books = accounts::books(&mut *db.conn().await?).await?;
    compare(db, &books, holdings, tolerance).await
}

/// What is held now, as it is published.
pub async fn held_now(db: &Db, chains: &Chains, tolerance: Tolerance) -> Result<HeldForMembers, Error> {
    let holdings = match chains.holdings().await {
        Some(observed) => Some(check_holdings(db, observed).await?),
        None => None,
    };
    Ok(check_solvency(db, holdings.as_ref(), tolerance).await?.held(holdings.as_ref()))
}

/// The same with sums of the books that were read already: they are those of all members.
pub async fn compare(
    db: &Db,
    books: &Books,
    holdings: Option<&Holdings>,
    tolerance: Tolerance,
) -> Result<Found, Error> {
    let mut conn = db.conn().await?;
    let plans = get_backing::all(&mut conn).await?;
    let stated = assets(&treasury::of_subject(&mut conn, None, ProposalId::default()).await?)?;
    let solvency = sums(books, holdings, &plans, &stated)?;
    Ok(Found { missing: solvency.missing(tolerance.missing)?, solvency, plans, stated })
}

fn sums(books: &Books, holdings: Option<&Holdings>, plans: &[Backing], stated: &[Asset]) -> Result<Solvency, Error> {
    let add = |sum: Cents, next: Cents| sum.plus(next);
    let stated = stated.iter().map(|one| one.value).try_fold(Cents::ZERO, add)?;
    let (mut gains, mut of_plans) = (Cents::ZERO, Cents::ZERO);
    for plan in plans {
        of_plans = of_plans.plus(plan.value_of_assets()?)?;
        if let Some(open) = plan.open {
            gains = gains.plus(open.value.minus(open.cost)?.max(Cents::ZERO))?;
        }
    }
    let observed = holdings.and_then(Holdings::value);
    let there = match observed {
        Some(value) => value.plus(stated)?,
        None => books.holdings,
    };
    let owed = [books.available, books.held, books.on_hold, books.invested, books.bonus, gains];
    Ok(Solvency {
        owed: owed.into_iter().try_fold(Cents::ZERO, add)?,
        gains,
        held: there.plus(of_plans)?,
        assets: of_plans,
        stated,
        is_observed: observed.is_some(),
    })
}

impl Found {
    /// What staff has to look into, as the integrity report lists it.
    #[must_use]
    pub fn faults(&self, now: OffsetDateTime) -> Vec<Fault> {
        let short = (self.missing > Cents::ZERO).then(|| {
            let Solvency { owed, held, .. } = self.solvency;
            let detail = format!("Members are owed {owed}, and {held} is held for them.");
            fault("solvency".to_owned(), detail, now)
        });
        let unbacked = self.plans.iter().filter_map(|plan| {
            let missing = plan.missing_now().ok().filter(|missing| *missing > Cents::ZERO)?;
            let detail = format!("{missing} is missing for the open trades of {} at their value.", plan.title);
            Some(fault(plan.plan_id.to_string(), detail, plan.open?.at))
        });
        short.into_iter().chain(unbacked).collect()
    }

    /// What was held, as it is published.
    #[must_use]
    pub fn held(&self, holdings: Option<&Holdings>) -> HeldForMembers {
        let document = |asset: &Asset, plan: Option<&str>| HeldDocument {
            name: asset.name.clone(),
            plan: plan.map(str::to_owned),
            proof: asset.proof.clone(),
            issuer: asset.issuer.clone(),
            proven_at: asset.proven_at,
            value_cents: asset.value,
        };
        let stated = self.stated.iter().map(|asset| document(asset, None));
        let of_plans =
            self.plans.iter().flat_map(|plan| plan.assets.iter().map(|asset| document(asset, Some(&plan.title))));
        let chains = holdings.iter().flat_map(|found| &found.assets);
        HeldForMembers {
            total_cents: self.solvency.held,
            assets_cents: self.solvency.assets,
            stated_cents: self.solvency.stated,
            is_observed: self.solvency.is_observed,
            chains: chains.map(|(one, comparison)| held_asset(one, comparison.is_some())).collect(),
            addresses: holdings.map(|found| found.shared.clone()).unwrap_or_default(),
            documents: stated.chain(of_plans).collect(),
        }
    }

    /// Updates the metrics, in whole dollars.
    pub fn record_metrics(&self) {
        let dollars = |cents: Cents| i32::try_from(cents.get() / 100).unwrap_or(i32::MAX);
        metrics::gauge!("solvency_dollars", "sum" => "owed").set(dollars(self.solvency.owed));
        metrics::gauge!("solvency_dollars", "sum" => "held").set(dollars(self.solvency.held));
        metrics::gauge!("solvency_dollars", "sum" => "missing").set(dollars(self.missing));
        let unbacked = self.plans.iter().filter(|plan| plan.missing_now().is_ok_and(|missing| missing > Cents::ZERO));
        metrics::gauge!("plans_unbacked").set(u32::try_from(unbacked.count()).unwrap_or(u32::MAX));
    }
}

fn held_asset(one: &AssetHolding, is_known: bool) -> HeldAsset {
    HeldAsset {
        chain: one.chain.clone(),
        asset: one.asset.clone(),
        decimals: one.decimals,
        units: one.sums.filter(|_| is_known).map(|(units, _)| units.to_string()),
        rate_micros: one.rate.map(|(micros, _)| micros),
        rate_at: one.rate.map(|(_, at)| at),
        value_cents: one.value_cents.filter(|_| is_known),
    }
}

/// Pauses withdrawals if more is missing than is tolerated.
pub async fn pause_if_short(db: &Db, found: &Found, tolerance: Tolerance) -> Result<(), Error> {
    if found.missing <= tolerance.pause {
        return Ok(());
    }
    pause(db, &format!("{} is missing for what members are owed.", found.missing)).await
}

/// Pauses withdrawals if more left without an explanation than is tolerated.
pub async fn pause_if_drained(db: &Db, holdings: &Holdings, tolerance: Tolerance) -> Result<(), Error> {
    let left = holdings.unexplained;
    if left <= tolerance.pause {
        return Ok(());
    }
    pause(db, &format!("{left} left the platform, and no withdrawal or treasury movement accounts for it.")).await
}

async fn pause(db: &Db, reason: &str) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    pause_withdrawals(&mut tx, reason).await?;
    tx.commit().await?;
    Ok(())
}

fn fault(subject_id: String, detail: String, found_at: OffsetDateTime) -> Fault {
    Fault { subject: "holding".to_owned(), subject_id, detail, drift_cents: 0, found_at }
}
