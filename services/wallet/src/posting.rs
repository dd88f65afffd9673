//! The posting engine: the only way by which money moves.
//!
//! A posting is a set of legs that sum to zero. A movement is what one use case changes at once: postings, the lines
//! and trades they belong to, the events that tell of them. The database's function `move_money` applies any number of
//! movements in one statement: it locks their accounts in ascending id, decides each in the order given, and links each
//! account's entries in a SHA-256 chain whose head stands in the account's row; `move_one` does the same for a transfer alone.
//! It runs in a use case's transaction
//! ([`Movement::apply`], [`post`]) or, for many use cases at once, as a transaction of its own ([`ledger`]).

pub mod ledger;

mod columns;

use chassis::money::Cents;
use chassis::outbox::Unsent;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::{AccountRef, MemberAccount};
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::posting::columns::Columns;

/// Money that moves at once.
#[derive(Debug, Clone)]
pub struct Posting {
    /// What moves it, e.g. `deposit`.
    pub kind: &'static str,
    /// What it settles; with the kind, posted once.
    pub business_id: Uuid,
    /// The member concerned.
    pub user_id: Uuid,
    /// The line of the member's history it belongs to.
    pub transaction_id: Option<Uuid>,
    /// What each account gains; sums to zero, no account twice.
    pub legs: Vec<(AccountRef, Cents)>,
}

impl Posting {
    /// Moves an amount from one account to another, in the transaction with this id.
    ///
    /// # Errors
    /// If the amount cannot be negated.
    pub fn transfer(
        kind: &'static str,
        user_id: Uuid,
        transaction_id: Uuid,
        from: AccountRef,
        to: AccountRef,
        amount: Cents,
    ) -> Result<Self, Error> {
        let legs = vec![(from, amount.negated()?), (to, amount)];
        Ok(Self { kind, business_id: transaction_id, user_id, transaction_id: Some(transaction_id), legs })
    }

    /// The same for another business id than the transaction's.
    #[must_use]
    pub fn settling(self, business_id: Uuid) -> Self {
        Self { business_id, ..self }
    }
}

/// What a member may do only while something is not so; looked up while the member is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// No other withdrawal of theirs is open.
    Withdrawal,
    /// They neither own the course nor have a payment for it in review.
    Course,
    /// Nothing is known of this trade yet: it is funded.
    Fund {
        /// The trade.
        trade_id: Uuid,
        /// With how much.
        amount: Cents,
        /// When.
        at: OffsetDateTime,
    },
    /// This trade is funded and not settled: it is settled.
    Settle {
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

/// What a use case changes at once.
#[derive(Debug, Clone, Default)]
pub struct Movement {
    /// The member concerned.
    pub user_id: Uuid,
    /// Under which condition.
    pub guard: Option<Guard>,
    /// What moves; at least one.
    pub postings: Vec<Posting>,
    /// New lines of the member's history; none has a receipt.
    pub lines: Vec<Transaction>,
    /// What tells of it.
    pub events: Vec<Unsent>,
}

/// What became of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All of it is there.
    Applied,
    /// Nothing changed: its key was used, or its guard does not hold.
    Hindered,
    /// Nothing changed: a member's account would have fallen below zero.
    Overdrawn,
    /// Nothing changed: an account has not been made yet.
    AccountMissing,
}

impl Movement {
    /// Applies it in the caller's transaction, which has locked the member and found the guard to hold. Members'
    /// accounts are made on first need.
    ///
    /// # Errors
    /// `InsufficientBalance` if a member's account would fall below zero at any point, `AlreadyPosted` if a (kind,
    /// business id) was posted before or the guard does not hold, the database's.
    pub async fn apply(&self, conn: &mut PgConnection) -> Result<(), Error> {
        let columns = Columns::of([(self, None)])?;
        let mut done = columns.apply(conn).await?;
        if done.verdicts == [Verdict::AccountMissing] {
            for user_id in columns.owners() {
                open_accounts(conn, *user_id).await?;
            }
            done = columns.apply(conn).await?;
        }
        match done.verdicts.first() {
            Some(Verdict::Applied) => {}
            Some(Verdict::Overdrawn) => return Err(Error::InsufficientBalance),
            Some(Verdict::Hindered) => return Err(Error::AlreadyPosted),
            Some(Verdict::AccountMissing) | None => return Err(Error::AccountMissing),
        }
        // Counted when it is written: what its transaction takes back afterwards is too little to tell apart.
        self.count();
        Ok(())
    }

    /// The accounts that it locks, some of them more than once. What a guard looks at changes only while the member's free
    /// balance is locked.
    fn accounts(&self) -> impl Iterator<Item = AccountRef> + Clone + '_ {
        let guarded = self.guard.map(|_| AccountRef::available(self.user_id));
        self.postings.iter().flat_map(|posting| posting.legs.iter().map(|leg| leg.0)).chain(guarded)
    }

    fn count(&self) {
        for posting in &self.postings {
            let moved: u64 = posting.legs.iter().filter_map(|(_, cents)| u64::try_from(cents.get()).ok()).sum();
            metrics::counter!("postings_total", "kind" => posting.kind).increment(1);
            metrics::counter!("posted_cents_total", "kind" => posting.kind).increment(moved);
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
    let locked =
        || sqlx::query_scalar!("SELECT id FROM accounts WHERE user_id = $1 AND kind = 'available' FOR UPDATE", user_id);
    if locked().fetch_optional(&mut *conn).await?.is_none() {
        open_accounts(conn, user_id).await?;
        locked().fetch_one(conn).await?;
    }
    Ok(())
}

/// Makes a member's accounts if they are not there.
///
/// # Errors
/// The database's.
pub async fn open_accounts(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    let kinds = MemberAccount::ALL.map(|kind| kind.as_str().to_owned());
    sqlx::query!(
        "INSERT INTO accounts (kind, user_id) SELECT kind, $1 FROM unnest($2::text[]) AS kind ON CONFLICT DO NOTHING",
        user_id,
        &kinds
    )
    .execute(conn)
    .await?;
    Ok(())
}
