//! Parts of a balance that staff keeps back: placed by a reviewer, released by somebody else.

use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// Open holds of one member.
pub const HOLDS_MAX: usize = 20;

named! {
    /// Why it is kept back.
    HoldReason {
        /// Checks that the law asks for.
        Compliance = "COMPLIANCE",
        /// Somebody contests a payment.
        Dispute = "DISPUTE",
        /// Anything else.
        Other = "OTHER",
    }
}

impl HoldReason {
    /// What the member reads.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Compliance => "We are completing checks that the law requires of us.",
            Self::Dispute => "A payment to your account is disputed.",
            Self::Other => "Our team is looking into your account. Please contact support.",
        }
    }
}

/// A hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Its id.
    pub id: Uuid,
    /// Whose balance.
    pub user_id: Uuid,
    /// How much.
    pub amount: Cents,
    /// Why.
    pub reason: HoldReason,
    /// Who placed it.
    pub placed_by: Uuid,
    /// When.
    pub placed_at: OffsetDateTime,
    /// Who released it.
    pub released_by: Option<Uuid>,
}
