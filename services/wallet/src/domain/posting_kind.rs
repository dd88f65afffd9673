//! Kinds of postings and their causes, as in the table `posting_kinds`, which also says which accounts each moves.

use crate::domain::hold::HoldId;
use chassis::id::{MemberId, ProposalId, TradeId, TransactionId};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PostingKind {
    Deposit,
    /// The course was paid for, from outside or from the balance.
    Course,
    /// A withdrawal was requested.
    WithdrawalHold,
    /// A withdrawal was paid.
    WithdrawalPaid,
    /// A withdrawal was rejected.
    WithdrawalRelease,
    /// A withdrawal's fee was paid from outside.
    Fee,
    /// A fee paid from outside comes back: its withdrawal was rejected.
    FeeRefund,
    /// A fee paid from outside arrived after its withdrawal had ended.
    FeeCredit,
    /// A payment of the course arrived short, or over its price: what arrived, or the rest.
    CourseCredit,
    /// A trade was opened.
    TradeFund,
    /// A trade paid its principal, or what is left of it.
    TradeSettle,
    /// A trade paid a gain, from the cash of its plan.
    TradeGain,
    /// A trade ended with a loss, which is cash of its plan.
    TradeLoss,
    Bonus,
    /// A bonus was released into the balance.
    Release,
    /// A member closed the account, and with it gave up the bonus.
    BonusGivenUp,
    /// A correction added to the balance.
    AdjustmentCredit,
    /// A correction took from the balance.
    AdjustmentDebit,
    /// What came from outside turned out wrong: the posting that it made is taken back.
    Reversal,
    /// The course was refunded: its price is in the balance again.
    CourseRefund,
    /// Staff kept back a part of the balance.
    Hold,
    /// It was given back.
    HoldRelease,
    /// The operator paid in, or took out what is theirs.
    CapitalIn,
    CapitalOut,
    RevenueOut,
    /// Paid out of what is held: to networks, or to nobody.
    NetworkFee,
    Loss,
    /// The operator's capital became cash of a plan, or was taken back.
    PlanFunded,
    PlanReturned,
    /// A plan bought something, sold it, or wrote it off.
    PlanBought,
    PlanProceeds,
    PlanLoss,
    /// Cash of a plan went to another bucket, or came from one.
    CashOut,
    CashIn,
    /// Between any two accounts: in tests and benchmarks, whose databases know this kind.
    Transfer,
}

/// What makes money move: it exists, is decided, and is of the amount moved; the database looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Cause {
    /// A transaction of the member in the status that the posting's kind needs.
    Transaction(TransactionId),
    /// A purchase from the balance: a transaction that is done as it is made.
    Purchase(TransactionId),
    /// The funding or settlement of a trade.
    Trade(TradeId),
    /// A confirmed proposal.
    Proposal(ProposalId),
    /// A hold that staff placed, or released.
    Hold(HoldId),
    /// The closing of the wallet of this member.
    Closing(MemberId),
    /// A transfer of a plan's cash between two buckets.
    CashTransfer(Uuid),
    /// None is asked for: with [`PostingKind::Transfer`].
    Unchecked(Uuid),
}

impl Cause {
    /// The business id of its postings.
    #[must_use]
    pub const fn id(self) -> Uuid {
        match self {
            Self::Transaction(id) | Self::Purchase(id) => id.get(),
            Self::Trade(id) => id.get(),
            Self::Proposal(id) => id.get(),
            Self::Hold(id) => id.get(),
            Self::Closing(id) => id.get(),
            Self::CashTransfer(id) | Self::Unchecked(id) => id,
        }
    }

    /// The line of the member's history that it is, if it is one.
    #[must_use]
    pub const fn transaction_id(self) -> Option<TransactionId> {
        match self {
            Self::Transaction(id) | Self::Purchase(id) => Some(id),
            Self::Trade(_)
            | Self::Proposal(_)
            | Self::Hold(_)
            | Self::Closing(_)
            | Self::CashTransfer(_)
            | Self::Unchecked(_) => None,
        }
    }
}
