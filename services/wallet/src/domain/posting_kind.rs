//! Kinds of postings and their causes, as in the table `posting_kinds`, which also says which accounts each moves.

use crate::domain::hold::HoldId;
use chassis::id::{MemberId, ProposalId, TradeId, TransactionId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

named! {
    PostingKind {
        Deposit = "deposit",
        /// The course was paid for, from outside or from the balance.
        Course = "course",
        /// A withdrawal was requested.
        WithdrawalHold = "withdrawal_hold",
        /// A withdrawal was paid.
        WithdrawalPaid = "withdrawal_paid",
        /// A withdrawal was rejected.
        WithdrawalRelease = "withdrawal_release",
        /// A withdrawal's fee was paid from outside.
        Fee = "fee",
        /// A fee paid from outside comes back: its withdrawal was rejected.
        FeeRefund = "fee_refund",
        /// A fee paid from outside arrived after its withdrawal had ended.
        FeeCredit = "fee_credit",
        /// A payment of the course arrived short, or over its price: what arrived, or the rest.
        CourseCredit = "course_credit",
        /// A trade was opened.
        TradeFund = "trade_fund",
        /// A trade paid its principal, or what is left of it.
        TradeSettle = "trade_settle",
        /// A trade paid a gain, from the cash of its plan.
        TradeGain = "trade_gain",
        /// A trade ended with a loss, which is cash of its plan.
        TradeLoss = "trade_loss",
        Bonus = "bonus",
        /// A bonus was released into the balance.
        Release = "release",
        /// A member closed the account, and with it gave up the bonus.
        BonusGivenUp = "bonus_given_up",
        /// A correction added to the balance.
        AdjustmentCredit = "adjustment_credit",
        /// A correction took from the balance.
        AdjustmentDebit = "adjustment_debit",
        /// What came from outside turned out wrong: the posting that it made is taken back.
        Reversal = "reversal",
        /// The course was refunded: its price is in the balance again.
        CourseRefund = "course_refund",
        /// Staff kept back a part of the balance.
        Hold = "hold",
        /// It was given back.
        HoldRelease = "hold_release",
        /// The operator paid in, or took out what is theirs.
        CapitalIn = "capital_in",
        CapitalOut = "capital_out",
        RevenueOut = "revenue_out",
        /// Paid out of what is held: to networks, or to nobody.
        NetworkFee = "network_fee",
        Loss = "loss",
        /// The operator's capital became cash of a plan, or was taken back.
        PlanFunded = "plan_funded",
        PlanReturned = "plan_returned",
        /// A plan bought something, sold it, or wrote it off.
        PlanBought = "plan_bought",
        PlanProceeds = "plan_proceeds",
        PlanLoss = "plan_loss",
        /// Between any two accounts: in tests and benchmarks, whose databases know this kind.
        Transfer = "transfer",
    }
}

/// What makes money move: it exists, is decided, and is of the amount moved; the database looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// None is asked for: with [`PostingKind::Transfer`].
    Unchecked(Uuid),
}

impl Cause {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transaction(_) => "transaction",
            Self::Purchase(_) => "purchase",
            Self::Trade(_) => "trade",
            Self::Proposal(_) => "proposal",
            Self::Hold(_) => "hold",
            Self::Closing(_) => "closing",
            Self::Unchecked(_) => "unchecked",
        }
    }

    /// The business id of its postings.
    #[must_use]
    pub const fn id(self) -> Uuid {
        match self {
            Self::Transaction(id) | Self::Purchase(id) => id.get(),
            Self::Trade(id) => id.get(),
            Self::Proposal(id) => id.get(),
            Self::Hold(id) => id.get(),
            Self::Closing(id) => id.get(),
            Self::Unchecked(id) => id,
        }
    }

    /// The line of the member's history that it is, if it is one.
    #[must_use]
    pub const fn transaction_id(self) -> Option<TransactionId> {
        match self {
            Self::Transaction(id) | Self::Purchase(id) => Some(id),
            Self::Trade(_) | Self::Proposal(_) | Self::Hold(_) | Self::Closing(_) | Self::Unchecked(_) => None,
        }
    }
}
