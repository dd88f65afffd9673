//! Holds: parts of a balance set aside by a reviewer, released by another person.

use chassis::id::{MemberId, StaffId};
use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

chassis::id! {
    /// A part of a balance that staff keep back.
    HoldId,
}

/// Open holds of one member.
pub const HOLDS_MAX: usize = 20;

named! {
    HoldReason {
        /// Checks that the law asks for.
        Compliance = "COMPLIANCE",
        /// Somebody contests a payment.
        Dispute = "DISPUTE",
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    pub id: HoldId,
    pub user_id: MemberId,
    pub amount: Cents,
    pub reason: HoldReason,
    pub placed_by: StaffId,
    pub placed_at: OffsetDateTime,
    pub released_by: Option<StaffId>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::HoldReason;

    /// The document of the API lists every reason.
    #[test]
    fn the_document_lists_every_reason() {
        let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
        let names: Vec<_> = HoldReason::ALL.iter().map(|reason| reason.as_str()).collect();
        assert_eq!(document["components"]["schemas"]["HoldReason"]["enum"], json!(names));
    }
}
