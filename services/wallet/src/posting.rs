//! The posting engine, which executes all movements of money.
//!
//! A posting is a set of entries that sum to zero, with one cause. A movement is the change of one use case: postings
//! with their transactions, trades and events. The database function `post_movements` (files 11 to 14 in `sql`) applies any
//! number of movements in one statement and contains all rules that are decided under a lock. It runs in the
//! transaction of a use case ([`Movement::apply`], [`post`]) or in its own transaction for many use cases at once
//! ([`ledger`]): [`queue`] selects the movements of the next commit, [`writer`] commits, [`clock`] provides the time.

pub mod ledger;

pub(crate) mod clock;

mod encode;

mod movement;

mod queue;

mod writer;

use chassis::db::PgConnection;
use chassis::id::MemberId;

use self::encode::{Locks, Rows};
pub use self::movement::{Movement, Outcome, Posting, Precondition};
use crate::domain::account::AccountRef;
use crate::error::Error;
use crate::store::withdrawals;

impl Movement {
    /// Applies it in the caller's transaction, waiting for the accounts. Members' accounts are made on first need.
    ///
    /// # Errors
    /// What stands in its way, `AlreadyPosted` if a (kind, cause) was posted before.
    pub async fn apply(&self, conn: &mut PgConnection) -> Result<(), Error> {
        let rows = Rows::of([(self, None)])?;
        let mut done = rows.apply(conn, Locks::Wait).await?;
        if done.outcomes == [Outcome::AccountMissing] {
            for account in rows.accounts() {
                open(conn, account).await?;
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
            (Outcome::LimitReached, Some(Precondition::WithdrawalAllowed { amount, allowances, at, .. })) => {
                withdrawals::rest(conn, self.user_id, &allowances, Some(amount), at).await.map(Error::LimitReached)
            }
            _ => outcome.into_result().map(|()| Error::AlreadyPosted),
        };
        told.unwrap_or_else(|error| error)
    }
}

/// Posts in the order given, all or nothing, in the caller's transaction: for use cases that write the rest themselves.
///
/// # Errors
/// The same as those of [`Movement::apply`].
pub async fn post(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), Error> {
    let Some(first) = postings.first() else { return Ok(()) };
    Movement { user_id: first.user_id, postings: postings.to_vec(), ..Movement::default() }.apply(conn).await
}

/// Locks a member's free balance, making the accounts on first need: what a use case does before it decides by what the
/// member has. It is the first of the member's accounts, so that a posting afterwards keeps the order.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query!("SELECT FROM lock_member($1)", user_id.get()).execute(conn).await?;
    Ok(())
}

/// Lets one treasury movement be decided after the other, until the transaction ends.
pub async fn lock_treasury(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtextextended('treasury', 0))").execute(conn).await?;
    Ok(())
}

/// Makes the account of a member's holds if it is not there.
pub async fn open_on_hold(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query!("SELECT FROM open_on_hold($1)", user_id.get()).execute(conn).await?;
    Ok(())
}

/// Makes the accounts of the owner of an account if they are not there; the house's are.
async fn open(conn: &mut PgConnection, account: AccountRef) -> Result<(), Error> {
    match account {
        AccountRef::Member(user_id, _) => open_accounts(conn, user_id).await,
        AccountRef::Plan(plan_id, _) => {
            sqlx::query!("SELECT FROM open_plan($1)", plan_id.get()).execute(conn).await?;
            Ok(())
        }
        AccountRef::House(_) => Ok(()),
    }
}

/// Makes a member's accounts if they are not there.
pub async fn open_accounts(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query!("SELECT FROM open_accounts($1)", user_id.get()).execute(conn).await?;
    Ok(())
}
