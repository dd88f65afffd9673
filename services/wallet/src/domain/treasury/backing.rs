//! What stands behind a plan: its cash, and what movements left of its assets.

use chassis::id::PlanId;
use std::collections::BTreeMap;

use chassis::money::{AmountError, Cents};
use time::OffsetDateTime;

use crate::domain::treasury::{Confirmed, MovementKind};

/// Something that is owned or held elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub name: String,
    /// What it cost.
    pub book: Cents,
    /// Its last proven value.
    pub value: Cents,
    pub proven_at: OffsetDateTime,
    /// What proves it.
    pub proof: String,
    pub issuer: String,
}

/// What movements, oldest first, left of each asset, by name.
///
/// # Errors
/// If the amounts do not fit.
pub fn assets(movements: &[Confirmed]) -> Result<Vec<Asset>, AmountError> {
    let mut assets: BTreeMap<&str, Asset> = BTreeMap::new();
    for Confirmed { kind, movement, at } in movements {
        let Some(name) = movement.asset.as_deref() else { continue };
        let document = movement.document.as_ref();
        let payment = movement.payment.as_ref().map(|payment| payment.txid.clone());
        let asset = assets.entry(name).or_insert_with(|| Asset {
            name: name.to_owned(),
            book: Cents::ZERO,
            value: Cents::ZERO,
            proven_at: *at,
            proof: String::new(),
            issuer: String::new(),
        });
        let amount = movement.amount_cents;
        (asset.book, asset.value) = match kind {
            MovementKind::PlanBought => (asset.book.plus(amount)?, asset.value.plus(amount)?),
            MovementKind::PlanProceeds => {
                let book = asset.book.minus(movement.book_cents.unwrap_or_default())?;
                (book, asset.value.minus(amount)?.max(Cents::ZERO))
            }
            MovementKind::PlanLoss => {
                let book = asset.book.minus(amount)?;
                (book, asset.value.min(book))
            }
            _ => (asset.book, amount),
        };
        asset.proven_at = document.map_or(*at, |document| document.at);
        asset.proof = document.map(|document| document.name.clone()).or(payment).unwrap_or_default();
        asset.issuer = document.map(|document| document.issuer.clone()).unwrap_or_default();
    }
    let is_there = |asset: &Asset| asset.book != Cents::ZERO || asset.value != Cents::ZERO;
    Ok(assets.into_values().filter(is_there).collect())
}

/// What stands behind a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backing {
    pub plan_id: PlanId,
    pub title: String,
    pub cash: Cents,
    pub assets: Vec<Asset>,
    /// What its open trades cost and are worth, and when trade said so.
    pub open: Option<OpenTrades>,
}

/// All open trades of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenTrades {
    pub cost: Cents,
    pub value: Cents,
    pub at: OffsetDateTime,
}

impl Backing {
    /// What the plan's assets are worth.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn value_of_assets(&self) -> Result<Cents, AmountError> {
        self.assets.iter().try_fold(Cents::ZERO, |sum, asset| sum.plus(asset.value))
    }

    fn book_of_assets(&self) -> Result<Cents, AmountError> {
        self.assets.iter().try_fold(Cents::ZERO, |sum, asset| sum.plus(asset.book))
    }

    /// What is missing for open trades of this cost and value: their cost is there as cash or as what was bought with it, and the
    /// rest has to come from the plan's cash and from what its assets are worth beyond their cost.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing(&self, cost: Cents, value: Cents) -> Result<Cents, AmountError> {
        let there = cost.plus(self.cash)?.plus(self.value_of_assets()?)?.minus(self.book_of_assets()?)?;
        Ok(value.minus(there)?.max(Cents::ZERO))
    }

    /// What is missing for the open trades as they are.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing_now(&self) -> Result<Cents, AmountError> {
        self.open.map_or(Ok(Cents::ZERO), |open| self.missing(open.cost, open.value))
    }

    /// What the plan may still buy assets with: what members put in, and its own cash, without what was spent on assets.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn to_spend(&self) -> Result<Cents, AmountError> {
        let cost = self.open.map_or(Cents::ZERO, |open| open.cost);
        cost.plus(self.cash)?.minus(self.book_of_assets()?)
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;

    use crate::domain::treasury::tests::moved;
    use crate::domain::treasury::{Backing, Confirmed, MovementKind, assets};

    fn left(movements: &[Confirmed]) -> Vec<(i64, i64)> {
        let assets = assets(movements).expect("small amounts");
        assets.iter().map(|asset| (asset.book.get(), asset.value.get())).collect()
    }

    /// D-T1, D-T3: an asset counts at its last proven value, and a loss is written off once.
    #[test]
    fn assets_are_what_movements_leave() {
        let bought = moved(MovementKind::PlanBought, 10_000, None);
        let valued = moved(MovementKind::PlanValued, 13_000, None);
        assert_eq!(left(&[bought.clone(), valued.clone()]), [(10_000, 13_000)]);
        let half = moved(MovementKind::PlanProceeds, 6_500, Some(6_500));
        assert_eq!(left(&[bought.clone(), valued.clone(), half]), [(3_500, 6_500)]);
        let all = moved(MovementKind::PlanProceeds, 13_000, Some(10_000));
        assert_eq!(left(&[bought.clone(), valued.clone(), all]), []);
        let cheap = moved(MovementKind::PlanProceeds, 8_000, Some(8_000));
        let lost = moved(MovementKind::PlanLoss, 2_000, None);
        assert_eq!(left(&[bought, valued, cheap, lost]), []);
    }

    /// D-T3: the cost of trades is there, and what they gained has to come from cash or from what assets gained.
    #[test]
    fn gains_need_cash_or_assets() {
        let backed = |cash: i64, movements: &[Confirmed]| Backing {
            cash: Cents::new(cash),
            assets: assets(movements).expect("small amounts"),
            ..Backing::default()
        };
        let missing = |one: &Backing| one.missing(Cents::new(10_000), Cents::new(15_000)).expect("small amounts").get();
        assert_eq!(missing(&backed(0, &[])), 5_000);
        assert_eq!(missing(&backed(5_000, &[])), 0);
        let bought = moved(MovementKind::PlanBought, 10_000, None);
        assert_eq!(missing(&backed(1_000, std::slice::from_ref(&bought))), 4_000);
        assert_eq!(missing(&backed(1_000, &[bought.clone(), moved(MovementKind::PlanValued, 14_000, None)])), 0);
        assert_eq!(missing(&backed(1_000, &[bought, moved(MovementKind::PlanValued, 9_000, None)])), 5_000);
    }
}
