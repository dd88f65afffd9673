//! Corrections that two treasurers make: a bonus, its release, an adjustment.

use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::domain::posting_kind::PostingKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CorrectionKind {
    /// Grants a promotional bonus.
    Bonus,
    /// Releases bonus into the balance.
    Release,
    /// Adds to the balance.
    AdjustmentCredit,
    /// Takes from the balance.
    AdjustmentDebit,
}

impl CorrectionKind {
    /// The kind of its posting.
    #[must_use]
    pub const fn posting_kind(self) -> PostingKind {
        match self {
            Self::Bonus => PostingKind::Bonus,
            Self::Release => PostingKind::Release,
            Self::AdjustmentCredit => PostingKind::AdjustmentCredit,
            Self::AdjustmentDebit => PostingKind::AdjustmentDebit,
        }
    }
}

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub kind: CorrectionKind,
    pub amount_cents: Cents,
    pub note: String,
}
