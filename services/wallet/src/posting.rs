//! The posting engine: the only way by which money moves.
//!
//! A posting is a set of entries that sum to zero, with one cause. A movement is what one use case changes at once:
//! postings, the lines and trades they belong to, the events that tell of them. The database's function `post_movements`
//! (`sql/10_ledger.sql`) applies any number of movements in one statement, and is the one place for every rule that is
//! decided under a lock. It runs in a use case's transaction ([`Movement::apply`], [`post`]) or, for many use cases at
//! once, as a transaction of its own ([`ledger`]): [`queue`] says which movements go into the next commit, [`writer`]
//! commits, [`clock`] knows the time.

pub mod ledger;

mod clock;

mod encode;

mod queue;

mod writer;

use chassis::db::PgConnection;
use chassis::money::Cents;
use chassis::outbox::Unsent;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::domain::limits::{Allowance, Rest};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::posting::encode::{Locks, Rows};
use crate::store::withdrawals;

/// Money that moves at once.
#[derive(Debug, Clone)]
pub struct Posting {
    /// Why.
    pub kind: PostingKind,
    /// By what; with the kind, posted once.
    pub cause: Cause,
    /// The member concerned.
    pub user_id: Uuid,
    /// The line of the member's history it belongs to.
    pub transaction_id: Option<Uuid>,
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
        user_id: Uuid,
        (from, to): (AccountRef, AccountRef),
        amount: Cents,
    ) -> Result<Self, Error> {
        let entries = vec![(from, amount.negated()?), (to, amount)];
        Ok(Self { kind, cause, user_id, transaction_id: cause.transaction_id(), entries })
    }

    /// The same as part of another line.
    #[must_use]
    pub fn shown_as(self, transaction_id: Uuid) -> Self {
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
        /// What the withdrawals of a period may come to.
        allowances: [Allowance; 2],
        /// When.
        at: OffsetDateTime,
    },
    /// The member neither owns the course nor has a payment for it in review.
    NoCourse,
    /// Nothing is known of this trade yet: it is funded, or noted as refused for want of balance.
    TradeUnknown {
        /// The trade.
        trade_id: Uuid,
        /// With how much.
        amount: Cents,
        /// When.
        at: OffsetDateTime,
    },
    /// This trade is funded and not settled: it is settled.
    TradeFunded {
        /// The trade.
        trade_id: Uuid,
        /// With how much it was funded.
        amount: Cents,
        /// What it pays.
        value: Cents,
        /// When.
        at: OffsetDateTime,
    },
}

impl Precondition {
    /// Whether the movement needs money of the member's, who then must owe nothing.
    const fn spends(self) -> bool {
        !matches!(self, Self::TradeFunded { .. })
    }
}

/// What a use case changes at once.
#[derive(Debug, Clone, Default)]
pub struct Movement {
    /// The member concerned.
    pub user_id: Uuid,
    /// Under which condition.
    pub precondition: Option<Precondition>,
    /// What moves; at least one.
    pub postings: Vec<Posting>,
    /// New lines of the member's history; none has a receipt.
    pub lines: Vec<Transaction>,
    /// What tells of it.
    pub events: Vec<Unsent>,
}

/// What became of a movement.
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
    /// Nothing changed: the member owns the course.
    CourseOwned,
    /// Nothing changed: a payment for the course is in review.
    CoursePaymentPending,
    /// Nothing changed: the trade is known, under whatever terms.
    TradeKnown,
    /// Nothing changed: the trade is not funded under these terms, or settled.
    TradeNotFunded,
    /// Nothing changed: the member owes something.
    AmountOwed,
}

