//! The change of one use case, its precondition, and its outcome.

use chassis::error::Refusal;
use chassis::id::{MemberId, TradeId, TransactionId};
use chassis::money::Cents;
use chassis::outbox::Unsent;
use time::OffsetDateTime;

use crate::domain::account::AccountRef;
use crate::domain::limits::{Allowance, Rest};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::Transaction;
use crate::error::Error;

/// Money that moves at once.
#[derive(Debug, Clone)]
pub struct Posting {
    pub kind: PostingKind,
    /// By what; with the kind, posted once.
    pub cause: Cause,
    pub user_id: MemberId,
    /// The line of the member's history it belongs to.
    pub transaction_id: Option<TransactionId>,
    /// What each account gains; sums to zero, no account twice.
    pub entries: Vec<(AccountRef, Cents)>,
}

impl Posting {
    /// Moves an amount from one account to another. It belongs to the line that is its cause, if a line is.
    ///
    /// # Errors
    /// If the amount cannot be negated.
    pub fn transfer(
        kind: PostingKind,
        cause: Cause,
        user_id: MemberId,
        (from, to): (AccountRef, AccountRef),
        amount: Cents,
    ) -> Result<Self, Error> {
        let entries = vec![(from, amount.negated()?), (to, amount)];
        Ok(Self { kind, cause, user_id, transaction_id: cause.transaction_id(), entries })
    }

    /// The same as part of another line.
    #[must_use]
    pub fn shown_as(self, transaction_id: TransactionId) -> Self {
        Self { transaction_id: Some(transaction_id), ..self }
    }
}

/// What must hold for a movement, looked up while the member is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precondition {
    /// No other withdrawal of the member is open, and with this one they keep within every allowance.
    WithdrawalAllowed {
        /// The gross amount.
        amount: Cents,
        /// Less takes the whole balance, and is the first such withdrawal within 30 days.
        min: Cents,
        /// What the withdrawals of a period may come to.
        allowances: [Allowance; 2],
        at: OffsetDateTime,
    },
    /// The member neither owns the course nor has a payment for it in review.
    NoCourse,
    /// Nothing is known of this trade yet: it is funded, or noted as refused for want of balance.
    TradeUnknown { trade_id: TradeId, amount: Cents, at: OffsetDateTime },
    /// This trade is funded and not settled: it is settled.
    TradeFunded {
        trade_id: TradeId,
        /// With how much it was funded.
        amount: Cents,
        /// What it pays.
        value: Cents,
        at: OffsetDateTime,
    },
}

impl Precondition {
    /// Whether the movement needs money of the member's, who then must owe nothing.
    pub(super) const fn spends(self) -> bool {
        !matches!(self, Self::TradeFunded { .. })
    }
}

/// What a use case changes at once.
#[derive(Debug, Clone, Default)]
pub struct Movement {
    pub user_id: MemberId,
    pub precondition: Option<Precondition>,
    /// What moves; at least one.
    pub postings: Vec<Posting>,
    /// New lines of the member's history; none has a receipt.
    pub lines: Vec<Transaction>,
    pub events: Vec<Unsent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// All of it is there.
    Applied,
    /// Nothing changed: its key was used, or is being used.
    KeyUsed,
    /// Nothing changed: an account of a member would have fallen below zero.
    InsufficientFunds,
    /// Nothing changed: an account has not been made yet.
    AccountMissing,
    /// Nothing changed: an account is locked by another transaction.
    Busy,
    /// Nothing changed: the member has an open withdrawal.
    WithdrawalPending,
    /// Nothing changed: the member would withdraw more within a period than is allowed.
    LimitReached,
    /// Nothing changed: less than the minimum would be withdrawn, and not the whole balance, or again within a period.
    BelowMinimum,
    /// Nothing changed: the cash of a plan would have fallen below zero.
    PlanCashShort,
    /// Nothing changed: the member owns the course.
    CourseOwned,
    /// Nothing changed: a payment for the course is in review.
    CoursePaymentPending,
    /// Nothing changed: the trade is known, under any terms.
    TradeKnown,
    /// Nothing changed: the trade is not funded under these terms, or settled.
    TradeNotFunded,
    /// Nothing changed: the member owes something.
    AmountOwed,
}

impl Outcome {
    /// What the member reads.
    ///
    /// # Errors
    /// Unless it was applied.
    pub fn into_result(self) -> Result<(), Error> {
        match self {
            Self::Applied => Ok(()),
            Self::InsufficientFunds => Err(Error::InsufficientBalance),
            Self::AccountMissing => Err(Error::AccountMissing),
            Self::Busy => Err(Error::Refused(Refusal::unavailable())),
            Self::WithdrawalPending => Err(Error::WithdrawalPending),
            Self::LimitReached => Err(Error::LimitReached(Rest::default())),
            Self::BelowMinimum => {
                let sentence = "Less than the minimum can be withdrawn once in 30 days, and only as the whole balance.";
                Err(Error::Refused(Refusal::field("amount", sentence)))
            }
            Self::CourseOwned => Err(Error::CourseAlreadyPurchased),
            Self::CoursePaymentPending => Err(Error::CoursePaymentPending),
            Self::TradeNotFunded => Err(Error::TradeNotFunded),
            Self::AmountOwed => Err(Error::AmountOwed),
            Self::PlanCashShort => Err(Error::PlanCashShort),
            Self::KeyUsed | Self::TradeKnown => Err(Error::AlreadyPosted),
        }
    }
}

impl Movement {
    /// The accounts that it locks, some of them more than once. What a precondition looks at changes only while the
    /// member's free balance is locked.
    pub(super) fn accounts(&self) -> impl Iterator<Item = AccountRef> + Clone + '_ {
        let looked_at = self.precondition.map(|_| AccountRef::available(self.user_id));
        self.postings.iter().flat_map(|posting| posting.entries.iter().map(|entry| entry.0)).chain(looked_at)
    }

    pub(super) fn count(&self) {
        for posting in &self.postings {
            let moved: u64 = posting.entries.iter().filter_map(|(_, cents)| u64::try_from(cents.get()).ok()).sum();
            metrics::counter!("postings_total", "kind" => posting.kind.into_str()).increment(1);
            metrics::counter!("posted_cents_total", "kind" => posting.kind.into_str()).increment(moved);
        }
    }
}
