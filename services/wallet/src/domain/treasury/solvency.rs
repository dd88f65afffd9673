//! Whether what is held covers what members are owed.

use chassis::money::{AmountError, Cents};

/// What is owed to members beside what is held for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solvency {
    /// With the gains.
    pub owed: Cents,
    /// Gains of open trades that were not taken.
    pub gains: Cents,
    /// With the assets and what is stated.
    pub held: Cents,
    /// What plans own.
    pub assets: Cents,
    /// What is held where no chain shows it.
    pub stated: Cents,
    /// Whether what chains show is part of it.
    pub is_observed: bool,
}

impl Solvency {
    /// What is missing beyond this tolerance.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing(&self, tolerance: Cents) -> Result<Cents, AmountError> {
        let missing = self.owed.minus(self.held)?;
        Ok(if missing > tolerance { missing } else { Cents::ZERO })
    }
}
