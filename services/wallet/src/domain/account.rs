//! Accounts of the ledger.

use chassis::id::{MemberId, PlanId};
use serde::{Deserialize, Serialize};

/// The accounts of a member. The first four are there from the start, the others from their first need on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberAccount {
    /// Free to spend.
    Available,
    /// Held for the open withdrawal.
    Held,
    /// Promotional; not spendable until staff releases it.
    Bonus,
    /// In open trades.
    Invested,
    /// Kept back by staff.
    OnHold,
    /// Below zero by what the member owes; the database moves it, together with the free balance.
    Owed,
}

impl MemberAccount {
    /// Every one; available first, so that it has the lowest id and locking it first keeps the order.
    pub const ALL: [Self; 6] = [Self::Available, Self::Held, Self::Bonus, Self::Invested, Self::OnHold, Self::Owed];

    /// Its name in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Held => "held",
            Self::Bonus => "bonus",
            Self::Invested => "invested",
            Self::OnHold => "on_hold",
            Self::Owed => "owed",
        }
    }
}

named! {
    /// The accounts of a plan, from its first need on.
    PlanAccount {
        /// Pays gains and takes losses; never below zero.
        Cash = "plan_cash",
        /// Minus what its assets cost.
        Assets = "plan_assets",
    }
}

named! {
    /// The accounts of the house, by their kind in the ledger.
    HouseAccount {
        /// Minus what the platform holds.
        Settlement = "settlement",
        /// What courses brought in.
        CourseRevenue = "course_revenue",
        /// What fees of withdrawals brought in.
        FeeRevenue = "fee_revenue",
        /// Paid gains and took losses before plans had cash of their own.
        InvestmentPool = "investment_pool",
        /// What bonuses cost.
        BonusExpense = "bonus_expense",
        /// The other side of corrections.
        Adjustments = "adjustments",
        /// What the operator put in.
        Capital = "capital",
        /// Minus what networks charged.
        NetworkFees = "network_fees",
    }
}

impl HouseAccount {
    /// The id its row was made with.
    #[must_use]
    pub const fn id(self) -> i64 {
        4_000_000_000_000_000_001 + self as i64
    }
}

/// An account that a posting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountRef {
    Member(MemberId, MemberAccount),
    Plan(PlanId, PlanAccount),
    House(HouseAccount),
}

impl AccountRef {
    #[must_use]
    pub const fn available(user_id: MemberId) -> Self {
        Self::Member(user_id, MemberAccount::Available)
    }

    #[must_use]
    pub const fn held(user_id: MemberId) -> Self {
        Self::Member(user_id, MemberAccount::Held)
    }

    #[must_use]
    pub const fn bonus(user_id: MemberId) -> Self {
        Self::Member(user_id, MemberAccount::Bonus)
    }

    /// What staff keeps back of a member's.
    #[must_use]
    pub const fn on_hold(user_id: MemberId) -> Self {
        Self::Member(user_id, MemberAccount::OnHold)
    }

    /// What a member has in trades.
    #[must_use]
    pub const fn invested(user_id: MemberId) -> Self {
        Self::Member(user_id, MemberAccount::Invested)
    }
}
