//! Refunds of the course: the price goes back to the balance, and access ends.

use chassis::id::TransactionId;
use chassis::money::Cents;
use serde::{Deserialize, Serialize};

/// The kind of the proposal.
pub const COURSE_REFUND: &str = "course_refund";

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourseRefund {
    /// The line of the purchase.
    pub transaction_id: TransactionId,
    /// Its reference, for people.
    pub reference: String,
    /// The posting of the purchase.
    pub reverses: i64,
    pub amount_cents: Cents,
    pub note: String,
}