impl Outcome {
    /// What the member is told.
    ///
    /// # Errors
    /// Unless it was applied.
    pub fn into_result(self) -> Result<(), Error> {
        match self {
            Self::Applied => Ok(()),
            Self::InsufficientFunds => Err(Error::InsufficientBalance),
            Self::AccountMissing => Err(Error::AccountMissing),
            Self::Busy => Err(Error::Refused(chassis::error::Refusal::unavailable())),
            Self::WithdrawalPending => Err(Error::WithdrawalPending),
            Self::LimitReached => Err(Error::LimitReached(Rest::default())),
            Self::CourseOwned => Err(Error::CourseAlreadyPurchased),
            Self::CoursePaymentPending => Err(Error::CoursePaymentPending),
            Self::TradeNotFunded => Err(Error::TradeNotFunded),
            Self::AmountOwed => Err(Error::AmountOwed),
            Self::KeyUsed | Self::TradeKnown => Err(Error::AlreadyPosted),
        }
    }
}

impl Movement {
    /// Applies it in the caller's transaction, waiting for the accounts. Members' accounts are made on first need.
    ///
    /// # Errors
    /// What stands in its way, `AlreadyPosted` if a (kind, cause) was posted before, the database's.
    pub async fn apply(&self, conn: &mut PgConnection) -> Result<(), Error> {
        let rows = Rows::of([(self, None)])?;
        let mut done = rows.apply(conn, Locks::Wait).await?;
        if done.outcomes == [Outcome::AccountMissing] {
            for user_id in rows.members() {
                open_accounts(conn, user_id).await?;
            }
            done = rows.apply(conn, Locks::Wait).await?;
        }
        let outcome = done.outcomes.first().copied().unwrap_or(Outcome::AccountMissing);
        if outcome != Outcome::Applied {
            return Err(self.refusal(conn, outcome).await);
        }
        // Counted when it is written: what its transaction takes back afterwards is too little to tell apart.
        self.count();
        Ok(())
    }

    /// Why it was not applied, with what the member may do instead.
    async fn refusal(&self, conn: &mut PgConnection, outcome: Outcome) -> Error {
        let told = match (outcome, self.precondition) {
            (Outcome::LimitReached, Some(Precondition::WithdrawalAllowed { amount, allowances, at })) => {
                withdrawals::rest(conn, self.user_id, &allowances, Some(amount), at).await.map(Error::LimitReached)
            }
            _ => outcome.into_result().map(|()| Error::AlreadyPosted),
        };
        told.unwrap_or_else(|error| error)
    }

    /// The accounts that it locks, some of them more than once. What a precondition looks at changes only while the
    /// member's free balance is locked.
    fn accounts(&self) -> impl Iterator<Item = AccountRef> + Clone + '_ {
        let looked_at = self.precondition.map(|_| AccountRef::available(self.user_id));
        self.postings.iter().flat_map(|posting| posting.entries.iter().map(|entry| entry.0)).chain(looked_at)
    }

    fn count(&self) {
        for posting in &self.postings {
            let moved: u64 = posting.entries.iter().filter_map(|(_, cents)| u64::try_from(cents.get()).ok()).sum();
            metrics::counter!("postings_total", "kind" => posting.kind.as_str()).increment(1);
            metrics::counter!("posted_cents_total", "kind" => posting.kind.as_str()).increment(moved);
        }
    }
}

/// Posts in the order given, all or nothing, in the caller's transaction: for use cases that write the rest themselves.
///
/// # Errors
/// As [`Movement::apply`].
pub async fn post(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), Error> {
    let Some(first) = postings.first() else { return Ok(()) };
    Movement { user_id: first.user_id, postings: postings.to_vec(), ..Movement::default() }.apply(conn).await
}

/// Locks a member's free balance, making the accounts on first need: what a use case does before it decides by what the
/// member has. It is the first of the member's accounts, so that a posting afterwards keeps the order.
///
/// # Errors
/// The database's.
pub async fn lock_member(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    sqlx::query!("SELECT FROM lock_member($1)", user_id).execute(conn).await?;
    Ok(())
}

/// Makes the account of a member's holds if it is not there.
///
/// # Errors
/// The database's.
pub async fn open_on_hold(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    sqlx::query!("SELECT FROM open_on_hold($1)", user_id).execute(conn).await?;
    Ok(())
}

/// Makes a member's accounts if they are not there.
///
/// # Errors
/// The database's.
pub async fn open_accounts(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    sqlx::query!("SELECT FROM open_accounts($1)", user_id).execute(conn).await?;
    Ok(())
}
