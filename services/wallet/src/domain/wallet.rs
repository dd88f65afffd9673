//! The wallet of a member.

use chassis::id::MemberId;
use chassis::money::Cents;

use crate::domain::hold::Hold;

/// Balances and flags of one member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wallet {
    pub user_id: MemberId,
    /// Free to spend.
    pub available: Cents,
    /// Held for the open withdrawal.
    pub held: Cents,
    pub bonus: Cents,
    /// In open trades.
    pub invested: Cents,
    /// Kept back by staff.
    pub on_hold: Cents,
    /// What they owe.
    pub owed: Cents,
    /// What is kept back, oldest first.
    pub holds: Vec<Hold>,
    /// An open withdrawal exists.
    pub is_withdrawal_pending: bool,
    /// A course posting exists.
    pub has_purchased_course: bool,
    /// A payment for the course waits for review.
    pub is_course_payment_pending: bool,
}

impl Wallet {
    /// Of a member who had no accounts yet.
    #[must_use]
    pub fn empty(user_id: MemberId) -> Self {
        Self {
            user_id,
            available: Cents::ZERO,
            held: Cents::ZERO,
            bonus: Cents::ZERO,
            invested: Cents::ZERO,
            on_hold: Cents::ZERO,
            owed: Cents::ZERO,
            holds: Vec::new(),
            is_withdrawal_pending: false,
            has_purchased_course: false,
            is_course_payment_pending: false,
        }
    }
}
