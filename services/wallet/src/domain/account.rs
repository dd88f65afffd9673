//! Accounts of the ledger.

use chassis::id::{MemberId, PlanId};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The accounts of a member. The first four are there from the start, the others from their first need on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
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

/// The accounts of a plan, from its first need on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PlanAccount {
    /// Pays gains and takes losses; never below zero.
    #[sqlx(rename = "plan_cash")]
    #[strum(serialize = "plan_cash")]
    Cash,
    /// Minus what its assets cost.
    #[sqlx(rename = "plan_assets")]
    #[strum(serialize = "plan_assets")]
    Assets,
}

/// The accounts of the house, by their kind in the ledger.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum HouseAccount {
    /// Minus what the platform holds.
    Settlement,
    /// What courses brought in.
    CourseRevenue,
    /// What fees of withdrawals brought in.
    FeeRevenue,
    /// Paid gains and took losses before plans had cash of their own.
    InvestmentPool,
    /// What bonuses cost.
    BonusExpense,
    /// The other side of corrections.
    Adjustments,
    /// What the operator put in.
    Capital,
    /// Minus what networks charged.
    NetworkFees,
    /// Cash of plans that goes from one bucket to another; zero over all buckets.
    Transit,
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
