//! Corrections that two treasurers make: a bonus, its release, an adjustment.

use std::str::FromStr;

use chassis::money::Cents;
use serde::{Deserialize, Serialize};

use crate::domain::posting_kind::PostingKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    const ALL: [Self; 4] = [Self::Bonus, Self::Release, Self::AdjustmentCredit, Self::AdjustmentDebit];

    /// Its name, also as the kind of the proposal.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bonus => "bonus",
            Self::Release => "release",
            Self::AdjustmentCredit => "adjustment_credit",
            Self::AdjustmentDebit => "adjustment_debit",
        }
    }

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

impl FromStr for CorrectionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| format!("unknown correction: {text}"))
    }
}

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub kind: CorrectionKind,
    pub amount_cents: Cents,
    pub note: String,
}
