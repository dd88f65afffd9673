//! What a member has.

use chassis::money::Cents;
use uuid::Uuid;

/// Balances and flags of one member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wallet {
    /// The member.
    pub user_id: Uuid,
    /// Free to spend.
    pub available: Cents,
    /// Held for the open withdrawal.
    pub held: Cents,
    /// Promotional.
    pub bonus: Cents,
    /// In open trades.
    pub invested: Cents,
    /// An open withdrawal exists.
    pub is_withdrawal_pending: bool,
    /// A course posting exists.
    pub has_purchased_course: bool,
    /// A payment for the course waits for review.
    pub is_course_payment_pending: bool,
}
