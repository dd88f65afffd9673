//! Holds: parts of a balance set aside by a reviewer, released by another person.

use chassis::id::{MemberId, StaffId};
use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;

chassis::id! {
    /// A part of a balance that staff keep back.
    HoldId,
}

/// Open holds of one member.
pub const HOLDS_MAX: usize = 20;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", const_into_str)]
pub enum HoldReason {
    /// Checks that the law asks for.
    Compliance,
    /// Somebody contests a payment.
    Dispute,
    Other,
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
    use strum::VariantArray;

    /// The document of the API lists every reason.
    #[test]
    fn the_document_lists_every_reason() {
        let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
        let names: Vec<_> = HoldReason::VARIANTS.iter().map(|reason| reason.into_str()).collect();
        assert_eq!(document["components"]["schemas"]["HoldReason"]["enum"], json!(names));
    }
}
